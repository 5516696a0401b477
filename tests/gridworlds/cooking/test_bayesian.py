"""The Bayesian cook finds out whom it has beside it, plays what the informed plays, and says what it thinks."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from otherminds.core.contracts import Mind
from otherminds.core.data import THINKING, Encounter, Partner, Thinking
from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario, Setup, scenario
from otherminds.gridworlds.cooking.acts import BEHAVIOURS, DELIVERED, FILLED_POT, STOOD
from otherminds.gridworlds.cooking.bayesian import CHANGED, KINDS, SURE, BayesianCook, _came
from otherminds.gridworlds.cooking.cooks import COOKS, Cook
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC as RULES
from otherminds.gridworlds.grid.rules import NOOP
from otherminds.play.loop import play_now
from otherminds.testing import MindConformance
from tests.cases import for_each, thinned

SOON = 30
"""Steps in which a cook has filled both pots and must know whether anybody will serve."""
STOPS = 200
BY_NAME = {kind.name: i for i, kind in enumerate(KINDS)}


class TestBayesianCook(MindConformance):
    seeds = (0, 1)

    def make_mind(self) -> Mind:
        return BayesianCook(RULES)

    def make_scenario(self) -> Scenario:
        return scenario("cooking-asymmetric-mixed-v1", {"steps": 60})


@cache
def played(which: str, name: str, seed: int, steps: int = 500) -> Record:
    built = scenario(f"cooking-asymmetric-{which}-v1", {"steps": steps})
    mind = built.minds[name]()
    return play_now(Setup(built, {"ego": mind}, seed))[0]


def thinking(record: Record) -> list[tuple[int, Thinking]]:
    return [
        (note.step, msgspec.convert(note.data, Thinking)) for note in record.notes if note.kind == THINKING
    ]


def right(record: Record) -> tuple[int, int]:
    """How many answers were right, and how many have a truth."""
    asked = [asked for asked in record.asked if asked.truth is not None]
    return sum(one.answer == one.truth for one in asked), len(asked)


def test_that_it_knows_who_is_met_is_a_declared_grant() -> None:
    met = {name for pool in RULES.scenarios for name in pool.cooks}
    assert met <= {*BY_NAME}
    assert BayesianCook.grants == {"family"}
    assert played("0", "bayesian", 0, 10).spec.grants["ego"] == ("family",)
    built = scenario("cooking-asymmetric-0-v1", {"steps": 10})
    with pytest.raises(StudyError, match=r"needs the grants \['family'\]"):
        play_now(Setup(built, {"ego": BayesianCook(RULES)}, grants={"ego": ()}))


def test_the_grant_itself_tells_nothing() -> None:
    world = scenario("cooking-asymmetric-0-v1", {"steps": 10}).world()
    heard = [world.reset(3, {"grants": {"ego": grants}}) for grants in ({}, {"family": True})]
    assert repr(heard[0]) == repr(heard[1])
    assert not world.brief("ego").partners
    assert not world.brief("ego").secrets


@pytest.mark.parametrize("seed", thinned(range(4), 4))
def test_beside_one_who_does_nothing_it_earns_what_the_informed_earns(seed: int) -> None:
    mine, informed = played("2", "bayesian", seed), played("2", "informed", seed)
    assert mine.total("ego") >= 0.95 * informed.total("ego") > 0
    found = [step for step, thought in thinking(mine) if thought.used == BY_NAME["noop_bot"]]
    assert min(found) <= SOON
    last = thinking(mine)[-1][1]
    assert last.target == "alone"
    assert last.validated == BY_NAME["noop_bot"]


@pytest.mark.parametrize(("which", "seed"), thinned([("0", 0), ("0", 1), ("1", 1), ("1", 0)], 2))
def test_beside_who_works_it_loses_nothing(which: str, seed: int) -> None:
    assert played(which, "bayesian", seed).total("ego") == played(which, "informed", seed).total("ego")


def test_it_tells_one_who_does_nothing_from_one_who_works() -> None:
    for seed in range(6):
        record = played("mixed", "bayesian", seed, 200)
        met, last = record.partners["partner_0"].name, thinking(record)[-1][1]
        nobody = last.thoughts[BY_NAME["noop_bot"]].value
        assert nobody > SURE if met == "noop_bot" else nobody < 0.01, met


def test_it_foresees_more_than_who_goes_by_hands_alone() -> None:
    def share(name: str) -> float:
        counts = [right(played(which, name, seed)) for which in ("0", "1") for seed in range(2)]
        return sum(hits for hits, _ in counts) / sum(of for _, of in counts)

    assert share("bayesian") > max(0.9, share("cook"))


def test_it_writes_its_belief_down_after_encounters_and_when_it_has_changed() -> None:
    record = played("0", "bayesian", 1, 400)
    written = thinking(record)
    met = [encounter.step + 1 for encounter in record.met["ego"]]
    assert written[0][0] == 0
    assert {*met} <= {step for step, _ in written}
    assert len(written) < len(met) + 15
    for (_, before), (step, now) in pairwise(written):
        values = [thought.value for thought in now.thoughts]
        assert sum(values) == pytest.approx(1, abs=1e-4)
        assert values[now.used or 0] == max(values)
        assert (now.validated is not None) == (max(values) >= SURE)
        moved = sum(abs(a.value - b.value) for a, b in zip(now.thoughts, before.thoughts, strict=True)) / 2
        assert step in met or moved >= CHANGED - 1e-5
        for thought, earlier in zip(now.thoughts, before.thoughts, strict=True):
            assert thought.predicts in BEHAVIOURS
            assert thought.hit == (None if now.came is None else earlier.predicts == now.came)
    assert written[-1][1].encounter == len(met)
    assert {one.scale for _, one in written} == {"probability"}
    assert [thought.text for thought in written[0][1].thoughts] == [kind.sentence for kind in KINDS]


@for_each(
    ("did", "came"),
    [
        ((FILLED_POT, DELIVERED), FILLED_POT),
        ((STOOD,), STOOD),
        (BEHAVIOURS, None),
        (tuple(b for b in BEHAVIOURS if b != DELIVERED), None),
    ],
)
def test_what_came_is_the_first_act_that_is_known(did: tuple[str, ...], came: str | None) -> None:
    assert _came(Encounter(3, {"ego": (DELIVERED,), "partner_0": did}, 20.0), "partner_0") == came


class Leaves(Cook):
    """Keeps to what its room is for, and stops working for good."""

    async def act(self) -> Any:
        made = await super().act()
        return NOOP if self._kitchen.step >= STOPS else made


@pytest.mark.parametrize("seed", thinned(range(4), 2))
def test_it_takes_over_when_its_teammate_stops_working(seed: int) -> None:
    built = replace(
        scenario("cooking-asymmetric-0-v1", {"steps": 500}),
        partner=lambda spec, seat: (Leaves(RULES, COOKS["chef_0"]), Partner("leaves")),
    )
    earned: dict[str, float] = {}
    for name in ("bayesian", "noop"):
        mind = built.minds[name]()
        record, _ = play_now(Setup(built, {"ego": mind}, seed))
        earned[name] = sum(met.reward for met in record.met["ego"] if met.step >= STOPS + 50)
    assert earned["bayesian"] >= 5 * RULES.pay > earned["noop"]
