"""Are the exact rewards of sessions what they say? Oracle 1, minds that know nothing at most 0, and a sum that is the return.

``--part sums``: in every scenario with exact ends, episodes of random play; the sum of the turn rewards against
``(E − B) / (I − B)``, with E computed here by walking the partner's automaton. ``--part ends``: the mean return of ``informed``
and of ten minds that know nothing, in the scenarios that play the whole population that their rewards refer to.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator

import numpy as np
from common import arguments, finish, show

from otherminds import Record, SeatSpec
from otherminds.api.validation import CANARIES, TOLERANCE, UNTRAINED, play_client
from otherminds.core.errors import OtherMindsError
from otherminds.core.scenario import Participant, Scenario, Setup, scenario, scenarios
from otherminds.measures.intervals import Strata
from otherminds.measures.literal import member, setting
from otherminds.measures.registry import Unknown
from otherminds.measures.turn_rewards import turn_rewards
from otherminds.minds.registry import make_seated
from otherminds.play.loop import play_now

WHOLE = ("rps-single-v1", "rps-mixed-v1", "ibs-single-v1", "ibs-mixed-v1", "ipd-mixed-v1")
NULLS = ("uniform", "echo", "mirror", "random")
"""With the six clients of ``UNTRAINED``, ten."""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--part", default="sums", choices=("sums", "ends"))
    parser.add_argument("--episodes", type=int, default=1080, help="episodes of each mind (default 1080)")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of an episode (default 20)")
    parser.add_argument(
        "--scenario", action="append", choices=WHOLE, help="only this (part ends); repeatable"
    )
    options = parser.parse_args()
    figures, holds = {"sums": compare_sums, "ends": measure_ends}[options.part](options)
    finish(options, figures)
    sys.exit(not holds)


def compare_sums(options: Namespace) -> tuple[dict[str, object], bool]:
    """The largest deviation of each scenario; whether all are at most 1e-9."""
    figures: dict[str, object] = {}
    rows: list[tuple[object, ...]] = []
    for built in exact_scenarios(options.rounds):
        deviations: list[float] = []
        reason = ""
        for seed in range(options.seed, options.seed + options.episodes):
            record = play_mind(built, SeatSpec("uniform"), seed)
            rewards = turn_rewards(record, options.rounds)
            if isinstance(rewards, Unknown):
                reason = rewards.reason
                break
            deviations.append(abs(float(rewards.sum()) - expected_return(record)))
        figures[built.id] = reason or max(deviations)
        rows.append((built.id, len(deviations), reason or f"{max(deviations):.1e}"))
        print(*rows[-1], file=sys.stderr, flush=True)
    show("|Σ turn rewards − return|, random play", ("scenario", "episodes", "largest"), rows)
    return figures, all(value <= 1e-9 for value in figures.values() if isinstance(value, float))


def exact_scenarios(rounds: int) -> Iterator[Scenario]:
    """The scenarios of single-step encounters with partners of known policy."""
    for name in scenarios:
        try:
            built = scenario(name, {"rounds": rounds})
        except OtherMindsError:  # no rounds, or a game that is to be given
            continue
        if built.game is not None and built.bounds is not None:
            yield built


def expected_return(record: Record) -> float:
    """``(E − B) / (I − B)``, from the record's actions alone."""
    matchup, bounds = setting(record), record.bounds
    if isinstance(matchup, Unknown) or bounds is None or bounds.blind is None or bounds.best is None:
        raise ValueError(f"{record.spec.title} has no exact ends")
    policy = matchup.met
    expected, state = 0.0, policy.start
    for own, other in record.actions:
        expected += float(np.dot(policy.output[state], [cell[0] for cell in matchup.game.payoffs[int(own)]]))
        state = policy.next[state][int(other)][int(own)]
    return (expected - bounds.blind) / (bounds.best - bounds.blind)


def measure_ends(options: Namespace) -> tuple[dict[str, object], bool]:
    """The mean returns; whether the oracle is within the tolerance of 1 and no null mind above it."""
    figures: dict[str, object] = {}
    rows: list[tuple[object, ...]] = []
    holds = True
    for name in options.scenario or WHOLE:
        built = scenario(name, {"rounds": options.rounds})
        for player in ("informed", *NULLS, *UNTRAINED):
            records = [
                play_client(built, player, seed, CANARIES[player])
                if player in UNTRAINED
                else play_mind(built, SeatSpec(player), seed)
                for seed in range(options.seed, options.seed + options.episodes)
            ]
            assert records[0].bounds is not None
            weights = {part.name: part.weight for part in records[0].bounds.population}
            returns = np.array([expected_return(record) for record in records])
            mean = Strata([*map(member, records)], weights).estimate(returns)
            assert mean.mean is not None
            assert mean.error is not None
            holds &= abs(mean.mean - 1) <= TOLERANCE if player == "informed" else mean.mean <= TOLERANCE
            figures[f"{name}: {player}"] = [mean.mean, mean.error]
            rows.append((name, player, f"{mean.mean:.4f}", f"{mean.error:.4f}"))
            print(*rows[-1], file=sys.stderr, flush=True)
    show(f"mean return, {options.episodes} episodes", ("scenario", "mind", "return", "standard error"), rows)
    return figures, holds


def play_mind(built: Scenario, spec: SeatSpec, seed: int) -> Record:
    seated = {"ego": Participant(make_seated(built, spec))}
    return play_now(Setup(built, seated, seed, ask=False))[0]


if __name__ == "__main__":
    main()
