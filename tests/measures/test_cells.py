"""Cells: accounting, extremes, order, reasons, and what a report is made of."""

from __future__ import annotations

from math import isclose

import msgspec
import pytest
from msgspec.structs import replace

import otherminds as om
from otherminds import Record, SeatSpec
from otherminds.core.data import Invalid
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.record import OUTCOMES, Call, Outcome, Status
from otherminds.measures.cells import Cell, tabulate
from otherminds.measures.episode import summarise
from otherminds.measures.literal import NOT_ASKED
from otherminds.measures.registry import Unknown, measures

RPS = ("rps-single-v1", "scripted")


def follow(history: list[tuple[int, int]]) -> int:
    return (history[-1][1] + 1) % 3 if history else 0


def predict(history: list[tuple[int, int]]) -> int:
    return history[-1][1] if history else 0


def broken(play, seed: int) -> Record:
    """Ego gives an invalid reply in round 3."""
    return play(RPS[0], lambda h: Invalid("gibberish") if len(h) == 2 else 0, predict, seed, rounds=10)


def failed(play, seed: int) -> Record:
    record = play(RPS[0], follow, predict, seed, rounds=10)
    record.outcome = Outcome("failed", "provider", "no answer", 4)
    return record


def full(play, n: int = 6, **options: object) -> list[Record]:
    return [play(RPS[0], follow, predict, seed, rounds=10, **options) for seed in range(n)]


def test_the_order_is_the_plan_s(play) -> None:
    planned = {("ibs-single-v1", "b"): 1, ("rps-single-v1", "a"): 1, ("rps-single-v1", "b"): 1}
    records = [play(s, lambda h: 0, predict, label=mind, rounds=4) for s, mind in reversed(planned)]
    assert [(cell.scenario, cell.mind) for cell in tabulate(planned, records)] == list(planned)


def test_every_planned_episode_is_accounted_for(play) -> None:
    records = [*full(play), broken(play, 6), failed(play, 7), failed(play, 8)]
    cell = tabulate({RPS: 12}, records)[0]
    assert (cell.planned, cell.scored, cell.invalid, cell.failed, cell.missing) == (12, 6, 1, 2, 3)
    assert cell.causes == {"reply": 1, "provider": 2}
    only = tabulate({RPS: 6}, full(play))[0]
    assert cell.delta_functional == only.delta_functional
    assert cell.reward == only.reward


def test_best_and_worst_case_of_what_is_missing(play) -> None:
    """Scored regret is .1; an unscored episode loses 0 at best, 2 a round at worst (100 against −100)."""
    cell = tabulate({RPS: 9}, [*full(play), broken(play, 6), failed(play, 7)])[0]
    assert isclose(cell.delta_functional.mean, 0.1)
    assert isclose(cell.at_best, 0.1 * 6 / 9)
    assert isclose(cell.at_worst, (0.1 * 6 + 2 * 3) / 9)
    done = tabulate({RPS: 6}, full(play))[0]
    assert isclose(done.at_best, done.at_worst)


def test_the_worst_case_knows_the_partner_that_was_met(play) -> None:
    """IBS against always-1: at worst 7 a round is lost, not the game's 10."""
    act = (lambda h: Invalid("no") if len(h) == 1 else 1, lambda h: 1)
    records = [
        play("ibs-single-v1", lambda h: 0, lambda h: 0, 0, rounds=5),
        play("ibs-single-v1", *act, 1, rounds=5),
    ]
    cell = tabulate({("ibs-single-v1", "scripted"): 2}, records)[0]
    assert (cell.at_best, cell.at_worst) == (0, 3.5)


def test_nothing_scored_yet() -> None:
    cell = tabulate({RPS: 3}, [])[0]
    assert (cell.scored, cell.missing, cell.reward, cell.invalid_share) == (0, 3, None, None)
    assert cell.functional.mean is None
    assert cell.functional.reason == "no episode was scored"


def test_records_of_another_study_are_refused(play) -> None:
    with pytest.raises(StudyError, match="in no cell of the plan"):
        tabulate({("ibs-single-v1", "scripted"): 6}, full(play, 1))
    with pytest.raises(StudyError, match="but 2 were planned"):
        tabulate({RPS: 2}, full(play, 3))


def test_the_share_of_invalid_replies_counts_decisions_and_answers(play) -> None:
    def say(history: list[tuple[int, int]]) -> int | Invalid:
        return Invalid("hm") if len(history) < 4 else 0

    answered = play(RPS[0], follow, say, 0, rounds=10)
    assert isclose(tabulate({RPS: 1}, [answered])[0].invalid_share, 4 / 20)
    # Two rounds with an answer each, then an invalid decision in the third.
    assert isclose(tabulate({RPS: 1}, [broken(play, 0)])[0].invalid_share, 1 / 5)


def test_tries_are_calls_a_request(play) -> None:
    record = play(RPS[0], follow, predict, rounds=2)
    made = {"temperature": 0.5, "top_p": 1.0, "max_tokens": 64, "stop": [], "seed": 1}
    record.calls = tuple(
        Call("ego", step, "act", attempt, (), config=made) for step, attempt in [(0, 0), (0, 1), (1, 0)]
    )
    cell = tabulate({RPS: 1}, [record])[0]
    assert cell.tries == 1.5
    assert cell.about.decodings == ("replies drawn at temperature 0.5, top-p 1, at most 64 tokens",)
    assert tabulate({RPS: 6}, full(play))[0].tries is None


def test_the_gap_is_literal_less_functional(play) -> None:
    cell = tabulate({RPS: 6}, full(play))[0]
    assert isclose(cell.gap.mean, cell.literal.mean - cell.functional.mean, abs_tol=1e-12)
    assert cell.gap.low <= cell.gap.mean <= cell.gap.high
    talker = [play(RPS[0], lambda h: 0, predict, seed, rounds=100) for seed in range(6)]
    found = tabulate({RPS: 6}, talker)[0]
    assert isclose(found.functional.mean, 0, abs_tol=1e-12)
    assert found.gap.mean > 0.9


def test_unknown_for_one_episode_is_unknown_for_the_cell(play) -> None:
    records = full(play)
    records[3].asked = ()
    cell = tabulate({RPS: 6}, records)[0]
    assert cell.tom_percent.mean is None
    assert cell.tom_percent.reason == NOT_ASKED
    assert cell.gap.reason == NOT_ASKED
    assert cell.functional.mean is not None


def test_records_read_back_give_the_same_cells(play) -> None:
    records = full(play)
    back = [msgspec.json.decode(encode(record), type=Record) for record in records]
    assert tabulate({RPS: 6}, back) == tabulate({RPS: 6}, reversed(records))


def test_an_added_measure_has_its_mean(play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(measures._known, "rounds", lambda record: float(len(record.rewards)))
    cell = tabulate({RPS: 6}, full(play))[0]
    assert cell.more["rounds"].mean == 10


def test_about_a_cell(play) -> None:
    records = [play("rps-mixed-v1", follow, predict, seed, rounds=5) for seed in range(6)]
    about = tabulate({("rps-mixed-v1", "scripted"): 6}, records)[0].about
    assert (about.game, about.partners, about.reference) == ("rps", ("single", "tit_for_tat"), "mixed")


def test_a_seat_without_a_label_is_named_by_its_mind(play) -> None:
    record = play(RPS[0], follow, predict, label="", rounds=3)
    name = record.spec.seats["ego"].mind
    assert name.endswith(":Scripted")
    assert summarise(record).mind == name
    assert isinstance(tabulate({(RPS[0], name): 1}, [record])[0], Cell)


def test_partners_in_every_seat_are_refused(play) -> None:
    record = play(RPS[0], follow, predict, rounds=3)
    record.partners["ego"] = record.partners["partner_0"]
    with pytest.raises(StudyError, match="every seat"):
        summarise(record)


def test_a_world_without_a_game_has_rewards_and_literal_scores_only(play) -> None:
    record = play(RPS[0], follow, predict, rounds=4)
    record.game, record.bounds = None, None
    found = summarise(record)
    assert "delta_tom" not in found.values
    assert isinstance(found.profile, Unknown)
    cell = tabulate({RPS: 1}, [record])[0]
    assert cell.at_worst is None
    assert cell.tom_percent.mean == 100
    assert cell.reward == 3
    assert isinstance(record.spec.seats["ego"], SeatSpec)


@pytest.mark.parametrize("status", OUTCOMES)
@pytest.mark.parametrize("met", ["nash", None])
def test_verdicts_count_every_episode_that_is_not_scored(status: Status, met: str | None) -> None:
    """Also where an episode has no evidence, as where both seats have minds under test, and whatever stopped it."""
    seats = {"ego": "random"} if met is None else {"ego": "random", "partner_0": met}
    records = [om.play("rps-mixed-v1", seats, seed=seed, options={"rounds": 6}) for seed in range(3)]
    records = [replace(record, outcome=Outcome(status, "", "why", 5)) for record in records[:2]] + records[2:]
    key = records[0].spec.title, records[0].spec.seats["ego"].title
    (cell,) = tabulate({key: 3}, records)
    assert cell.verdict.lost == (0 if status == "scored" else 2) == 3 - cell.scored
    if met is not None:
        assert "distinct" not in cell.verdict.sentence
        assert ("(n = 3 episodes; 2 of them lost)" in cell.verdict.sentence) == (status != "scored")
        assert ("n =" in cell.verdict.sentence) == (status != "scored")
