"""Interventions in encounters: what is shown, and that its use is recovered."""

from itertools import product

import pytest

import otherminds as om
from otherminds.core.record import Record, SeatSpec
from otherminds.household.acted_beliefs.contexts import PARTNER
from otherminds.household.acted_beliefs.evidence import weigh_encounters
from otherminds.household.acted_beliefs.rules import read_rules
from otherminds.household.acted_beliefs.scenarios import name_scenario
from otherminds.household.acted_beliefs.stage_games import GAMES
from otherminds.measures.episode import summarise
from otherminds.measures.interventions import ArmRow, arm_rows, episode_conduct, notices_shown
from otherminds.measures.registry import Unknown
from otherminds.measures.weighed_acts import find_exchange
from otherminds.play.interventions import INTERVENTIONS, NONE
from tests.cases import depth, for_each

SHOWING = ("grant_prediction", "grant_belief", "inject_own", "inject_advice")
"""The arms whose notice names a place."""


def play_arm(scenario: str, arm: str, seed: int, mind: str = "acts_at_random", heeds: float = 0.0) -> Record:
    """An episode of one arm."""
    return om.play(scenario, SeatSpec(mind, {"heeds": heeds} if heeds else {}), seed=seed, intervention=arm)


@for_each("game", GAMES)
def test_what_is_shown_is_true_or_false_as_the_arm_says(game: str) -> None:
    for seed in range(4):
        shown = {arm: notices_shown(play_arm(name_scenario(game, "second"), arm, seed)) for arm in SHOWING}
        record = play_arm(name_scenario(game, "second"), NONE, seed)
        rules, acts = read_rules(record), weigh_encounters(record)
        assert rules is not None
        assert isinstance(acts, list)
        for number, (context, act) in enumerate(zip(rules.contexts, acts, strict=True)):
            at = number * rules.stage.steps
            first = {arm: dict(reversed(notices))[at] for arm, notices in shown.items()}
            assert first["grant_prediction"].behaviour == act.coming
            assert first["grant_belief"].text.endswith(f"on {rules.names[context.view.thinks[0]]}.")
            assert first["inject_own"].behaviour == first["inject_advice"].behaviour != act.coming


def rows_of(
    scenario: str, arms: tuple[str, ...], mind: str, heeds: float, first: int = 0
) -> dict[str, ArmRow]:
    """The rows of a study of 36 episodes."""
    conducts = [
        episode_conduct(play_arm(scenario, arm, seed, mind, heeds))
        for arm, seed in product((NONE, *arms), range(first, first + 36))
    ]
    return {row.arm: row for row in arm_rows({}, [conduct for conduct in conducts if conduct])}


@pytest.mark.parametrize("studies", depth(1, 20))
@pytest.mark.parametrize("heeds", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_the_share_of_use_is_recovered(heeds: float, studies: int) -> None:
    """Over false predictions and true ones, on average over studies within .05; in each within its interval."""
    uses: list[float] = []
    for study in range(studies):
        rows = rows_of(
            "acted_beliefs-meet-first-v1",
            ("grant_prediction", "inject_own"),
            "acts_at_random",
            heeds,
            36 * study,
        )
        for row in rows.values():
            assert row.use.mean is not None
            uses.append(row.use.mean)
    assert sum(uses) / len(uses) == pytest.approx(heeds, abs=0.05)


@for_each("game", GAMES)
def test_a_reminder_changes_nothing_for_a_mind_that_uses_all_it_knows(game: str) -> None:
    for seed in range(6):
        arms = {arm: play_arm(name_scenario(game, "second"), arm, seed, "bayes") for arm in (NONE, "remind")}
        assert arms["remind"].actions == arms[NONE].actions
        assert arms["remind"].rewards == arms[NONE].rewards


def test_who_is_told_the_type_loses_nothing_any_more() -> None:
    row = rows_of("acted_beliefs-meet-second-v1", ("grant_type",), "acts_at_random", 1.0)["grant_type"]
    assert row.loss.mean == pytest.approx(0, abs=1e-9)
    assert row.removed.mean == pytest.approx(1, abs=1e-9)


def test_another_partner_comes_at_the_start_of_an_encounter() -> None:
    for encounters in (5, 6):
        record = om.play(
            "acted_beliefs-tell-first-v1",
            "bayes",
            seed=3,
            options={"encounters": encounters},
            intervention="swap",
        )
        acts = weigh_encounters(record)
        assert isinstance(acts, list)
        assert len(acts) == encounters
        exchange = find_exchange(record)
        assert exchange is not None
        assert exchange.step == encounters // 2 * 2
        assert record.partners[PARTNER].name == f"{exchange.first}, then {exchange.second}"


def test_only_episodes_without_an_intervention_have_a_verdict() -> None:
    for arm in INTERVENTIONS:
        evidence = summarise(play_arm("acted_beliefs-meet-first-v1", arm, 0)).evidence
        assert isinstance(evidence, Unknown) == (arm != NONE)
