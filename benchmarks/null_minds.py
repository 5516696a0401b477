"""Do minds that know nothing reach the headline? Simulated studies of null minds.

Every null mind plays a bank of episodes against every member of each scenario's population.
A simulated study draws a number of them for each partner, without replacement, and is
reported as a real one is. Wanted: a sure finding in at most 5 % of studies, and no null
mind with L or F above 0 beyond its interval in the whole bank.

Also measured: how often nominal 95 % intervals of L, F and of the parts of regret hold the
bank's own value (populations of finite size, so nearly exact), and their width against that
of an interval that knows the true spread.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from itertools import product
from random import Random

import numpy as np
from common import arguments, finish, show
from msgspec.structs import replace

from otherminds import SeatSpec, play_now
from otherminds.core.setup import Participant, Setup
from otherminds.measures.basis import Basis, scores
from otherminds.measures.cells import cells, sure
from otherminds.measures.episode import Episode, summarise
from otherminds.measures.intervals import quantile
from otherminds.minds.making import make_mind
from otherminds.worlds.registry import scenario

WORLDS = {
    "rps": ("rps-single-v1", "rps-mixed-v1"),
    "ibs": ("ibs-single-v1", "ibs-mixed-v1"),
    "ipd": ("ipd-mixed-v1", "ipd-grim-v1"),
    "rws-repeated": ("rws-repeated-0-v1", "rws-repeated-2-v1", "rws-repeated-4-v1"),
    "pd-repeated": ("pd-repeated-0-v1", "pd-repeated-mixture-v1"),
}
COVERED = ("functional", "literal", "unused", "mistaken", "foresight", "luck")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--world", default="rps", choices=sorted(WORLDS))
    parser.add_argument("--studies", type=int, default=1000, help="simulated studies (default 1000)")
    parser.add_argument("--episodes", type=int, default=8, help="episodes a partner in a study (default 8)")
    parser.add_argument("--bank", type=int, default=40, help="episodes a partner in the bank (default 40)")
    parser.add_argument("--rounds", type=int, default=100, help="rounds of a matrix game (default 100)")
    parser.add_argument("--steps", type=int, default=400, help="steps of a gridworld (default 400)")
    options = parser.parse_args()
    matrix = options.world in ("rps", "ibs", "ipd")
    settings = {"rounds": options.rounds} if matrix else {"steps": options.steps}
    banks = {name: bank(name, settings, options.bank) for name in WORLDS[options.world]}
    above = [
        (name, mind, score)
        for name, minds in banks.items()
        for mind, partners in minds.items()
        for score, found in scores([e.basis for played in partners.values() for e in played]).items()
        if score in ("literal", "functional") and found.mean is not None and (found.low or 0.0) > 1e-9
    ]
    rng = Random(options.seed)
    findings = [study(banks, options.episodes, rng) for _ in range(options.studies)]
    share = sum(map(bool, findings)) / len(findings)
    show(
        f"{options.world}: {options.studies} simulated studies, {options.episodes} episodes a partner",
        ("scenarios", "null minds", "studies with a sure finding", "L or F above 0 in the bank"),
        [
            (
                ", ".join(banks),
                len(next(iter(banks.values()))),
                f"{100 * share:.1f} %",
                ", ".join(map(str, above)) or "none",
            )
        ],
    )
    rows = [
        (name, mind, score, f"{100 * held:.1f}", f"{wide:.2f}")
        for name, minds in banks.items()
        for mind in ("uniform", "mirror")
        for score, held, wide in coverage(minds[mind], options.episodes, options.studies, rng)
    ]
    show(
        "coverage of nominal 95 % intervals", ("scenario", "mind", "score", "holds %", "width / ideal"), rows
    )
    finish(options, {"sure": share, "above": above, "coverage": rows})
    sys.exit(share > 0.05 or bool(above))


Bank = dict[str, dict[str, list[Episode]]]
"""Episodes by mind and partner."""


def null_minds(name: str) -> list[SeatSpec]:
    """Constant action with constant prediction (each pair), uniform, echo, mirror."""
    own, theirs = scenario(name, {}).game.behaviours
    pairs = [
        SeatSpec("constant", {"behaviour": a, "prediction": b}, label=f"{a}, says {b}")
        for a, b in product(own, theirs)
    ]
    return [*pairs, SeatSpec("uniform"), SeatSpec("echo"), SeatSpec("mirror")]


def bank(name: str, settings: dict[str, int], episodes: int) -> Bank:
    """``episodes`` episodes of every null mind against every member of the population."""
    built = scenario(name, settings)
    found: Bank = defaultdict(lambda: defaultdict(list))
    for seat in null_minds(name):
        for m, (_, members) in enumerate(built.population.members):
            met = dict(zip(built.others, members, strict=True))
            for k in range(episodes):
                ego = Participant(make_mind(seat), label=seat.label)
                record, _ = play_now(Setup(built, {"ego": ego}, 10_000 * m + k, met))
                # Only what the scores need: the other measures would be computed anew in every study.
                episode = replace(summarise(record), values={}, ratios={})
                found[episode.mind][episode.stratum].append(episode)
    return found


def study(banks: dict[str, Bank], episodes: int, rng: Random) -> list[str]:
    """The minds that a simulated study calls sure."""
    drawn: list[Episode] = []
    for minds in banks.values():
        for partners in minds.values():
            for played in partners.values():
                drawn += rng.sample(played, episodes)
    planned: dict[tuple[str, str], int] = {}
    for episode in drawn:
        key = (episode.scenario, episode.mind)
        planned[key] = planned.get(key, 0) + 1
    return [cell.mind for cell in sure(cells(planned, drawn))]


def coverage(
    partners: dict[str, list[Episode]], episodes: int, studies: int, rng: Random
) -> list[tuple[str, float, float]]:
    """How often intervals hold the bank's value, and their mean width over the ideal one.

    Draws are with replacement: the bank is the world. Ideal is the interval of the true
    standard deviation of the estimate with the same degrees of freedom.
    """
    bases = {name: [e.basis for e in played] for name, played in partners.items()}
    truth = scores([one for played in bases.values() for one in played])
    held: dict[str, list[bool]] = defaultdict(list)
    widths: dict[str, list[float]] = defaultdict(list)
    means: dict[str, list[float]] = defaultdict(list)
    freedom: dict[str, list[float]] = defaultdict(list)
    for _ in range(studies):
        drawn: list[Basis] = [one for played in bases.values() for one in rng.choices(played, k=episodes)]
        for score, found in scores(drawn).items():
            if score not in COVERED or found.mean is None or found.low is None:
                continue
            held[score].append(found.low - 1e-9 <= truth[score].mean <= found.high + 1e-9)
            widths[score].append(found.high - found.low)
            means[score].append(found.mean)
            freedom[score].append(found.freedom)
    rows: list[tuple[str, float, float]] = []
    for score, hits in held.items():
        spread = float(np.std(means[score]))
        if spread < 1e-9:
            continue  # every study gives the same number: there is nothing to cover
        ideal = 2 * spread * float(np.mean(quantile(np.array(freedom[score]))))
        rows.append((score, float(np.mean(hits)), float(np.mean(widths[score])) / ideal))
    return rows


if __name__ == "__main__":
    main()
