"""Parts of a goal. Each function adds one part for its actor to a draft, and tells its knower; ``False`` if it cannot.

The target is one of several pieces of one kind in the actor's own room, so that it cannot be found by trying
(:mod:`..proofs.guessing`), and no secret of the actor names it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import permutations

from msgspec.structs import replace

from otherminds.household.epistemic.formula import Atom
from otherminds.household.epistemic.words import Fact
from otherminds.household.generating.draft import Draft, Use, classes, placed_in, usable
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Binding

OPEN, CLOSED, ON, WITHIN = "is_open", "is_closed", "is_on_top", "is_inside"
REPORTS = 2
"""Messages of an agent that hands something over, besides those about goals: level 3 also says what else it has done."""


def open_one(draft: Draft, actor: str, knower: str) -> bool:
    """One of several pieces of furniture must end open, and others of the kind closed."""
    pieces = _class(draft, actor, "articulated", 2)
    if pieces is None:
        return False
    target, *others = pieces
    draft.want(Atom(OPEN, (target,)), actor, knower, target)
    for other in others[: draft.draw.choice((1, 2, 2, 3))]:
        draft.keep(Atom(CLOSED, (other,)), actor, knower)
    return True


def want_known(draft: Draft, actor: str) -> Atom | None:
    """A goal in the actor's own room that the actor is told of: furniture is to end open, or an object in sight on it.

    Returns the goal; ``None`` if there is nothing for one.
    """
    room, scene = draft.own[actor], draft.scene.scene_id
    free = {
        use: [f for f in usable(scene, room, use) if f not in draft.used] for use in ("articulated", "top")
    }
    lies = {o: f for o, f in _lying(draft, (room,)).items() if not _shut_away(draft, o, f)}
    if free["articulated"]:
        target = draft.draw.choice(free["articulated"])
        goal, stops = Atom(OPEN, (target,)), (target,)
    elif lies and (tops := [f for f in free["top"] if f not in lies.values()]):
        o, target = draft.draw.choice(sorted(lies)), draft.draw.choice(tops)
        draft.used |= {o, lies[o]}
        goal, stops = Atom(ON, (o, target)), (lies[o], target)
    else:
        return None
    draft.used.add(target)
    draft.want_known(goal, actor, *stops)
    return goal


def close_one(draft: Draft, actor: str, knower: str) -> bool:
    """One of several open pieces of furniture must end closed, and another one stay open."""
    pieces = _class(draft, actor, "articulated", 3)
    if pieces is None:
        return False
    target, *others = pieces
    for piece in pieces:
        draft.states[piece] = {OPEN: True}
    draft.want(Atom(CLOSED, (target,)), actor, knower, target)
    for other in others[: draft.draw.choice((1, 2))]:
        draft.keep(Atom(OPEN, (other,)), actor, knower)
    return True


def place(draft: Draft, actor: str, knower: str) -> bool:
    """An object that the actor can reach must end on one of several pieces of furniture."""
    return _near(draft, actor, knower, ON)


def place_own(draft: Draft, actor: str, knower: str) -> bool:
    """An object in sight in the actor's own room must end on one of several pieces, if possible out of its reach."""
    lies = _lying(draft, (draft.own[actor],))
    visible = {o: f for o, f in lies.items() if not _shut_away(draft, o, f)}
    return _placing(draft, actor, knower, visible, ON, far=True)


def store(draft: Draft, actor: str, knower: str) -> bool:
    """An object that the actor can reach must end inside one of several pieces of furniture."""
    return _near(draft, actor, knower, WITHIN)


def hand_over(draft: Draft, actor: str, knower: str, giver: str) -> bool:
    """An object in another agent's own room must end on one of several pieces of furniture of the actor."""
    return _placing(draft, actor, knower, _lying(draft, (draft.own[giver],)), ON, giver)


def control(draft: Draft, actor: str, knower: str, insider: str) -> bool:
    """Furniture in the locked room must end open; one of several pieces of the actor's room sets it."""
    linked = _link_locked_piece(draft, actor, knower, Binding("remote_control", target_state=OPEN))
    if linked:
        draft.inform(insider, actor, Controls(*linked, "open"))
    return bool(linked)


def mirror(draft: Draft, actor: str, knower: str, insider: str) -> bool:
    """Furniture in the locked room must end open; it moves together with one piece of the actor's room."""
    linked = _link_locked_piece(draft, actor, knower, Binding("state_mirroring"))
    if linked:
        draft.inform(insider, actor, Mirrors(*linked))
    return bool(linked)


def reverse(draft: Draft, actor: str, knower: str, insider: str) -> bool:
    """One of several pieces of furniture must end open, and works in reverse."""
    pieces = _class(draft, actor, "articulated", 2)
    if pieces is None:
        return False
    draft.mechanics.append(Binding("inverse_state", trigger_object=pieces[0]))
    draft.want(Atom(OPEN, (pieces[0],)), actor, knower, pieces[0])
    draft.inform(insider, actor, Inverse(pieces[0]))
    for other in pieces[1:3]:
        draft.keep(Atom(CLOSED, (other,)), actor, knower)
    return True


def _near(draft: Draft, actor: str, knower: str, how: str) -> bool:
    """Mostly with an object of the actor's own room, so that it need not search the house."""
    own = _lying(draft, (draft.own[actor],))
    if draft.draw.random() < 0.8 and _placing(draft, actor, knower, own, how):
        return True
    return _placing(draft, actor, knower, _lying(draft, draft.common), how)


def _lying(draft: Draft, rooms: Collection[str]) -> dict[str, str]:
    """The furniture of each object in ``rooms`` that nothing is said about."""
    places = placed_in(draft.scene).items()
    return {o: f for o, (f, room) in places if o not in draft.used and room in rooms}


def _shut_away(draft: Draft, o: str, f: str) -> bool:
    """Whether an object on or in ``f`` can be seen and taken only after ``f`` was opened."""
    return draft.scene.geometry.objects[o].relation != "on" and draft.scene.geometry.furniture[f].articulated


def _placing(
    draft: Draft,
    actor: str,
    knower: str,
    lies: Mapping[str, str],
    how: str,
    giver: str = "",
    far: bool = False,
) -> bool:
    """With an object of ``lies``; if ``far``, one that takes the actor two walks, if there is one."""
    pieces = _class(draft, actor, "top" if how == ON else "interior", 2)
    movable = [o for o in lies if not pieces or lies[o] not in pieces]
    if pieces is None or not movable:
        return False
    target = pieces[0]
    if far:
        movable = [o for o in movable if fewest(draft, actor, [(lies[o], target)]) >= FAR] or movable
    o = draft.draw.choice(movable)
    f = lies[o]
    draft.used |= {o, f}
    take = (f, f) if _shut_away(draft, o, f) else (f,)
    placing = (
        (target, target)
        if how == WITHIN and draft.scene.geometry.furniture[target].articulated
        else (target,)
    )
    draft.want(Atom(how, (o, target)), actor, knower, *(() if giver else (*take, *placing)))
    if giver:
        relation = draft.scene.geometry.objects[o].relation
        place = Fact(Atom(ON if relation == "on" else WITHIN, (o, f)))
        draft.tell(knower, place)
        # The giver says where it left the object; if another agent told the actor of it, the actor has to ask the giver.
        draft.news += [(giver, actor)] * REPORTS
        draft.tell(giver, Barred(actor, (draft.own[giver],)))
        draft.brings.append((giver, take))
        if knower != giver:
            draft.inform(knower, actor, place)
            draft.news.append((actor, giver))
    return True


def _class(draft: Draft, actor: str, use: Use, least: int) -> list[str] | None:
    """Pieces of one kind in the actor's own room that nothing is said about, in random order, now used."""
    several = [
        free
        for pieces in classes(draft.scene.scene_id, draft.own[actor], use)
        if len(free := [f for f in pieces if f not in draft.used]) >= least
    ]
    if not several:
        return None
    pieces = draft.draw.choice(several)
    draft.draw.shuffle(pieces)
    draft.used.update(pieces)
    return pieces


def _link_locked_piece(draft: Draft, actor: str, knower: str, mechanic: Binding) -> tuple[str, str] | None:
    """Furniture of the actor, and furniture in the locked room that is to end open and that ``mechanic`` links to it."""
    pieces = _class(draft, actor, "articulated", 2)
    inside = usable(draft.scene.scene_id, draft.locked, "articulated")
    free = [f for f in inside if f not in draft.used]
    if pieces is None or not free:
        return None
    target = draft.draw.choice(free)
    draft.used.add(target)
    draft.mechanics.append(replace(mechanic, trigger_object=pieces[0], target_object=target))
    draft.want(Atom(OPEN, (target,)), actor, knower, pieces[0])
    return pieces[0], target


FAR = 4
"""Turns to move an object, if a walk leads to it and another one to its place."""
BROUGHT = 5
"""Turns from when a thing was picked up to when another agent has put it in its place: each of the two walks and puts it
down, and the second one picks it up."""


def shortest(draft: Draft) -> int:
    """About the turns of the shortest plan with all secrets public.

    The parts of different actors are brought about at the same time. Hence the longest ones take as many turns as the
    shortest plan of the task (:mod:`..planning`), mostly exactly, and they are known before any plan is searched for.
    """
    alone = [fewest(draft, actor, parts) for actor, parts in draft.stops.items()]
    brought = [fewest(draft, giver, [stops]) + BROUGHT for giver, stops in draft.brings]
    return max((*alone, *brought), default=0)


def fewest(draft: Draft, agent: str, parts: Sequence[Sequence[str]]) -> int:
    """The fewest turns in which an agent carries out parts, one after another, from its start.

    Each part is the furniture that the agent acts on, in order. An act takes a turn, and so does a walk.
    """
    scene = draft.scene
    reached = [near for room in draft.rooms(agent) for near in _list_reachable(scene.scene_id, room)]
    start = scene.tables.reaches[f"centre:{draft.homes[agent]}"]
    orders = ([f for part in order for f in part] for order in permutations(parts))
    return min(len(stops) + _walks(stops, start, reached) for stops in orders)


@cache
def _list_reachable(scene_id: str, room: str) -> tuple[frozenset[str], ...]:
    """What is in reach of each spot of a room."""
    tables = load_scene(scene_id).tables
    return tuple(frozenset(tables.reaches[spot]) for spot in tables.spots if tables.rooms[spot] == room)


def _walks(stops: Iterable[str], start: Collection[str], reached: Sequence[Collection[str]]) -> int:
    """The fewest walks to spots that have the stops in reach, if each walk is put off as long as possible."""
    walks, near = 0, [start]
    for f in stops:
        still = [reach for reach in near if f in reach]
        if not still:
            walks += 1
            still = [reach for reach in reached if f in reach]
        near = still
    return walks
