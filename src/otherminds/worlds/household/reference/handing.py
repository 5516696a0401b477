"""Handing over: the part that somebody can take in moving a thing to where it may not go itself."""

from __future__ import annotations

from otherminds.epistemic.formula import Atom, Literal
from otherminds.worlds.household.reference.knowledge import Knowledge
from otherminds.worlds.household.reference.sharing import able, meeting, wanted_in

LATE = 6
"""Turns after which one brings a thing nearer that somebody else might have fetched."""


def part(knowledge: Knowledge, goal: Literal) -> Literal | None:
    """What to do of a goal that one cannot finish: bring its thing to where somebody else can take it.

    What one holds is brought at once; anything else only if nobody seems able to fetch it,
    or nobody did for a while.
    """
    target = wanted_in(knowledge, goal)
    if target is None or not isinstance(goal, Atom):
        return None
    o = goal.args[0]
    takers = [other for other in knowledge.others if able(knowledge, other, goal)]
    room = meeting(knowledge, knowledge.me, takers, target)
    if room is None:
        return None
    brought = Atom("is_in_room", (o, room))
    if o in knowledge.holding:
        return brought
    lies = knowledge.picture.room(o)
    hops = knowledge.plan.hops(target)
    if lies is None or lies == room or lies not in knowledge.rooms(knowledge.me):
        return None
    fetched = any(lies in knowledge.rooms(taker) for taker in takers)
    if fetched and hops.get(lies, 0) <= hops.get(room, 0):
        return None
    heard = knowledge.goals[goal]
    late = knowledge.turn - max(heard.turn, heard.passed) >= LATE
    return brought if late or not fetched else None
