"""Cooking plays again too: acts and deliveries are told, with what is in hands."""

from __future__ import annotations

from fractions import Fraction

import pytest

from otherminds import SeatSpec
from otherminds.core.scenario import Population, Scenario, Setup
from otherminds.gridworlds.cooking.cooks import COOKS, Cook
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.replay.page import as_page
from otherminds.gridworlds.replay.scenes import GridReplay, again
from otherminds.play.loop import play_now


@pytest.fixture(scope="module")
def kitchen() -> GridReplay:
    cook = COOKS["chef_0"]
    seats = ("ego", "partner_0")
    nobody = Population(((Fraction(1), (SeatSpec("chef_0"),)),))
    made = Scenario("kitchen", CookingWorld, nobody, lambda spec, seat: pytest.fail("both cooks are given"))
    minds = {seat: Cook(CookingWorld().rules, cook) for seat in seats}
    record, _ = play_now(Setup(made, minds, 2))
    return again(record, made)


def test_it_plays_again_as_it_was(kitchen: GridReplay) -> None:
    assert kitchen.fault == ""
    assert kitchen.last == 1000


def test_every_delivery_and_act_is_told(kitchen: GridReplay) -> None:
    record = kitchen.record
    deliveries = [happening for happening in kitchen.happenings if happening.stop]
    assert len(deliveries) > 5
    assert [happening.step - 1 for happening in deliveries] == [
        delivery["step"] for delivery in record.facts["deliveries"]
    ]
    assert len(kitchen.happenings) == sum(act["act"] != "stood around" for act in record.facts["acts"])


def test_hands_hold_what_was_taken_until_it_is_delivered(kitchen: GridReplay) -> None:
    soup = [thing.name for thing in kitchen.stage.things].index("soup")
    delivery = next(happening for happening in kitchen.happenings if happening.stop)
    (cook,) = delivery.seats
    assert kitchen.frames.counts[delivery.step - 1, cook, soup] == 1
    assert kitchen.frames.counts[delivery.step, cook].sum() == 0


def test_its_page_is_small(kitchen: GridReplay) -> None:
    assert len(as_page(kitchen)) < 70_000
