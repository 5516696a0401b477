"""Scenarios with scripted partners: what partners do to each other, skills, text, and that no verdict is given."""

from __future__ import annotations

from random import Random

import pytest

import otherminds as om
from otherminds.core.contracts import Controller
from otherminds.core.data import Encounter, Ended, Moment, SkillChoice, Turn
from otherminds.core.errors import StudyError
from otherminds.core.scenario import scenario, scenarios
from otherminds.gridworlds.commons.acts import ATE, BEHAVIOURS, CLEANED, NONE, OTHERS, OWN, ZAPPED
from otherminds.gridworlds.commons.partners import MANNERS
from otherminds.gridworlds.commons.rules import SUBSTRATES
from otherminds.gridworlds.commons.skills import SPARE, WAIT
from tests.cases import for_each

FAMILY = [f"{name.removesuffix('-v1')}-{which}-v1" for name in SUBSTRATES for which in (*MANNERS, "mixed")]


def play(name: str, mind: str, seed: int = 0, **options: int) -> om.Record:
    return om.play(name, mind, seed=seed, options=options)


def count(record: om.Record, seat: str, act: str) -> int:
    return record.facts["acts"][seat][act]


@for_each("name", FAMILY)
def test_scenarios_say_that_there_is_no_verdict(name: str) -> None:
    assert name in scenarios
    made = scenario(name, {})
    assert "no F and no verdict" in made.caution
    assert made.bounds is not None
    bounds = made.bounds({})
    assert (bounds.informed, bounds.best, bounds.blind) == (None, None, None)


@pytest.mark.parametrize("name", ["coins-mixed-v1", "clean-up-mixed-v1"])
def test_reports_measure_nothing_and_ask_for_no_reference_mind(name: str) -> None:
    records = [play(name, mind, seed, steps=40) for mind in ("noop", "random") for seed in range(2)]
    report = om.report(records)
    assert {verdict.kind for verdict in report.verdicts} == {"not measured"}
    assert not any("no choice" in verdict.sentence for verdict in report.verdicts)
    assert not any("reference mind informed" in str(row["reasons"]) or row["estimated"] for row in report)
    assert "no F and no verdict" in str(report[0]["reasons"])
    assert str(report).startswith("scenario")


def test_learners_are_told_that_there_are_no_compiled_partners() -> None:
    for substrate in SUBSTRATES:
        with pytest.raises(StudyError, match=f"{substrate} has no compiled partners for learners"):
            om.make(substrate, partners=substrate.replace("-v1", "-mixed-v1"))


def test_options_that_make_no_sense_are_refused() -> None:
    for options in ({"noise": 2.0}, {"steps": 0}):
        with pytest.raises(StudyError):
            scenario("coins-mixed-v1", options)


def test_partners_in_coins_harm_spare_or_answer() -> None:
    """A cooperator takes nothing of the other's, a defector does, a reciprocator does as far as the other did."""
    harm = {
        (mind, partner): count(play(f"coins-{partner}-v1", mind, steps=600), "partner_0", OTHERS)
        for mind, partner in (
            ("cooperator", "cooperator"),
            ("cooperator", "defector"),
            ("cooperator", "reciprocator"),
            ("defector", "reciprocator"),
        )
    }
    assert harm["cooperator", "cooperator"] == harm["cooperator", "reciprocator"] == 0
    assert harm["cooperator", "defector"] > 3
    assert harm["defector", "reciprocator"] > 3


def test_the_river_stays_clean_where_players_clean() -> None:
    eaten = {}
    for manner in ("cooperator", "defector"):
        record = play(f"clean-up-{manner}-v1", manner, steps=250)
        eaten[manner] = sum(count(record, seat, ATE) for seat in record.facts["acts"])
        assert (sum(count(record, seat, CLEANED) for seat in record.facts["acts"]) > 0) == (
            manner == "cooperator"
        )
    assert eaten["cooperator"] > 100 > 3 * eaten["defector"]


def test_apples_last_where_players_spare_the_last_ones() -> None:
    eaten = {}
    for manner in ("cooperator", "defector"):
        record = play(f"harvest-open-{manner}-v1", manner, steps=300)
        eaten[manner] = sum(count(record, seat, ATE) for seat in record.facts["acts"])
    assert eaten["cooperator"] > 1.3 * eaten["defector"]


def run_skill(name: str, skill: str, steps: int = 120) -> tuple[list[str], Ended]:
    """What the seat under test did while it ran a skill alone, the others standing still; and how that ended."""
    made = scenario(name, {})
    world = made.world()
    observations, infos = world.reset(seed=3)
    controller: Controller = made.skills[skill](world.brief("ego"), Random(3))
    did: list[str] = []
    for t in range(steps):
        met = infos["ego"].get("encounters", ())
        did += [act for encounter in met for act in encounter.did.get("ego", ())]
        action = controller(Moment(t, observations["ego"], encounters=met))
        if isinstance(action, Ended):
            return did, action
        actions = dict.fromkeys(world.agents, 0) | {"ego": action}
        observations, _, _, _, infos = world.step(actions)
    raise AssertionError("the skill went on")


def test_skills_show_their_behaviour() -> None:
    for name, skill in (
        ("harvest-open-mixed-v1", ATE),
        ("clean-up-mixed-v1", CLEANED),
        ("harvest-open-mixed-v1", ZAPPED),
        ("clean-up-mixed-v1", ZAPPED),
    ):
        did, end = run_skill(name, skill)
        assert end.ok, (name, skill, end)
        assert skill in did
    assert run_skill("harvest-open-mixed-v1", SPARE)[0] == [ATE]


def test_a_skill_gives_up_and_waiting_ends() -> None:
    did, end = run_skill("clean-up-mixed-v1", ATE)  # Nobody cleans, so no apple comes
    assert (did, end.ok) == ([], False)
    assert run_skill("coins-mixed-v1", NONE)[1].ok


@for_each("name", SUBSTRATES)
def test_a_newcomer_is_told_what_pays_what_can_be_chosen_and_what_is_seen(name: str) -> None:
    made = scenario(name.replace("-v1", "-mixed-v1"), {})
    world = made.world()
    observations, _ = world.reset(seed=1)
    assert made.verbalizer is not None
    words = made.verbalizer(made.drawn(0), "ego")
    text = words.rules(world.brief("ego"))
    law = SUBSTRATES[name].law
    wanted = {
        "chance": ("gets 1", "it loses 2", "own:", "other:"),
        "density": ("a patch that is eaten up is lost", "eat:", "fire:"),
        "cleanness": ("not at all while 40 percent", "clean:", "This pays nothing", "50 steps"),
    }[law]
    for part in (*wanted, "wait: do nothing", "Your score is the sum"):
        assert part in text
    moment = Moment(0, observations["ego"])
    told = words.tell(moment)
    assert told.startswith("Step 0. You are at (")
    assert "In view:" in told
    ask = words.ask(Turn(), moment)
    options = {choice.name for choice in ask.options}
    more = {"chance": set[str](), "density": {SPARE, WAIT}, "cleanness": {WAIT}}
    assert options == {*BEHAVIOURS[law]} | more[law]
    reply = ask.template.format("wait")
    assert words.read(ask, reply) == SkillChoice(NONE if law == "chance" else WAIT)


def test_what_happened_is_told_and_summed_up() -> None:
    made = scenario("coins-mixed-v1", {})
    world = made.world()
    observations, _ = world.reset(seed=1)
    assert made.verbalizer is not None
    words = made.verbalizer(made.drawn(0), "ego")
    both = Encounter(4, {"ego": (OWN,), "partner_0": (OTHERS,)}, -1.0)
    moment = Moment(5, observations["ego"], -1.0, (both,))
    told = words.tell(moment)
    assert "You took a coin of your own colour." in told
    assert "The other player took a coin of your colour. You get -1." in told
    summary = words.summary([moment])
    assert "own: 1" in summary
    assert "coins of yours that the other player took: 1" in summary
    assert "got -1 in all" in summary
    assert "The episode is over." in words.tell(Moment(9, observations["ego"], last=True))
