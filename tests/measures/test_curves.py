"""Learning curves and the exploitation profile."""

from __future__ import annotations

from math import isclose

import numpy as np

from otherminds.core.data import Invalid
from otherminds.measures.cells import tabulate
from otherminds.measures.curves import learning_curves
from otherminds.measures.episode import hits, regrets, summarise
from otherminds.measures.registry import Unknown
from otherminds.measures.regret import optimal_behaviours, profile
from tests.cases import for_each

RPS = ("rps-single-v1", "scripted")


def follow(history: list[tuple[int, int]]) -> int:
    return (history[-1][1] + 1) % 3 if history else 0


def predict(history: list[tuple[int, int]]) -> int:
    return history[-1][1] if history else 0


def curves(play, seeds: range, **options: object):
    records = [play("rps-single-v1", follow, predict, seed, **options) for seed in seeds]
    return learning_curves([RPS], map(summarise, records)), records


def test_the_curves_average_to_the_cell(play) -> None:
    (curve,), records = curves(play, range(6), rounds=12)
    cell = tabulate({("rps-single-v1", "scripted"): 6}, records)[0]
    assert isclose(curve.regret.mean.mean(), cell.delta_functional.mean)
    assert isclose(curve.tom_percent.mean.mean(), cell.tom_percent.mean)
    assert curve.regret.mean.tolist() == [1.0, *[0.0] * 11]  # one probe, then the best response
    assert isclose(curve.tom_percent.mean[0], 100 / 3)


def test_bands_enclose_the_mean_and_vanish_with_certainty(play) -> None:
    """Two partners of each kind: the first round is guessed right against one kind, always alike."""
    (curve,), _ = curves(play, range(6), rounds=4)
    assert curve.tom_percent.low[0] == curve.tom_percent.mean[0] == curve.tom_percent.high[0]
    mixed = [play("rps-single-v1", lambda h: 0, lambda h, k=k: k // 3, k, rounds=4) for k in range(6)]
    planned = [("rps-single-v1", "scripted")]
    (curve,) = learning_curves(planned, [summarise(record) for record in mixed])
    assert curve.tom_percent.low[0] < curve.tom_percent.mean[0] < curve.tom_percent.high[0]


def test_one_episode_has_a_curve_without_width(play) -> None:
    (curve,), _ = curves(play, range(1), rounds=4)
    assert curve.regret.low.tolist() == curve.regret.mean.tolist()


def test_regret_against_tit_for_tat_can_be_repaid(play) -> None:
    """Defecting gains 2 at once and costs 3 a round for ever after."""
    record = play("ipd-tit_for_tat-v1", lambda h: 1, lambda h: 0, rounds=5)
    found = regrets(record)
    # Optimal: 8 8 8 8 10. Got: 10 5 5 5 5.
    assert found.tolist() == [-2, 3, 3, 3, 5]


def test_large_partners_have_no_regret_curve_but_a_tom_curve(play) -> None:
    record = play("rps-best_response_to_frequency-v1", follow, predict, rounds=9)
    assert isinstance(regrets(record), Unknown)
    assert len(hits(record)) == 9
    (curve,) = learning_curves([(record.spec.title, "scripted")], [summarise(record)])
    assert isinstance(curve.regret, Unknown)


def test_unscored_episodes_are_left_out(play) -> None:
    record = play("rps-single-v1", lambda h: Invalid("no"), predict, rounds=4)
    assert learning_curves([(record.spec.title, "scripted")], [summarise(record)]) == []


def test_episodes_of_different_length_have_no_common_curve(play) -> None:
    both = [summarise(play("rps-single-v1", follow, predict, rounds=n)) for n in (3, 4)]
    assert isinstance(learning_curves([RPS], both)[0].regret, Unknown)


def test_doubtful_behaviours_are_not_guessed(play) -> None:
    record = play("rps-single-v1", follow, predict, rounds=3)
    met = record.met["ego"]
    vague = met[1].__class__(1, {"ego": ("rock",), "partner_0": ("rock", "paper")}, 0.0)
    record.met["ego"] = (met[0], vague, met[2])
    assert isinstance(regrets(record), Unknown)
    assert isinstance(profile(record), Unknown)


def test_profile_before_and_after_understanding(play) -> None:
    """Wrong for 3 rounds, then right; the best response from round 6 on."""
    record = play("rps-single-v1", lambda h: int(len(h) >= 5), lambda h: 0 if len(h) >= 3 else 1, rounds=10)
    found = profile(record)
    assert (found.before, found.before_best, found.after, found.after_best) == (3, 0, 7, 5)
    cell = tabulate({("rps-single-v1", "scripted"): 1}, [record])[0]
    assert (cell.best_before.mean, cell.best_after.mean) == (0, 5 / 7)


def test_profile_of_who_never_understands(play) -> None:
    record = play("rps-single-v1", lambda h: 1, lambda h: 1, rounds=4)
    cell = tabulate({("rps-single-v1", "scripted"): 1}, [record])[0]
    assert cell.best_before.mean == 1
    assert cell.best_after.mean is None
    assert cell.best_after.reason == "no prediction was correct"


def test_the_best_response_to_tit_for_tat_is_to_cooperate_till_the_end(play) -> None:
    record = play("ipd-tit_for_tat-v1", lambda h: 0, lambda h: 0, rounds=6)
    table = optimal_behaviours(record.game, record.partners["partner_0"].automaton, 6)
    assert [row[0] for row in table] == [*[frozenset({0})] * 5, frozenset({1})]
    found = profile(record)
    assert (found.before, found.after, found.after_best) == (0, 6, 5)


@for_each("name", ["rps-noisy_tit_for_tat-v1", "ipd-grim-v1", "ipd-win_stay_lose_shift-v1"])
def test_other_partners(play, name: str) -> None:
    record = play(name, lambda h: len(h) % 2, lambda h: 0, seed=3, rounds=30)
    assert np.isfinite(regrets(record)).all()
    assert profile(record).after > 0
