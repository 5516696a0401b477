"""Which statement a member says first, if a message conveys only some. None of the orders depends on the hearers."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.household.epistemic.formula import atom, physical
from otherminds.household.epistemic.predicates import ACTIVE, AXES
from otherminds.household.epistemic.words import HouseRule, Must, Statement
from otherminds.household.reference.sharing import able
from otherminds.household.teams.talking import Speaker


def oldest_first(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """What became known first."""
    return unsaid


def newest_first(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """What became known last."""
    return unsaid[::-1]


def in_random_order(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """Any of them."""
    return speaker.rng.sample(unsaid, len(unsaid))


def goals_first(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """Goals before all else."""
    return sorted(unsaid, key=lambda statement: not isinstance(statement, Must))


def when_a_goal_is_new(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """What became known first, but nothing if no goal is among it."""
    return unsaid if any(isinstance(statement, Must) for statement in unsaid) else ()


def heard_first(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """What others said before what it was told at the start."""
    statements, me = speaker.knowledge.statements, speaker.knowledge.me
    return sorted(unsaid, key=lambda statement: statements[statement].source == me)


def beyond_me(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """Only goals that it cannot achieve itself, and mechanics of furniture that it cannot reach."""
    return [
        statement for statement in unsaid if _beyond(speaker, statement) or _elsewhere(speaker, statement)
    ]


def changes_beyond_me(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """As :func:`beyond_me`, without goals that furniture is closed or off, which mostly hold already."""
    return [statement for statement in beyond_me(speaker, unsaid) if not _asks_for_rest(statement)]


def changes_beyond_me_newest(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """As :func:`changes_beyond_me`, the newest first."""
    return changes_beyond_me(speaker, unsaid)[::-1]


def changes_beyond_me_random(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """As :func:`changes_beyond_me`, in random order."""
    return in_random_order(speaker, changes_beyond_me(speaker, unsaid))


def _beyond(speaker: Speaker, statement: Statement) -> bool:
    """Whether it is a goal that the member cannot achieve, or whose thing it cannot find."""
    if not isinstance(statement, Must):
        return False
    goals = tuple(physical(statement.formula))
    knowledge = speaker.knowledge
    return any(not able(knowledge, knowledge.me, goal) or speaker.doer.stuck(goal) for goal in goals)


def _elsewhere(speaker: Speaker, statement: Statement) -> bool:
    """Whether it is about a mechanic of furniture that the member cannot reach."""
    entities = statement.things if isinstance(statement, HouseRule) else ()
    knowledge = speaker.knowledge
    rooms = knowledge.rooms(knowledge.me)
    return any(knowledge.plan.room_of.get(entity) not in rooms for entity in entities)


def _asks_for_rest(statement: Statement) -> bool:
    goals = map(atom, physical(statement.formula)) if isinstance(statement, Must) else ()
    return any(goal.predicate in AXES and goal.predicate not in ACTIVE for goal in goals)
