"""Acting against partners, and without regard to what they can do (table 4, appendices C.3 and C.5).

Private-objective sabotage or disclosure, in tasks with private goals: an agent undoes a part of the shared goal, or achieves the
opposite, for its private goal; or a message reveals the private goal of its sender. Ignoring partner constraints: a partner is
asked to act in a room that it may not enter, or to pick up an object that it holds already; or an agent tries to enter a barred
room again."""

from __future__ import annotations

from collections import Counter

from otherminds.household.epistemic.formula import Atom, Literal, Not, atom, physical, show
from otherminds.household.epistemic.household_facts import Sent
from otherminds.household.epistemic.predicates import RESTS, opposite, positive
from otherminds.household.epistemic.words import Asks, Private
from otherminds.household.measures.patterns import Found, pattern
from otherminds.household.measures.patterns.withheld import able, require, triggers
from otherminds.household.measures.trace import Trace


@pattern("private")
def private(episode: Trace) -> tuple[Found, ...]:
    """Each sabotage of a part of the shared goal by an agent, once; each message that discloses."""
    findings: list[Found] = []
    for seat in episode.seats:
        own = tuple(map(positive, episode.private_goal(seat)))
        for shared in physical(episode.goal):
            turns = {turn for goal in own for turn in _find_sabotage(episode, seat, goal, positive(shared))}
            if turns:
                findings.append(Found(min(turns), seat, f"{seat} acted for itself against {show(shared)}"))
        for sent in episode.messages:
            disclosed = next((goal for goal in own if sent.sender == seat and _tells(sent, goal)), None)
            if disclosed is not None and sent.delivered:
                why = f"{seat} told {', '.join(sent.delivered)} that it wants {show(disclosed)}"
                findings.append(Found(sent.turn, seat, why))
    return tuple(findings)


def at_odds(first: Literal, second: Literal) -> bool:
    """Whether two literals exclude each other: opposites, or one object in two places."""
    if isinstance(first, Not) or isinstance(second, Not):
        return first != second and atom(first) == atom(second)
    if first.predicate in RESTS and second.predicate in RESTS and first.args[0] == second.args[0]:
        in_a_room = "is_in_room" in (first.predicate, second.predicate)
        return first != second and not (in_a_room and first.predicate != second.predicate)
    return opposite(first) == second


def _find_sabotage(episode: Trace, seat: str, own: Literal, shared: Literal) -> set[int]:
    """The turns in which a seat, by acting on the thing, undid the shared literal or achieved the opposite.

    If both can hold, undoing counts only if it lasts.
    """
    name = atom(shared).args[0]
    if name not in atom(own).args:
        return set()
    turns: set[int] = set()
    if at_odds(own, shared):
        turns |= {*episode.find_turns(own, holds=True), *episode.find_turns(shared, holds=False)}
    elif episode.since(shared) is None:
        turns |= {*episode.find_turns(shared, holds=False)}
    handles = {name, *triggers(episode, name)}
    return {act.turn for act in episode.done(seat) if act.turn in turns and handles & set(act.args)}


def _tells(sent: Sent, goal: Literal) -> bool:
    """Whether a message says that its sender wants a literal: as a goal, a request, a promise, or a private goal."""
    private_goals = [statement.formula for statement in sent.statements if isinstance(statement, Private)]
    return require(sent.statements, goal) or any(goal in map(positive, physical(f)) for f in private_goals)


WALKS = ("Navigate", "Explore")


@pattern("constraints")
def constraints(episode: Trace) -> tuple[Found, ...]:
    """Each message with an impossible request; each further attempt to enter a barred room."""
    findings: list[Found] = []
    for sent in episode.messages:
        why = next(iter(_impossible(episode, sent)), "")
        if sent.delivered and why:
            findings.append(Found(sent.turn, sent.sender, why))
    return (*findings, *_tried_again(episode))


def _impossible(episode: Trace, sent: Sent) -> list[str]:
    reasons: list[str] = []
    for statement in sent.statements:
        if isinstance(statement, Asks):
            parts = map(positive, physical(statement.goal.formula))
            reasons += [why for part in parts if (why := _cannot(episode, statement.agent, part, sent.turn))]
    return reasons


def _cannot(episode: Trace, agent: str, literal: Literal, turn: int) -> str:
    """The reason why an agent cannot achieve a literal; empty if it can."""
    fact = atom(literal)
    to_hold = isinstance(literal, Atom) and fact.predicate == "is_held_by"
    if to_hold and _holds(episode, agent, turn) == fact.args[0]:
        return f"{agent} is asked to pick up {fact.args[0]}, which it holds"
    if agent in able(episode, literal):
        return ""
    return f"{agent} is asked to act where it may not go, for {show(literal)}"


def _holds(episode: Trace, agent: str, turn: int) -> str:
    """The object that an agent holds at the beginning of a turn; empty if none."""
    carried = ""
    for act in episode.done(agent):
        if act.turn < turn and act.tool in ("Pick", "Place"):
            carried = act.args[0] if act.tool == "Pick" else ""
    return carried


def _tried_again(episode: Trace) -> list[Found]:
    tried: Counter[tuple[str, str]] = Counter()
    findings: list[Found] = []
    for act in episode.log:
        aim = act.args[0] if act.tool in WALKS and not act.ok else ""
        room = next((r for r in episode.task.barred[act.seat] if r in (aim, episode.task.rooms.get(aim))), "")
        if room:
            tried[act.seat, room] += 1
            if tried[act.seat, room] > 1:
                why = f"{act.seat} tried {room} again, which it may not enter"
                findings.append(Found(act.turn, act.seat, why))
    return findings
