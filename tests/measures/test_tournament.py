"""A tournament of known strategies equals an independent computation, and intervals follow the seeds."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest
from msgspec.structs import replace

import otherminds as om
from otherminds.core.contracts import Mind
from otherminds.core.data import Cause, Invalid, Moment
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.record import Outcome, Record
from otherminds.measures.tournament import Tournament, list_tournaments
from otherminds.studies.plan import plan_file
from tests.cases import for_each
from tests.cli.running import otherminds

ROUNDS = 17
PAYOFF = {("C", "C"): 8, ("C", "D"): 0, ("D", "C"): 10, ("D", "D"): 5}
STRATEGIES = {
    "TitForTat": lambda mine, theirs: theirs[-1] if theirs else "C",
    "SuspiciousTitForTat": lambda mine, theirs: theirs[-1] if theirs else "D",
    "Cooperator": lambda mine, theirs: "C",
    "Defector": lambda mine, theirs: "D",
    "Alternator": lambda mine, theirs: "CD"[len(mine) % 2],
    "Grudger": lambda mine, theirs: "D" if "D" in theirs else "C",
    "TitFor2Tats": lambda mine, theirs: "D" if theirs[-2:] == ["D", "D"] else "C",
    "WinStayLoseShift": lambda mine, theirs: "C" if not mine or mine[-1] == theirs[-1] else "D",
}
NAMES = sorted(STRATEGIES)


def payoff(first: str, second: str) -> float:
    mine: list[str] = []
    theirs: list[str] = []
    for _ in range(ROUNDS):
        a, b = STRATEGIES[first](mine, theirs), STRATEGIES[second](theirs, mine)
        mine.append(a)
        theirs.append(b)
    return fmean(PAYOFF[pair] for pair in zip(mine, theirs, strict=True))


def study(folder: Path, names: list[str]) -> Path:
    path = folder / "tournament.toml"
    path.write_text(
        f'name = "eight"\nepisodes = 2\nrounds = {ROUNDS}\n[[cells]]\nscenarios = ["axelrod-ipd-automata-v1"]\n'
        f"minds = [{{ players = {json.dumps(names)} }}]\n"
    )
    return path


def rows_of(held: dict[str, list[dict[str, dict[str, float]]]]) -> dict[str, dict[str, float]]:
    kinds = ("rating", "conceded", "self_play", "cross_play", "transfer")
    return {row["player"]: {kind: row[kind]["mean"] for kind in kinds} for row in held["results"]}  # pyright: ignore


def test_eight_known_strategies_have_the_matrix_and_the_ratings_of_an_independent_computation(
    tmp_path: Path,
) -> None:
    out = otherminds(
        "tournament", str(study(tmp_path, NAMES)), "--out", str(tmp_path / "out"), "--json"
    ).stdout
    (held,) = json.loads(out)
    assert held["players"] == NAMES
    assert held["lost"] == 0
    for (i, first), (j, second) in product(enumerate(NAMES), repeat=2):
        assert held["payoffs"][i][j] == pytest.approx(payoff(first, second), abs=1e-12)
        assert held["episodes"][i][j] == 2
    rows = rows_of(held)
    grand = fmean(payoff(*pair) for pair in product(NAMES, repeat=2))
    for name in NAMES:
        others = [other for other in NAMES if other != name]
        assert rows[name]["rating"] == pytest.approx(fmean(payoff(name, other) for other in NAMES))
        assert rows[name]["conceded"] == pytest.approx(fmean(payoff(other, name) for other in NAMES) - grand)
        assert rows[name]["self_play"] == pytest.approx(payoff(name, name))
        cross = fmean((payoff(name, other) + payoff(other, name)) / 2 for other in others)
        assert rows[name]["cross_play"] == pytest.approx(cross)
        assert rows[name]["transfer"] == pytest.approx(cross - payoff(name, name))
    gaps = [payoff(a, b) - rows[a]["rating"] - rows[b]["conceded"] for a, b in product(NAMES, repeat=2)]
    spread = sum((payoff(*pair) - grand) ** 2 for pair in product(NAMES, repeat=2))
    assert held["unexplained"] == pytest.approx(sum(gap**2 for gap in gaps) / spread)
    again = otherminds("tournament", str(tmp_path / "out"), "--json").stdout
    assert json.loads(again) == [held]
    text = otherminds("tournament", str(tmp_path / "out")).stdout
    assert "cross-play" in text
    assert all(name in text for name in NAMES)


def test_players_meet_every_player_in_both_seats_and_themselves(tmp_path: Path) -> None:
    plan = plan_file(study(tmp_path, NAMES[:3]))
    met = {(spec.seats["ego"].mind, spec.seats["partner_0"].mind) for spec in plan.episodes}
    assert met == set(product(NAMES[:3], repeat=2))
    assert len(plan.episodes) == 18


def test_players_need_two_seats_and_stand_alone(tmp_path: Path) -> None:
    path = study(tmp_path, ["random"])
    path.write_text(
        path.read_text()
        .replace("axelrod-ipd-automata-v1", "rws-arena-0-v1")
        .replace(f"rounds = {ROUNDS}", "")
    )
    with pytest.raises(StudyError, match=r"players meet in pairs, and .* has 8 seats"):
        plan_file(path)
    path.write_text(path.read_text().replace("{ players", '{ mind = "random", players'))
    with pytest.raises(StudyError, match="players stand alone"):
        plan_file(path)


def records(pairs: list[tuple[str, str]], seeds: int, scenario: str = "ipd-mixed-v1") -> list[Record]:
    return [
        om.play(scenario, {"ego": a, "partner_0": b}, seed=seed, options={"rounds": 8}, ask=False)
        for a, b in pairs
        for seed in range(seeds)
    ]


def held_of(pairs: list[tuple[str, str]], seeds: int, scenario: str = "ipd-mixed-v1") -> Tournament:
    (held,) = list_tournaments(records(pairs, seeds, scenario))
    return held


def test_intervals_are_those_of_a_bootstrap_over_seeds() -> None:
    names = ("random", "uniform", "nash")
    played = records(list(product(names, repeat=2)), 12)
    (held,) = list_tournaments(played)
    rng = Random(1)

    def rating(name: str, seeds: list[int]) -> float:
        cells: dict[str, list[float]] = {}
        for seed in seeds:
            for record in played:
                if record.spec.seed == seed:
                    for mine, theirs in (record.seats, record.seats[::-1]):
                        if record.spec.seats[mine].mind == name:
                            opponent = record.spec.seats[theirs].mind
                            cells.setdefault(opponent, []).append(record.total(mine) / 8)
        return fmean(map(fmean, cells.values()))

    for result in held.results:
        assert result.rating.mean == pytest.approx(rating(result.player, list(range(12))))
        drawn = sorted(rating(result.player, rng.choices(range(12), k=12)) for _ in range(300))
        assert result.rating.low == pytest.approx(drawn[7], abs=0.15)
        assert result.rating.high == pytest.approx(drawn[-8], abs=0.15)
        assert result.rating.n == 12
    assert any(result.rating.high - result.rating.low > 0.1 for result in held.results)  # pyright: ignore


def test_a_cycle_is_left_unexplained_and_an_order_is_not() -> None:
    throws = [f"constant({name})" for name in ("rock", "paper", "scissors")]
    seats = [om.SeatSpec("constant", {"behaviour": throw}) for throw in ("rock", "paper", "scissors")]
    played = [
        om.play("rps-mixed-v1", {"ego": a, "partner_0": b}, options={"rounds": 3}, ask=False)
        for a, b in product(seats, repeat=2)
    ]
    (cycle,) = list_tournaments(played)
    assert len(cycle.players) == len(throws)
    assert cycle.unexplained == pytest.approx(1)
    assert [result.rating.mean for result in cycle.results] == pytest.approx([0, 0, 0])


def test_a_missing_pair_is_corrected_for_and_separate_groups_have_no_ratings() -> None:
    names = ("nash", "cooperate", "defect")
    seats = {
        "nash": om.SeatSpec("nash"),
        **{name: om.SeatSpec("constant", {"behaviour": name}) for name in names[1:]},
    }

    def play(pairs: list[tuple[str, str]]) -> Tournament:
        (held,) = list_tournaments(
            om.play(
                "ipd-mixed-v1", {"ego": seats[a], "partner_0": seats[b]}, options={"rounds": 4}, ask=False
            )
            for a, b in pairs
        )
        return held

    whole = play(list(product(names, repeat=2)))
    lacking = play([pair for pair in product(names, repeat=2) if set(pair) != {"nash", "defect"}])
    assert lacking.payoffs[1][2] is None
    gaps = [
        [
            0.0 if cell is None else cell - (ours.rating.mean or 0.0) - (theirs.conceded.mean or 0.0)
            for cell, theirs in zip(row, lacking.results, strict=True)
        ]
        for row, ours in zip(lacking.payoffs, lacking.results, strict=True)
    ]
    assert [sum(row) for row in gaps] == pytest.approx([0, 0, 0]), "least squares: no row has a mean gap"
    assert [sum(column) for column in zip(*gaps, strict=True)] == pytest.approx([0, 0, 0])
    assert lacking.results[2].rating.mean != pytest.approx(whole.results[2].rating.mean)
    assert whole.results[0].rating.low is None, "one seed has no interval"
    apart = play([("nash", "nash"), ("defect", "defect")])
    assert all(result.rating.mean is None and result.rating.reason for result in apart.results)
    assert [result.self_play.mean for result in apart.results] == [5, 5]


class Quitter(Mind):
    """Cooperates, and gives a reply that cannot be read from round ``after`` on, or once it was exploited."""

    answers = False

    def __init__(self, after: int | None, cause: Cause = "reply") -> None:
        self.after, self.cause = after, cause

    async def perceive(self, moment: Moment) -> None:
        self.exploited = moment.reward == 0 and moment.step > 0
        self.step = moment.step

    async def act(self) -> Any:
        stop = self.exploited if self.after is None else self.step >= self.after
        return Invalid("no answer", cause=self.cause) if stop else 0


class Stayer(Quitter):
    """As a `Quitter`, and plays on."""

    async def act(self) -> Any:
        return 0


def meet(players: dict[str, Any], pairs: list[tuple[str, str]], seeds: int = 2) -> list[Record]:
    return [
        om.play(
            "ipd-mixed-v1",
            {"ego": players[a], "partner_0": players[b]},
            seed=seed,
            options={"rounds": 8},
            ask=False,
        )
        for a, b in pairs
        for seed in range(seeds)
    ]


@pytest.mark.parametrize(
    ("after", "cause"), [(None, "reply"), (0, "option"), (3, "length"), (7, "refusal"), (None, "filter")]
)
def test_a_player_that_stops_episodes_is_charged_and_never_gains(after: int | None, cause: Cause) -> None:
    """Whatever stops its episodes, and when: the rest of each has the least payoff, and all others are rated as before."""
    defect = om.SeatSpec("constant", {"behaviour": "defect"})
    pairs = list(product(("it", "defect", "nash"), repeat=2))
    stays = {"it": Stayer(after), "defect": defect, "nash": "random"}
    (whole,) = list_tournaments(meet(stays, pairs))
    played = meet({**stays, "it": Quitter(after, cause)}, pairs)
    (held,) = list_tournaments(played)
    stopped = [record for record in played if record.outcome.status != "scored"]
    assert (held.recorded, held.lost, held.uncharged) == (18, len(stopped), ())
    (quitter,) = (result for result in held.results if "Quitter" in result.player)
    (stayer,) = (result for result in whole.results if "Stayer" in result.player)
    assert quitter.lost == len(stopped) > 0
    assert sum(result.lost for result in held.results) == len(stopped)
    assert quitter.rating.mean is not None
    assert stayer.rating.mean is not None
    assert quitter.rating.mean <= stayer.rating.mean + 1e-9
    i, j = (next(k for k, name in enumerate(held.players) if word in name) for word in ("Quitter", "defect"))
    rounds = next(len(r.rewards) for r in stopped if "constant" in r.spec.seats["partner_0"].called)
    own = sum(PAYOFF["C", "D"] for _ in range(rounds)) / 8
    assert held.payoffs[i][j] == pytest.approx(own)
    assert all(row.rating.mean is not None for row in held.results), "its opponents keep their ratings"


def test_a_player_all_of_whose_episodes_are_lost_stays_in_the_table() -> None:
    players = {"it": Quitter(0), "random": "random", "nash": "nash"}
    (held,) = list_tournaments(meet(players, list(product(players, repeat=2))))
    row = next(result for result in held.results if "Quitter" in result.player)
    assert row.lost == 10
    assert row.rating.mean == pytest.approx(0)
    assert min(result.rating.mean for result in held.results if result is not row) > 1  # pyright: ignore
    (alone,) = list_tournaments(meet(players, [("it", "it")]))
    assert [result.rating.mean for result in alone.results] == [pytest.approx(0)]


class Unreachable(Stayer):
    """As a `Stayer`, until its provider fails in round ``after``."""

    suspends = True

    async def act(self) -> Any:
        if self.step == self.after:
            raise ProviderError("the server is gone")
        return 0


@for_each("after", [0, 3, 7])
def test_a_player_that_fails_is_charged_as_one_that_stops_episodes(after: int) -> None:
    """Whichever seat it is in; of a record without the seat, as older versions wrote it, nobody is charged."""
    pairs = [("it", "nash"), ("nash", "it"), ("nash", "nash"), ("random", "it"), ("random", "nash")]
    others = {"nash": "nash", "random": "random"}
    failing = meet({**others, "it": Unreachable(after)}, pairs)
    assert {record.outcome.seat for record in failing} == {"", "ego", "partner_0"}
    (failed,) = list_tournaments(failing)
    (stopped,) = list_tournaments(meet({**others, "it": Quitter(after)}, pairs))
    assert (failed.lost, failed.uncharged) == (6, ())
    assert failed.payoffs == stopped.payoffs
    assert [result.lost for result in failed.results] == [result.lost for result in stopped.results]
    old = [replace(record, outcome=replace(record.outcome, seat="")) for record in failing]
    (uncharged,) = list_tournaments(old)
    assert (uncharged.lost, len(uncharged.uncharged)) == (6, 6)
    assert sum(result.lost for result in uncharged.results) == 0


@for_each("after", [0, 3, 7])
def test_what_somebody_else_played_in_its_place_counts_for_no_player(after: int) -> None:
    pairs = [("it", "nash"), ("nash", "it"), ("nash", "nash")]
    (stopped,) = list_tournaments(meet({"nash": "nash", "it": Quitter(after)}, pairs))

    def replace_player(record: Record) -> Record:
        seat = next((seat for seat, spec in record.spec.seats.items() if "Stayer" in spec.called), "")
        outcome = Outcome("failed", "substitute", "person:ann left; another plays on", after, seat)
        return replace(record, outcome=outcome) if seat else record

    played = [replace_player(record) for record in meet({"nash": "nash", "it": Stayer(None)}, pairs)]
    assert {len(record.rewards) for record in played} == {8}
    (held,) = list_tournaments(played)
    assert held.payoffs == stopped.payoffs
    assert [result.lost for result in held.results] == [result.lost for result in stopped.results]


def test_episodes_without_a_record_of_who_stopped_them_are_listed_and_charge_nobody() -> None:
    played = records([("nash", "nash"), ("random", "nash")], 2)
    (before,) = list_tournaments(played)
    failed = replace(played[2], outcome=Outcome("failed", "provider", "ego: the server is gone"))
    absent = om.play(
        "ipd-mixed-v1", {"ego": "uniform", "partner_0": "nash"}, options={"rounds": 8}, ask=False
    )
    absent = replace(absent, outcome=Outcome("failed", "provider", "no answer"))
    (held,) = list_tournaments([*played[:2], failed, played[3], absent])
    assert (held.lost, sum(map(sum, held.episodes))) == (2, 3)
    assert held.uncharged == (
        f"random – nash, seed {failed.spec.seed}: failed (provider)",
        "uniform – nash, seed 0: failed (provider)",
    )
    assert [result.lost for result in held.results] == [0, 0, 0]
    assert held.results[0].self_play == before.results[0].self_play
    (held,) = list_tournaments([*played, replace(absent, spec=replace(absent.spec, seed=9))])
    assert held.results[0].rating == before.results[0].rating, "its seed is no cluster"
    assert list_tournaments([failed, absent]) == []
    assert held.players[2] == "uniform"
    assert held.results[2].rating.mean is None


def test_without_a_stage_game_the_breaker_gets_the_least_of_all_scored_episodes() -> None:
    played = [replace(record, game=None) for record in records([("random", "nash"), ("nash", "random")], 3)]
    lost = replace(played[4], outcome=Outcome("cut", "budget", "ego: no answer", 4))
    (held,) = list_tournaments([*played[:4], lost, played[5]])
    scored = [record for record in played if record is not played[4]]
    least = min(record.total(seat) for record in scored for seat in record.seats)
    own = [r.total(s) for r in scored for s in r.seats if r.spec.seats[s].mind == "nash"]
    assert held.players[0] == "nash"
    assert held.payoffs[0][1] == pytest.approx(fmean([*own, least]))
    assert list_tournaments([lost]) == []


def test_an_unfinished_run_says_how_much_of_it_is_recorded(tmp_path: Path) -> None:
    run = tmp_path / "out"
    otherminds("run", str(study(tmp_path, NAMES[:2])), "--out", str(run), "--shard", "1/2")
    text, lines = (
        otherminds("tournament", str(run)).stdout,
        otherminds("tournament", str(run), "--json").stdout,
    )
    (held,) = json.loads(lines)
    assert (held["recorded"], held["planned"]) == (len(om.records(run)), 8)
    assert held["recorded"] < 8
    assert f"{held['recorded']} of 8 planned episodes are recorded" in text


def test_a_folder_without_a_run_needs_a_place_to_play(tmp_path: Path) -> None:
    done = otherminds("tournament", str(study(tmp_path, NAMES[:2])))
    assert done.returncode == 2
    assert "--out" in done.stderr
