"""Free wordings: at least five for each statement, natural and exact, and each is read back."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import to_builtins
from msgspec.structs import replace

from otherminds.core.errors import TaskError
from otherminds.household.epistemic.formula import And, Atom, Formula, FormulaError, Know, Not
from otherminds.household.epistemic.predicates import NAME, PREDICATES, goal_predicates, opposite
from otherminds.household.epistemic.words import Asks, Aware, Doing, Fact, Must, Private, Secret
from otherminds.household.epistemic.words.free import told_freely
from otherminds.household.epistemic.words.sentences import read
from otherminds.household.epistemic.words.shapes import COUNTED
from otherminds.household.generating import wording
from otherminds.household.generating.wording import (
    OF_CATEGORY,
    OF_PATTERN,
    choose_description,
    free_secrets,
    freely,
    told_secrets,
    wordings,
)
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors
from otherminds.household.scenes.scene import floor_of
from otherminds.household.tasks.load import examined, load_task, shipped_tasks
from tests.cases import depth, examples, for_each

ME = "agent_0"
NAMES = {
    **{"object": ("bowl_0", "teddy_bear_11"), "furniture": ("cabinet_12", "chest_of_drawers_3")},
    **{"room": ("kitchen_1", "laundryroom_2"), "agent": (ME, "agent_1")},
}
"""Two names of each kind; the first agent is told."""
STRATEGY = re.compile(r"\b(tell|ask|inform|wait|first|then|before you|should|help|coordinate|share with)\b")


def literals() -> list[Formula]:
    """A literal of each predicate and, where it has no opposite, its negation; about each of two agents."""
    found: list[Formula] = []
    for name in goal_predicates():
        kinds = PREDICATES[name].kinds
        for which in (0, 1):
            args = [NAMES[kind][which] for kind in kinds]
            if len(set(args)) < len(args):
                args[1] = NAMES[kinds[1]][1 - which]
            fact = Atom(name, tuple(args))
            found += [fact] if opposite(fact) else [fact, Not(fact)]
    return found


ON = Atom("is_on_top", ("bowl_0", floor_of("bedroom_1")))
CHAINS = [
    Know("agent_1", ON),
    Know(ME, Know("agent_1", ON)),
    Know(ME, Know("agent_1", Know("agent_2", Not(ON)))),
]
STATEMENTS: list[Secret] = [
    *(kind(formula) for kind in (Fact, Must, Private) for formula in (*literals(), *CHAINS)),
    *(
        Barred(who, rooms)
        for who in NAMES["agent"]
        for rooms in ((), ("kitchen_1",), ("kitchen_1", "hall_room_2"))
    ),
    *(Reaches(ME, others) for others in ((), ("agent_1",), ("agent_1", "agent_2", "agent_3"))),
    *(Reaches("agent_1", others) for others in ((), (ME,), (ME, "agent_2"))),
    *(MessageBudget(who, count) for who in NAMES["agent"] for count in (0, 1, 2, 10, 11)),
    *(Aware(who, Must(literal)) for who in NAMES["agent"] for literal in literals()),
    *(Inverse("cabinet_12"), Mirrors("cabinet_12", "fridge_1"), Mirrors("fridge_1", "cabinet_12")),
    *(
        Controls("cabinet_12", "fridge_1", state, by)
        for state in ("open", "closed", "switched on", "switched off")
        for by in ("opening", "switching on")
    ),
]


@pytest.mark.parametrize("every", depth(10, 1))
@for_each("told", STATEMENTS)
def test_every_template_is_read_back(told: Secret, every: int) -> None:
    for text in wordings(told, ME)[::every]:
        assert told_freely(text, you=ME) == (told,), text


@for_each("told", STATEMENTS, every=3)
def test_a_statement_has_five_templates_or_more(told: Secret) -> None:
    complements = {text for texts in wording.COMPLEMENTS.values() for text in texts}
    plain = sorted({re.sub(r"\{\w+\}", "", one).strip() for one in complements}, key=len, reverse=True)
    ends = (*wording.ENDS, *plain, "zero", *COUNTED)
    kinds: set[str] = set()
    for text in wordings(told, ME):
        text = NAME.sub("_", text)
        for part in ends:
            text = re.sub(rf"\b{part}\b", "_", text, flags=re.IGNORECASE)
        kinds.add(re.sub(r"is aware|has found out|knows|are aware|have found out|know\b|\W*_\W*", "_", text))
    assert len(kinds) >= 5


@for_each("told", STATEMENTS, every=3)
def test_wordings_keep_names_and_give_no_advice(told: Secret) -> None:
    names = set(NAME.findall(repr(told))) - {ME}
    for text in wordings(told, ME):
        assert set(NAME.findall(text)) == names
        assert not text[0].islower() or NAME.match(text)
        assert text.endswith(".")
        assert not STRATEGY.search(text.casefold()), text


@for_each("told", [one for one in STATEMENTS if isinstance(one, Private)])
def test_a_private_goal_is_not_told_as_a_goal_of_the_team(told: Private) -> None:
    for text in wordings(told, ME):
        assert read(text, you=ME) == ()


def name(kinds: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.builds("{}_{}".format, st.sampled_from(kinds), st.integers(0, 999))


THINGS = name(("cabinet", "chest_of_drawers", "floor_lamp", "coffee_machine", "stand", "tv"))
ROOMS = name(("kitchen", "living_room", "laundryroom", "entryway", "closet", "pantry"))
OTHERS = st.sampled_from(["agent_1", "agent_2", "agent_3"])
DRAWN = st.one_of(
    st.builds(lambda who, rooms: Barred(who, tuple(rooms)), OTHERS, st.lists(ROOMS, unique=True, max_size=5)),
    st.builds(lambda to: Reaches(ME, tuple(to)), st.lists(OTHERS, unique=True)),
    st.builds(MessageBudget, OTHERS, st.integers(0, 99)),
    st.builds(Inverse, THINGS),
    st.lists(THINGS, min_size=2, max_size=2, unique=True).map(lambda two: Mirrors(*two)),
    st.lists(THINGS, min_size=2, max_size=2, unique=True).map(lambda two: Controls(two[0], two[1], "closed")),
    st.lists(THINGS, min_size=2, max_size=2, unique=True).map(
        lambda two: Must(Atom("is_inside", tuple(two)))
    ),
    st.builds(lambda thing: Private(Atom("is_powered_on", (thing,))), THINGS),
    st.builds(lambda who, room: Fact(Atom("agent_in_room", (who, room))), OTHERS, ROOMS),
    st.builds(lambda who, thing: Must(Know(ME, Know(who, Atom("is_open", (thing,))))), OTHERS, THINGS),
)


@settings(examples(3))
@given(DRAWN, st.integers(0, 1000))
def test_wordings_of_any_names_are_read_back(told: Secret, seed: int) -> None:
    text = freely(told, ME, random.Random(seed))
    assert text == freely(told, ME, random.Random(seed))
    assert told_freely(text, you=ME) == (told,)


def test_deep_knowledge_has_few_wordings() -> None:
    formula: Formula = ON
    for level in range(12):
        formula = Know(f"agent_{level % 3}", formula)
    assert len(wordings(Must(formula), ME)) < 1000


@for_each(
    "told",
    [
        Doing(ME, Must(ON)),
        Aware("agent_1", Must(Know(ME, ON))),
        Asks(ME, Must(ON)),
        Must(And((ON, Atom("is_open", ("cabinet_12",))))),
        Fact(Atom("is_locked", ("cabinet_12",))),
        Fact(Atom("is_open", ("cabinet_12", "cabinet_13"))),
        Barred("bowl_0", ("kitchen_1",)),
        Inverse("Cabinet 12"),
        MessageBudget(ME, -1),
    ],
)
def test_what_has_no_words_is_refused(told: Secret) -> None:
    with pytest.raises(FormulaError):
        wordings(told, ME)


@for_each("task_id", shipped_tasks())
def test_all_secrets_of_a_task_are_told_freely_in_their_order(task_id: str) -> None:
    task = load_task(task_id)
    texts = free_secrets(task, random.Random(7))
    assert texts == free_secrets(task, random.Random(7))
    for agent in task.agents:
        told = told_secrets(task, agent)
        assert tuple(one for text in texts.get(agent, ()) for one in told_freely(text, you=agent)) == told
        assert sum(isinstance(one, Private) for one in told) == (agent in task.private_goals)
        assert [one for one in told if not isinstance(one, Private)] == list(task.told_to(agent))


@for_each("task_id", shipped_tasks())
def test_the_prose_of_the_included_tasks_tells_their_private_goals(task_id: str) -> None:
    task = load_task(task_id)
    for agent in task.agents:
        prose = [one for text in task.agent_secrets.get(agent, ()) for one in told_freely(text, you=agent)]
        wishes = [one for one in told_secrets(task, agent) if isinstance(one, Private)]
        assert [one for one in prose if isinstance(one, Private)] == wishes


@for_each("task_id", ["safety_staging", "inverse_handle"])
def test_a_task_that_is_told_freely_is_checked_without_faults(task_id: str) -> None:
    task = load_task(task_id)
    free = replace(task, agent_secrets=free_secrets(task, random.Random(1)))
    assert examined(to_builtins(free)).account.faults == ()


PAIRS = [(pattern, category) for pattern in OF_PATTERN for category in OF_CATEGORY]


@for_each(("pattern", "category"), PAIRS)
def test_descriptions_name_nothing_of_the_task(pattern: str, category: str) -> None:
    known = {found for task in map(load_task, shipped_tasks()) for found in NAME.findall(repr(task))}
    types = {found.rpartition("_")[0].replace("_", " ") for found in known} - {"agent"}
    drawn = {choose_description(pattern, category, random.Random(seed)) for seed in range(200)}
    assert len({title for title, _ in drawn}) == len(drawn) >= 12
    for title, text in drawn:
        assert text.count(".") in (1, 2)
        assert not NAME.search(text)
        assert not [kind for kind in types if re.search(rf"\b{kind}s?\b", f"{title} {text}".casefold())]


@for_each(("pattern", "category"), [("errand", "mixed"), ("relay", "hostile")])
def test_unknown_descriptions_are_refused(pattern: str, category: str) -> None:
    with pytest.raises(TaskError, match="no descriptions for"):
        choose_description(pattern, category, random.Random(0))
