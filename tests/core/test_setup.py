"""A record says what was played: nothing in it can be given that the setup does not play."""

from __future__ import annotations

import dataclasses

import pytest

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Brief
from otherminds.core.errors import StudyError
from otherminds.core.record import BY_HAND, EpisodeSpec, SeatSpec
from otherminds.core.registry import Origin, Registry
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.games.player import Player
from otherminds.minds.registry import make_mind, minds
from otherminds.minds.tabular import RMax, Simulated
from otherminds.models.registry import open_model
from otherminds.play.loop import play_now
from otherminds.testing.episodes import body, played

TFT = {"partner_0": SeatSpec("tit_for_tat")}
RMAX = SeatSpec("rmax")


def ipd(rounds: int = 7):
    return scenario("ipd-tit_for_tat-v1", {"rounds": rounds})


def test_the_spec_of_a_record_is_what_was_played() -> None:
    record, _ = play_now(Setup(ipd(), {"ego": make_mind(RMAX)}, 3))
    assert record.spec == EpisodeSpec("ipd-tit_for_tat-v1", {"ego": RMAX, **TFT}, 3, {"rounds": 7})
    assert len(record.actions) == record.spec.options["rounds"]
    assert record.spec.rebuildable


def test_play_takes_nothing_beside_the_setup() -> None:
    """The lie that was possible: a spec that names another scenario, mind, model and length."""
    with pytest.raises(TypeError):
        play_now(EpisodeSpec("nonsense", {"ego": SeatSpec("lm")}, 0), ipd(), {"ego": RMax()})  # pyright: ignore
    with pytest.raises(TypeError):
        Setup(ipd(), {"ego": RMax()}, spec=EpisodeSpec("nonsense", {}, 0))  # pyright: ignore


def test_a_mind_made_by_hand_never_looks_like_a_registered_one() -> None:
    for mind in (RMax(), type("rmax", (RMax,), {})()):
        seat = Setup(ipd(), {"ego": mind}).spec.seats["ego"]
        assert seat.mind == f"{type(mind).__module__}:{type(mind).__qualname__}"
        assert not seat.rebuildable
    assert not Setup(ipd(), {"ego": RMax()}).spec.rebuildable
    with pytest.raises(StudyError, match="a name has no colon"):
        minds.add("otherminds.minds.tabular:RMax", RMax)


def test_parameters_of_a_mind_made_by_hand_are_those_it_has() -> None:
    mind = Simulated(accuracy=0.25)
    assert Participant(mind).spec(ipd()).params == {"accuracy": 0.25, "rationality": 1.0, "heeds": 0.0}
    mind.accuracy = 0.5
    assert Participant(mind).spec(ipd()).params == {"accuracy": 0.5, "rationality": 1.0, "heeds": 0.0}


def test_what_is_done_to_a_registered_mind_is_not_played() -> None:
    """It is made anew, by the name that the record holds."""
    plain, changed = (make_mind(SeatSpec("simulated", {"accuracy": 1.0})) for _ in range(2))
    changed.accuracy = 0.0  # pyright: ignore
    changed.act = None  # pyright: ignore
    one, two = (play_now(Setup(ipd(), {"ego": mind}, 2))[0] for mind in (plain, changed))
    assert one == two


def test_an_origin_taken_from_another_mind_is_played() -> None:
    liar = RMax()
    liar.origin = make_mind(SeatSpec("factored_rmax")).origin
    honest, record = (
        play_now(Setup(ipd(), {"ego": mind}, 2))[0] for mind in (make_mind(SeatSpec("factored_rmax")), liar)
    )
    assert record == honest


def test_a_registry_that_is_not_the_first_of_its_kind_names_nobody() -> None:
    false: Registry[type[Mind]] = Registry("mind", "otherminds.minds")
    false.add("lm", RMax)
    made = false.build("lm", {})
    made.origin = Origin(false, "lm", {})
    assert Setup(ipd(), {"ego": made}).spec.seats["ego"].mind == "otherminds.minds.tabular:RMax"


def test_parameters_and_options_cannot_be_changed_from_outside() -> None:
    options, params = {"rounds": 7}, {"accuracy": 1.0}
    built, mind = scenario("ipd-tit_for_tat-v1", options), make_mind(SeatSpec("simulated", params))
    setup = Setup(built, {"ego": mind})
    options["rounds"] = params["accuracy"] = 0
    setup.spec.options["rounds"] = 99
    again = Setup(built, {"ego": mind}).spec
    assert (again.options, again.seats["ego"].params) == ({"rounds": 7}, {"accuracy": 1.0})
    with pytest.raises(dataclasses.FrozenInstanceError):
        setup.seed = 9  # pyright: ignore
    with pytest.raises(TypeError):
        setup.minds["ego"] = RMax()  # pyright: ignore


def test_a_changed_scenario_is_no_registered_one() -> None:
    changed = dataclasses.replace(ipd(), world=ipd(9).world)
    spec = Setup(changed, {"ego": make_mind(RMAX)}).spec
    assert (spec.scenario, spec.options) == (f"{BY_HAND}ipd-tit_for_tat-v1", {})
    assert not spec.rebuildable
    with pytest.raises(dataclasses.FrozenInstanceError):
        changed.origin = ipd().origin  # pyright: ignore
    with pytest.raises(TypeError):
        ipd().minds["lm"] = RMax  # pyright: ignore


def test_minds_of_a_scenario_are_named_in_it_alone() -> None:
    kitchen = scenario("cooking-asymmetric-0-v1", {"steps": 5})
    cook = kitchen.make("cook", {})
    assert Participant(cook).spec(kitchen) == SeatSpec("cook")
    assert ":" in Participant(cook).spec(ipd()).mind
    by_hand = dataclasses.replace(kitchen, minds={"lm": RMax})
    assert ":" in Participant(by_hand.make("lm", {})).spec(by_hand).mind


def test_the_model_is_the_one_that_is_used() -> None:
    mind = make_mind(SeatSpec("qa", model="openai:gpt"))
    record = played(Setup(ipd(2), {"ego": Participant(mind, open_model("scripted:first"))}))
    assert record.spec.seats["ego"].called == "qa@scripted:first"
    with pytest.raises(StudyError, match="uses no language model; leave out 'scripted:first'"):
        Participant(make_mind(RMAX), open_model("scripted:first"))
    with pytest.raises(StudyError, match="partner 'tit_for_tat' in seat 'partner_0' uses no model"):
        Setup(ipd(), {"ego": RMax()}, partners={"partner_0": SeatSpec("tit_for_tat", model="gpt")})


def test_a_setup_is_a_value_and_grants_what_its_minds_need() -> None:
    setup = Setup(ipd(30), {"ego": make_mind(SeatSpec("simulated", {"accuracy": 0.5}))}, 5)
    assert setup.spec.grants == {"ego": ("payoffs", "policy")}
    one, two = (play_now(setup)[0] for _ in range(2))
    assert body(one) == body(two)


def test_seats_are_filled_once() -> None:
    with pytest.raises(StudyError, match=r"seat 'partner_0' of .* has two minds"):
        Setup(ipd(), {"ego": RMax(), "partner_0": RMax()}, partners=TFT)
    with pytest.raises(StudyError, match="has no seat 'partner_1'; it has ego, partner_0"):
        Setup(ipd(), {"ego": RMax(), "partner_1": RMax()})


class Fussy(Player):
    def suits(self, brief: Brief, context: MindContext) -> str | None:
        return "it plays on Sundays alone; wait"


def test_a_mind_that_does_not_fit_is_refused_with_its_reason() -> None:
    with pytest.raises(
        StudyError, match=r"test_setup:Fussy' does not fit seat 'ego' of 'ipd-.*Sundays alone; wait"
    ):
        play_now(Setup(ipd(), {"ego": Fussy()}))
