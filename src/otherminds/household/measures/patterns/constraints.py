"""Ignoring partner constraints (table 4, appendix C.5).

A partner is asked to act in a room that it may not enter, or to pick up an object that it holds already; or an agent tries
to enter a barred room again.
"""

from __future__ import annotations

from collections import Counter

from otherminds.household.epistemic.formula import Atom, Literal, atom, physical, show
from otherminds.household.epistemic.household_facts import Sent
from otherminds.household.epistemic.predicates import positive
from otherminds.household.epistemic.words import Asks
from otherminds.household.measures.patterns.found import Found, pattern
from otherminds.household.measures.patterns.targets import able
from otherminds.household.measures.trace import Trace

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
