"""Real rooms come out as the household's furniture, with what lies on and in it."""

from __future__ import annotations

import pytest
from tools.houses.data import Thing
from tools.houses.draft import Draft, has_top
from tools.houses.real_rooms import real_room

from otherminds.household.scenes.scene import Triple

FLOOR = Thing("Floor", "Floor", (0.0, -0.05, 0.0), (4.4, 0.1, 5.4), "r")


def thing(kind: str, at: Triple, size: Triple, flags: str = "", on: str = "") -> Thing:
    return Thing(kind, f"{kind}|{at}", at, size, flags, (on,) if on else None)


def room(*things: Thing) -> Draft:
    corners = [thing("Painting", (x, 1.5, z), (0.02, 0.5, 0.02)) for x in (-2.0, 2.0) for z in (-2.5, 2.5)]
    return real_room("kitchen", [FLOOR, *corners, *things])


def kinds(draft: Draft) -> list[str]:
    return sorted(piece.kind for piece in draft.pieces)


def test_the_outline_is_where_the_things_end_not_where_the_floor_does() -> None:
    assert room().polygon[2] == (4.1, 5.1)


def test_a_floor_above_or_below_nothing_is_taken_as_level_nothing() -> None:
    raised = Thing("Floor", "Floor", (0.0, 0.15, 0.0), (4.0, 0.1, 5.0), "r")
    draft = real_room("bedroom", [raised, thing("Bed", (0.0, 0.5, 0.0), (1.6, 0.6, 2.0))])
    assert draft.pieces[0].ends[0] == pytest.approx(0.0)


def test_chairs_and_desks_are_furniture() -> None:
    desk = thing("Desk", (0.0, 0.4, 2.2), (1.2, 0.8, 0.6), "r")
    assert kinds(room(desk, thing("Chair", (0.0, 0.4, 1.5), (0.5, 0.9, 0.5)))) == ["chair", "desk"]


def test_drawers_belong_to_their_dresser_and_stacked_ones_alone_become_one_cabinet() -> None:
    dresser = thing("Dresser", (0.0, 0.4, 2.2), (1.0, 0.8, 0.5), "r")
    inner = thing("Drawer", (0.0, 0.3, 2.2), (0.9, 0.2, 0.4), "or")
    stack = [thing("Drawer", (-1.7, y, 0.0), (0.4, 0.2, 0.4), "or") for y in (0.2, 0.45, 0.7)]
    watch = thing("Watch", (0.1, 0.3, 2.2), (0.1, 0.02, 0.1), "p", inner.id)
    fork = thing("Fork", (-1.7, 0.45, 0.0), (0.2, 0.02, 0.03), "p", stack[1].id)
    draft = room(dresser, inner, *stack, watch, fork)
    assert kinds(draft) == ["cabinet", "chest_of_drawers"]
    assert {one.kind: (one.relation, one.bearer.kind if one.bearer else "") for one in draft.objects} == {
        "watch": ("within", "chest_of_drawers"),
        "fork": ("within", "cabinet"),
    }


def test_four_burners_are_one_stove() -> None:
    burners = [
        thing("StoveBurner", (x, 0.93, z), (0.2, 0.03, 0.2), "r") for x in (0, 0.4) for z in (2.1, 2.3)
    ]
    assert kinds(room(*burners)) == ["stove"]


def test_a_countertop_round_a_corner_becomes_two_counters_along_the_walls() -> None:
    top = thing("CounterTop", (-0.8, 0.9, -1.2), (2.4, 0.02, 2.6), "r")
    bowl = thing("Bowl", (-1.8, 0.95, -0.5), (0.2, 0.1, 0.2), "prd", top.id)
    lost = thing("Apple", (0.2, 0.95, 0.0), (0.1, 0.1, 0.1), "p", top.id)
    draft = room(top, bowl, lost)
    assert kinds(draft) == ["counter", "counter"]
    assert all(piece.ends[0] == 0.0 for piece in draft.pieces)
    assert all(min(piece.box.size[0], piece.box.size[2]) <= 0.66 for piece in draft.pieces)
    assert [one.kind for one in draft.objects] == ["bowl"]


def test_an_island_stays_as_it_is() -> None:
    draft = room(thing("CounterTop", (0.0, 1.1, 0.0), (1.1, 0.02, 2.0), "r"))
    assert draft.pieces[0].box.size == pytest.approx((1.1, 1.11, 2.0))


def test_what_juts_out_is_cut_off_and_what_is_outside_left_out() -> None:
    jutting = thing("Fridge", (2.0, 0.9, 0.0), (0.8, 1.8, 0.7), "or")
    outside = thing("Sofa", (5.0, 0.4, 0.0), (0.9, 0.8, 2.0), "r")
    draft = room(jutting, outside)
    assert kinds(draft) == ["fridge"]
    box = draft.pieces[0].box
    assert box.centre[0] + box.size[0] / 2 <= draft.polygon[2][0]


def test_of_many_cabinets_those_with_something_within_are_kept() -> None:
    cabinets = [thing("Cabinet", (-1.8, 0.45, z / 2), (0.4, 0.8, 0.4), "or") for z in range(-4, 5)]
    cup = thing("Cup", (-1.8, 0.4, 2.0), (0.1, 0.1, 0.1), "prd", cabinets[-1].id)
    draft = room(*cabinets, cup)
    assert kinds(draft) == ["cabinet"] * 4
    assert [one.relation for one in draft.objects] == ["within"]


def test_objects_lie_on_tops_within_what_opens_and_on_the_floor() -> None:
    table = thing("DiningTable", (0.0, 0.4, 0.0), (1.0, 0.8, 1.0), "r")
    fridge = thing("Fridge", (1.6, 0.9, 2.0), (0.7, 1.8, 0.7), "or")
    draft = room(
        table,
        fridge,
        thing("RemoteControl", (0.2, 0.82, 0.1), (0.1, 0.03, 0.2), "p", table.id),
        thing("Egg", (1.6, 0.8, 2.0), (0.06, 0.06, 0.06), "p", fridge.id),
        thing("TeddyBear", (-1.0, 0.2, 1.0), (0.3, 0.3, 0.3), "p", "Floor|here"),
        thing("DeskLamp", (-0.2, 1.0, 0.1), (0.2, 0.4, 0.2), "t", table.id),
        thing("Window", (0.0, 1.5, 2.5), (1.0, 1.0, 0.1)),
    )
    assert {one.kind: one.relation for one in draft.objects} == {
        "remote_control": "on",
        "egg": "within",
        "teddy_bear": "floor",
        "lamp": "on",
    }
    assert has_top(draft.pieces[0], draft)
