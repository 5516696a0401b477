"""The chapter of a report on encounters."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

import otherminds as om
from otherminds.core.record import Outcome, Record
from otherminds.household.acted_beliefs.chapter import (
    EncounterRow,
    collect_encounters,
    judge_by_order,
    write_sheets,
)
from otherminds.play.interventions import NONE

SCENARIO = "acted_beliefs-meet-second-v1"
EPISODES = 36


def rows_of(records: Iterable[Record], planned: int = EPISODES) -> dict[int, EncounterRow]:
    """The rows of one mind, by order."""
    details = [detail for record in records if (detail := collect_encounters(record))]
    mind = details[0].mind
    return {row.order: row for row in judge_by_order({(SCENARIO, mind): planned}, details)}


def play_study(mind: str, **options: object) -> list[Record]:
    return [om.play(SCENARIO, mind, seed=seed, options=options) for seed in range(EPISODES)]


def test_each_order_is_judged_by_its_own_episodes() -> None:
    rows = rows_of(play_study("first_order"))
    assert rows.keys() == {0, 1, 2}
    assert {order: row.episodes for order, row in rows.items()} == {0: 18, 1: 9, 2: 9}
    assert rows[0].verdict is None
    assert rows[1].verdict is not None
    assert rows[1].verdict.kind == "uses"
    assert rows[2].verdict is not None
    assert rows[2].verdict.kind == "no evidence"
    assert rows[2].verdict.episodes == rows[2].verdict.planned == 9


def test_losses_count_against_the_order_in_which_they_happen() -> None:
    """Breaking off in half of the episodes of one order is seen in the row of this order, and in no other."""
    records = play_study("bayes")
    second = [i for i, record in enumerate(records) if record.partners["agent_1"].name == "second_order"]
    for i in second[::2]:
        broken = replace(records[i], actions=records[i].actions[:-1], rewards=records[i].rewards[:-1])
        records[i] = replace(broken, outcome=Outcome("invalid", "reply", "mumbled", 11))
    rows = rows_of(records)
    assert rows[1].verdict is not None
    assert (rows[1].verdict.lost, rows[1].verdict.kind) == (0, "uses")
    assert rows[2].verdict is not None
    assert (rows[2].verdict.lost, rows[2].verdict.episodes) == (5, 9)
    assert rows[2].verdict.kind != "uses"


def test_missing_episodes_count_in_every_order() -> None:
    rows = rows_of(play_study("bayes")[:30])
    for order in (1, 2):
        verdict = rows[order].verdict
        assert verdict is not None
        assert verdict.planned == verdict.episodes + 6


def test_true_and_false_beliefs_are_apart() -> None:
    """Who answers from its own side is right where the partner goes to the thing, and nowhere else."""
    for row in rows_of(play_study("reality_bias")).values():
        assert row.true_belief[0] == row.true_belief[1] > 0
        assert row.false_belief[0] == 0 < row.false_belief[1]


def test_answers_about_beliefs_have_a_table_of_their_own() -> None:
    rows = rows_of(play_study("informed", belief_questions=True)[:4], planned=4)
    assert all(row.thoughts[1] == row.nested[1] for row in rows.values())
    titles = [sheet.title for sheet in write_sheets(list(rows.values()))]
    assert titles == ["acted beliefs by order", "beliefs that were asked for"]
    without = write_sheets(list(rows_of(play_study("informed")[:4], planned=4).values()))
    assert [sheet.title for sheet in without] == titles[:1]


@pytest.mark.parametrize("arm", [NONE, "remind", "swap"])
def test_an_episode_under_an_intervention_is_not_judged(arm: str) -> None:
    record = om.play(SCENARIO, "bayes", seed=1, intervention=arm)
    assert (collect_encounters(record) is None) == (arm != NONE)
