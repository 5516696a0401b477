"""Withheld information and misallocated messages (table 4, appendices C.1 and C.4), and what agents had to tell others.

Withheld (7 of the paper's 40 audited failures): only one agent was told a part of the goal that only partners can achieve, and
it did not tell them before one acted on a wrong guess, or not at all so that it was not achieved. Misallocated (4 of 40): a
message to an agent out of reach; or a budget that was used up while such a part was not told to any able partner. A message
with a part that was not read, and that may be about the things of the part, counts as telling it: neither pattern is found
where it cannot be shown.

The rooms of agents are derived from bars only: a room that is cut off by a barred room counts as accessible. Remote control and
mirroring of things are derived from the secrets."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from otherminds.household.epistemic.formula import Literal, atom, chains, physical, show
from otherminds.household.epistemic.household_facts import Act, Sent
from otherminds.household.epistemic.predicates import TOOLS, positive
from otherminds.household.epistemic.words import Asks, Doing, Must, Secret
from otherminds.household.measures.patterns import Found, pattern
from otherminds.household.measures.trace import Trace
from otherminds.household.scenes.scene import kind_of

HANDS = frozenset({"is_held_by", "agent_in_room"})
"""Predicates that only the agent among their arguments can achieve."""
PLACES = frozenset({"is_on_top", "is_inside", "is_in_room"})


class GoalTarget(Struct, frozen=True):
    """A part of the goal that only ``holder`` was told, and that only ``able`` partners can achieve.

    ``audience`` are the agents that it had to tell: the able partners that it can message, or, if there are none, all
    agents that it can message, as relays.
    """

    holder: str
    literal: Literal
    able: tuple[str, ...]
    audience: tuple[str, ...]


def targets(episode: Trace) -> list[GoalTarget]:
    """The parts of the shared goal that one agent had to tell another.

    A part is left out if an agent that can achieve it may have been told of it in words that were not read.
    """
    goal_targets: list[GoalTarget] = []
    for literal in map(positive, physical(episode.goal)):
        doers = able(episode, literal)
        holders = [seat for seat in episode.seats if require(episode.told(seat), literal)]
        if (
            not doers
            or set(holders) & set(doers)
            or any(episode.may_be_told(seat, atom(literal).args) for seat in doers)
        ):
            continue
        for holder in holders:
            reached = episode.task.talk[holder]
            audience = tuple(seat for seat in doers if seat in reached) or reached
            if audience and episode.task.limits[holder] != 0:
                goal_targets.append(GoalTarget(holder, literal, doers, audience))
    return goal_targets


def able(episode: Trace, literal: Literal) -> tuple[str, ...]:
    """The agents that can achieve a literal in spite of bars."""
    fact = atom(literal)
    if fact.predicate in HANDS:
        return tuple(
            seat for seat in episode.seats if seat in fact.args and not barred_from(episode, seat, fact.args)
        )
    ways = [fact.args, *((trigger,) for trigger in triggers(episode, fact.args[0]))]
    return tuple(
        seat for seat in episode.seats if any(not barred_from(episode, seat, names) for names in ways)
    )


def barred_from(episode: Trace, seat: str, names: tuple[str, ...]) -> str:
    """The first barred room of a seat among named rooms and the rooms of named things; empty if none."""
    rooms = (episode.task.rooms.get(name, name) for name in names)
    return next((room for room in rooms if room in episode.task.barred[seat]), "")


def triggers(episode: Trace, name: str) -> tuple[str, ...]:
    """The things that control or mirror a thing, by the secrets."""
    return tuple(trigger for trigger, target in episode.controls if target == name)


def require(statements: Iterable[Secret], literal: Literal) -> bool:
    """Whether a statement says that a literal must hold at the end, as a goal, a promise or a request."""
    return any(required_literal(statement) == literal for statement in statements)


def required_literal(statement: Secret) -> Literal | None:
    """The literal that must hold at the end by a statement, in positive form.

    A goal of knowledge implies the goal that the fact holds.
    """
    match statement:
        case Must(formula) | Doing(_, Must(formula)) | Asks(_, Must(formula)):
            facts = (*physical(formula), *(chain.fact for chain in chains(formula)))
            return positive(facts[0])
        case _:
            return None


def wrong_guess(episode: Trace, target: GoalTarget) -> Act | None:
    """The first call by which another agent put the object elsewhere, or changed another thing of the same type.

    Not counted are the floor, things that the goal names, things that control these, and calls that achieved the literal.
    """
    fact = atom(target.literal)
    goal_names = [atom(part).args[0] for part in physical(episode.goal)]
    aimed = {*goal_names, *(trigger for name in goal_names for trigger in triggers(episode, name))}
    right = episode.find_turns(target.literal, holds=True)
    for act in episode.done():
        if act.seat == target.holder or act.turn in right:
            continue
        if fact.predicate in PLACES and act.tool == "Place" and act.args[0] == fact.args[0]:
            where = act.args[2]
            if where.startswith("floor_") or fact.args[1] in (where, episode.task.rooms.get(where)):
                continue
            return act
        alike = kind_of(act.args[0]) == kind_of(fact.args[0]) and act.args[0] not in aimed
        if alike and act.tool == TOOLS.get(fact.predicate):
            return act
    return None


@pattern("withheld")
def withheld(episode: Trace) -> tuple[Found, ...]:
    """One for each withheld target, at the wrong guess or in the last turn."""
    return tuple(finding for target in targets(episode) if (finding := _withheld(episode, target)))


def _withheld(episode: Trace, target: GoalTarget) -> Found | None:
    told_turn = next((sent.turn for sent in episode.messages if _may_reach(sent, target)), None)
    guess = wrong_guess(episode, target)
    who, literal = target.holder, show(target.literal)
    if guess is not None and (told_turn is None or guess.turn <= told_turn):
        when = "never told" if told_turn is None else f"told only in turn {told_turn}"
        why = f"{literal} was known to {who} alone and {when}; {guess.seat} did {guess.call}"
        return Found(guess.turn, who, why)
    if told_turn is None and episode.since(target.literal) is None:
        why = f"{literal} was known to {who} alone and never told to {', '.join(target.audience)}"
        return Found(episode.last, who, why)
    return None


def _may_reach(sent: Sent, target: GoalTarget) -> bool:
    """Whether a message tells the target to an agent that had to be told, or may tell it in words that were not read."""
    may = require(sent.statements, target.literal) or sent.may_concern(atom(target.literal).args)
    return bool({*sent.delivered} & {*target.audience}) and may


@pattern("misallocated")
def misallocated(episode: Trace) -> tuple[Found, ...]:
    """Each message to an agent out of reach; each budget used for other content, at its last message."""
    findings = [
        Found(sent.turn, sent.sender, f"{sent.sender} wrote to {sent.to}, whom it cannot reach")
        for sent in episode.messages
        if sent.to in episode.seats and sent.to not in (sent.sender, *episode.task.talk[sent.sender])
    ]
    for target in targets(episode):
        limit = episode.task.limits[target.holder]
        spent = [sent for sent in episode.messages if sent.sender == target.holder and sent.delivered]
        useful = any(_may_reach(sent, target) for sent in spent)
        if limit is not None and len(spent) >= limit and not useful and episode.since(target.literal) is None:
            why = f"{target.holder} spent all {limit} of its messages, and none on {show(target.literal)}"
            findings.append(Found(spent[-1].turn, target.holder, why))
    return tuple(findings)
