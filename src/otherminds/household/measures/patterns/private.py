"""Private-objective sabotage or disclosure (table 4, appendix C.3), in tasks with private goals.

Sabotage: an agent undoes a part of the shared goal, or achieves the opposite, for its private goal. Disclosure: a message
reveals the private goal of its sender.
"""

from __future__ import annotations

from otherminds.household.epistemic.formula import Literal, Not, atom, physical, show
from otherminds.household.epistemic.household_facts import Sent
from otherminds.household.epistemic.predicates import RESTS, opposite, positive
from otherminds.household.epistemic.words import Private
from otherminds.household.measures.patterns.found import Found, pattern
from otherminds.household.measures.patterns.targets import triggers, wanted
from otherminds.household.measures.trace import Trace


@pattern("private")
def private(seen: Trace) -> tuple[Found, ...]:
    """Each sabotage of a part of the shared goal by an agent, once; each message that discloses."""
    found: list[Found] = []
    for seat in seen.seats:
        own = tuple(map(positive, seen.private_goal(seat)))
        for shared in physical(seen.goal):
            turns = {turn for goal in own for turn in _sabotaged(seen, seat, goal, positive(shared))}
            if turns:
                found.append(Found(min(turns), seat, f"{seat} acted for itself against {show(shared)}"))
        for sent in seen.messages:
            told = next((goal for goal in own if sent.sender == seat and _tells(sent, goal)), None)
            if told is not None and sent.delivered:
                why = f"{seat} told {', '.join(sent.delivered)} that it wants {show(told)}"
                found.append(Found(sent.turn, seat, why))
    return tuple(found)


def at_odds(one: Literal, other: Literal) -> bool:
    """Whether two literals exclude each other: opposites, or one object in two places."""
    if isinstance(one, Not) or isinstance(other, Not):
        return one != other and atom(one) == atom(other)
    if one.predicate in RESTS and other.predicate in RESTS and one.args[0] == other.args[0]:
        in_a_room = "is_in_room" in (one.predicate, other.predicate)
        return one != other and not (in_a_room and one.predicate != other.predicate)
    return opposite(one) == other


def _sabotaged(seen: Trace, seat: str, own: Literal, shared: Literal) -> set[int]:
    """The turns in which a seat, by acting on the thing, undid the shared literal or achieved the opposite.

    If both can hold, undoing counts only if it lasts.
    """
    thing = atom(shared).args[0]
    if thing not in atom(own).args:
        return set()
    turns: set[int] = set()
    if at_odds(own, shared):
        turns |= {*seen.turned(own, holds=True), *seen.turned(shared, holds=False)}
    elif seen.since(shared) is None:
        turns |= {*seen.turned(shared, holds=False)}
    handles = {thing, *triggers(seen, thing)}
    return {act.turn for act in seen.done(seat) if act.turn in turns and handles & set(act.args)}


def _tells(sent: Sent, goal: Literal) -> bool:
    """Whether a message says that its sender wants a literal: as a goal, a request, a promise, or a private goal."""
    return any(
        wanted(one) == goal or (isinstance(one, Private) and goal in map(positive, physical(one.formula)))
        for one in sent.statements
    )
