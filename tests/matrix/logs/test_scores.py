"""What scores of logs promise: the partners' automata are among those that explain them, and bounds hold the exact ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.games.automata import deterministic
from otherminds.games.best_response import best_response
from otherminds.games.blind import blind_value, open_loop_return
from otherminds.games.registry import automaton, ipd, rps
from otherminds.matrix.axelrod import table
from otherminds.matrix.logs.ends import BlindPlans, Opponent, Range, bound_informed, divide_by_room
from otherminds.matrix.logs.episodes import ILLEGAL, SILENT, LoggedEpisode, axelrod_game, pay
from otherminds.matrix.logs.explanations import STATES, PartialAutomaton, explain_play
from otherminds.matrix.logs.player_scores import LogScores, PlayerScore, score_logs
from tests.cases import for_each
from tests.cli.running import otherminds

Choice = Callable[[int], int]
SMALL = {
    name: automaton
    for name, automaton in table().automata.items()
    if deterministic(automaton) and len(automaton.output) <= STATES
}
PAYOFFS = ((3.0, 0.0), (5.0, 1.0))


def play(partner: Automaton, choose: Choice, rounds: int, rng: Random, noise: float = 0.0) -> LoggedEpisode:
    """An episode of the game of Axelrod-Python of ``me`` with ``partner``."""
    own, other, state = [], [], partner.start
    for t in range(rounds):
        a, b = choose(t), rng.choices((0, 1), partner.output[state])[0]
        b = 1 - b if rng.random() < noise else b
        own.append(a)
        other.append(b)
        state = partner.next[state][b][a]
    return log(axelrod_game(), "partner", own, other)


def log(
    game: Game, partner: str, own: Sequence[int], other: Sequence[int], stated: Sequence[int] | None = None
) -> LoggedEpisode:
    acts = np.array(own, np.int8), np.array(other, np.int8)
    silent = np.full(len(own), SILENT, np.int8)
    said = silent if stated is None else np.array(stated, np.int8)
    legal = (acts[0] != ILLEGAL) & (acts[1] != ILLEGAL)
    return LoggedEpisode(game, ("me", partner), acts, np.where(legal, pay(game, *acts), 0.0), (said, silent))


def named(episode: LoggedEpisode, name: str) -> LoggedEpisode:
    return LoggedEpisode(episode.game, ("me", name), episode.acts, episode.rewards, episode.predictions)


def mine(scores: LogScores) -> PlayerScore:
    return next(score for score in scores.players if score.player == "me")


def whole(partner: Automaton) -> PartialAutomaton:
    output = tuple(row.index(1.0) for row in partner.output)
    after = tuple(partner.next[s][b] for s, b in enumerate(output))
    return PartialAutomaton(STATES, output, after)


def explained_rightly(partner: Automaton, episodes: int, rounds: int, noise: float) -> bool:
    rng = Random(f"{partner}{noise}")
    played = [play(partner, lambda t: rng.randrange(2), rounds, rng, noise) for _ in range(episodes)]
    explanation, _ = explain_play([(episode.acts[1], episode.acts[0]) for episode in played], 2, 2)
    return explanation is not None and any(kept.agrees(partner) for kept in explanation.automata)


@for_each(("name", "partner"), SMALL.items(), ids=SMALL)
def test_a_strategy_of_few_states_is_among_those_that_explain_its_play(name: str, partner: Automaton) -> None:
    assert explained_rightly(partner, 1, 60, 0.0)
    assert explained_rightly(partner, 5, 60, 0.0)


def test_few_slips_hide_few_strategies() -> None:
    assert sum(explained_rightly(partner, 10, 60, 0.01) for partner in SMALL.values()) >= 0.9 * len(SMALL)


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 2))
def test_the_search_is_exact(seed: int, rounds: int, states: int) -> None:
    """Against all automata of a size, one by one: each that fits without a slip agrees with one that is kept, or is unlikely."""
    rng = Random(seed)
    own = [rng.randrange(2) for _ in range(rounds)]
    tables = [
        Automaton(0, tuple((1.0, 0.0) if b == 0 else (0.0, 1.0) for b in output), after)
        for output in product((0, 1), repeat=states)
        for after in (
            tuple(((row[2 * s], row[2 * s + 1]),) * 2 for s in range(states))
            for row in product(range(states), repeat=2 * states)
        )
    ]
    truth = rng.choice(tables)
    shown = play(truth, own.__getitem__, rounds, rng).acts[1]
    explanation, _ = explain_play([(shown, np.array(own, np.int8))], 2, 2, states)
    fits = [one for one in tables if (play(one, own.__getitem__, rounds, rng).acts[1] == shown).all()]
    assert fits
    if explanation is not None and not explanation.slips:
        assert any(kept.agrees(one) for one in fits for kept in explanation.automata)
        best = explanation.automata[0]
        assert any(best.agrees(one) for one in fits)


@for_each("name", ["Random", "FirstByJoss", "EvolvedFSM16", "GTFT", "SelfSteem"])
def test_what_is_no_such_automaton_is_not_explained(name: str) -> None:
    rng = Random(name)
    played = [play(table().automata[name], lambda t: rng.randrange(2), 100, rng) for _ in range(10)]
    assert explain_play([(one.acts[1], one.acts[0]) for one in played], 2, 2)[0] is None


def test_slips_that_follow_a_rule_are_none() -> None:
    rng, plays = Random(0), {"rule": [], "accident": []}
    for kind, list_ in plays.items():
        for _ in range(10):
            own = [rng.randrange(2) for _ in range(100)]
            other = [0, *own[:-1]]
            for t in range(24, 100, 25) if kind == "rule" else rng.sample(range(100), 4):
                other[t] = 1 - other[t]
            list_.append((np.array(other, np.int8), np.array(own, np.int8)))
    accident, _ = explain_play(plays["accident"], 2, 2)
    assert accident is not None
    assert len(accident.slips) == 40
    rule, why = explain_play(plays["rule"], 2, 2)
    assert rule is None
    assert "accidental" in why


@cache
def exact_ends(names: tuple[str, ...], rounds: int) -> tuple[float, float]:
    """Informed and blind returns, summed over one episode with each."""
    family = tuple(WeightedPolicy(1 / len(names), SMALL[name]) for name in names)
    informed = sum(best_response(axelrod_game(), SMALL[name], rounds).value for name in names)
    return informed, blind_value(axelrod_game(), family, rounds) * len(names)


@given(st.lists(st.sampled_from(sorted(SMALL)), min_size=1, max_size=4, unique=True), st.integers(1, 12))
def test_the_ends_of_known_automata_are_exact(names: list[str], rounds: int) -> None:
    opponents = [Opponent((whole(SMALL[name]),), ((rounds, 1),)) for name in names]
    informed, blind = exact_ends(tuple(names), rounds)
    assert bound_informed(PAYOFFS, opponents) == pytest.approx((informed, informed))
    assert BlindPlans(2, opponents).bound_returns(PAYOFFS) == pytest.approx((blind, blind))


@given(st.integers(0, 2**32), st.integers(1, 8))
def test_the_ends_of_what_is_known_in_part_hold_those_of_every_completion(seed: int, rounds: int) -> None:
    rng = Random(seed)
    names = rng.sample(sorted(SMALL), 2)
    parts = []
    for name in names:
        known = whole(SMALL[name])
        after = tuple(tuple(n if rng.random() < 0.6 else -1 for n in row) for row in known.next)
        parts.append(Opponent((PartialAutomaton(STATES, known.output, after),), ((rounds, 1),)))
    informed, blind = exact_ends(tuple(names), rounds)
    low, high = bound_informed(PAYOFFS, parts)
    assert low <= informed + 1e-9
    assert informed <= high + 1e-9
    low, high = BlindPlans(2, parts).bound_returns(PAYOFFS)
    assert low <= blind + 1e-9
    assert blind <= high + 1e-9


@for_each("kind", ["fixed", "random", "informed"])
def test_bounds_of_functional_hold_the_exact_score(kind: str) -> None:
    for seed, rounds in ((0, 5), (1, 20), (2, 60)):
        rng = Random(f"{seed}-{rounds}-{kind}")
        names = ("TitForTat", "Defector", *rng.sample(sorted(SMALL.keys() - {"TitForTat", "Defector"}), 2))
        plan = [rng.randrange(2) for _ in range(rounds)]
        episodes = []
        for name in names:
            acts = {"fixed": plan, "random": [rng.randrange(2) for _ in plan]}.get(kind)
            acts = acts or respond_best(SMALL[name], rounds)
            episodes.append(named(play(SMALL[name], acts.__getitem__, rounds, rng), name))
        scores = score_logs(episodes)
        if not all(one.automata for one in scores.partners if one.partner != "me"):
            continue
        informed, blind = exact_ends(names, rounds)
        earned = sum(float(one.rewards[0].sum()) for one in episodes)
        score = mine(scores)
        if score.functional is not None and informed - blind >= 0.02 * 5 * rounds * len(names):
            exact = (earned - blind) / (informed - blind)
            assert score.functional.low - 1e-9 <= exact <= score.functional.high + 1e-9
            assert kind != "fixed" or score.functional.low <= 1e-9
            assert kind != "informed" or score.functional.high >= 1 - 1e-9
        assert score.regret is not None
        assert (
            score.regret.low - 1e-9 <= (informed - earned) / rounds / len(names) <= score.regret.high + 1e-9
        )


def respond_best(partner: Automaton, rounds: int) -> list[int]:
    plan, state, acts = best_response(axelrod_game(), partner, rounds), partner.start, []
    for t in range(rounds):
        acts.append(plan.act(t, state))
        state = partner.next[state][partner.output[state].index(1.0)][acts[-1]]
    return acts


def test_more_play_gives_narrower_bounds_and_in_the_end_a_point() -> None:
    rng, widths = Random(0), []
    for episodes, rounds in ((1, 6), (1, 60), (20, 60)):
        played = [
            named(play(SMALL[name], lambda t: rng.randrange(2), rounds, rng), name)
            for name in ("TitForTat", "Defector")
            for _ in range(episodes)
        ]
        functional = mine(score_logs(played)).functional
        assert functional is not None
        widths.append(functional.high - functional.low)
    assert widths[0] > widths[1] >= widths[2]
    assert widths[2] == pytest.approx(0)


def test_more_partners_than_fit_an_exact_plan_give_bounds_that_hold_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("TitForTat", "Defector", "Grudger", "AntiTitForTat", "WinStayLoseShift", "TitFor2Tats")
    opponents = [Opponent((whole(SMALL[name]),), ((12, 2), (9, 1))) for name in names]
    exact = BlindPlans(2, opponents).bound_returns(PAYOFFS)
    assert exact.low == exact.high
    plans = product((0, 1), repeat=12)
    best = max(
        sum(
            2 * open_loop_return(axelrod_game(), SMALL[name], plan)
            + open_loop_return(axelrod_game(), SMALL[name], plan[:9])
            for name in names
        )
        for plan in plans
    )
    assert exact.low == pytest.approx(best)
    monkeypatch.setattr("otherminds.matrix.logs.ends.SITUATIONS", 4)
    low, high = BlindPlans(2, opponents).bound_returns(PAYOFFS)
    assert low <= best <= high
    assert low < high


@given(st.tuples(*[st.floats(-10, 10)] * 4).map(sorted), st.floats(-10, 10), st.floats(0, 1), st.floats(0, 1))
def test_a_quotient_of_ranges_holds_every_quotient(
    ends: list[float], earned: float, x: float, y: float
) -> None:
    blind, informed = Range(ends[0], ends[2]), Range(ends[1], ends[3])
    b = blind.low + x * (blind.high - blind.low)
    i = informed.low + y * (informed.high - informed.low)
    bounds = divide_by_room(earned, blind, informed, 0.5)
    if i - b >= 0.5:
        assert bounds is not None
        assert bounds.low - 1e-6 <= (earned - b) / (i - b) <= bounds.high + 1e-6


def test_predictions_illegal_moves_and_errors_of_the_other_are_counted_apart() -> None:
    rng, episodes = Random(3), []
    for behaviour in (0, 1, 2):
        for _ in range(4):
            own = [rng.randrange(3) for _ in range(9)] + [0]
            other = [behaviour] * 9 + [ILLEGAL]
            episode = log(rps(), f"always {behaviour}", own, other, [behaviour] * 10)
            episode.rewards[0, 9] = 1.0
            episodes.append(episode)
    score = mine(score_logs(episodes))
    assert score.illegal == 0
    assert score.from_errors == pytest.approx(0.1)
    assert score.literal == pytest.approx((1.0, 1.0))
    assert score.unused is not None
    assert 0.5 < score.unused < 1.5
    partners = [one for one in score_logs(episodes).players if one.player != "me"]
    assert [one.illegal for one in partners] == [4, 4, 4]


def test_a_slip_is_what_the_automaton_would_not_play_and_its_gain_is_apart() -> None:
    rng, episodes = Random(5), []
    partner = automaton("tit_for_tat", ipd(), 100, {})
    for _ in range(10):
        episode = play(partner, lambda t: rng.randrange(2), 50, rng)
        episodes.append(episode)
    clean = mine(score_logs(episodes))
    assert clean.from_errors == 0
    slipping = episodes[4]
    t = next(
        t
        for t in range(20, 49)
        if slipping.acts[1][t] == 1 and slipping.acts[0][t] == slipping.acts[1][t + 1] == 1
    )
    slipping.acts[1][t] = 0
    slipping.rewards[:, t] = axelrod_game().payoffs[1][0]
    score = mine(score_logs(episodes))
    assert [one.slips for one in score_logs(episodes).partners if one.partner == "partner"] == [1]
    assert score.from_errors == pytest.approx((5 - 1) / 500)
    assert score.regret == pytest.approx(clean.regret)


def test_the_command_prints_a_table_and_the_same_as_json(tmp_path: Path) -> None:
    rng, lines = Random(1), []
    for name in ("TitForTat", "Defector", "Random"):
        for _ in range(5):
            episode = play(table().automata[name], lambda t: rng.randrange(2), 40, rng)
            acts = [["CD"[act] for act in row.tolist()] for row in episode.acts]
            lines.append(json.dumps({"game": "axelrod", "players": ["me", name], "acts": acts}))
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines))
    shown = otherminds("score", path)
    assert shown.returncode == 0
    assert "2 of 4 partners are explained" in shown.stdout
    assert "Random" in shown.stdout.splitlines()[-1] or "Random" in shown.stdout
    scores = json.loads(otherminds("score", path, "--json").stdout)
    (row,) = (one for one in scores["players"] if one["player"] == "me")
    assert (row["episodes"], row["distinct"], row["explained"]) == (15, 15, 10)
    assert row["functional"][0] <= row["functional"][1]
