"""Is what a mind leaves unused measured as what it is?

A simulated mind always predicts its partner right and acts on that with probability q, else
plays one of the other behaviours. What it leaves unused is computed from q alone, by a
recursion over its own draws against each member of the population, and measured in episodes.
Wanted: the 95 % interval holds the computed value in each game and in Running With Scissors.
"""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
from common import arguments, finish, show

from otherminds import Record
from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.core.scenario import Setup, scenario
from otherminds.games.automata import best_reply
from otherminds.games.belief import Belief, best_replies, valuation
from otherminds.measures.basis import ScoreInputs, read_score_inputs
from otherminds.measures.intervals import Estimate, Strata
from otherminds.measures.literal import rounds_played, setting
from otherminds.minds.tabular import Simulated
from otherminds.play.loop import play_now

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
GAMES = ("rps-mixed-v1", "ibs-mixed-v1", "ipd-mixed-v1", "rws-repeated-2-v1")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=120, help="episodes a cell (default 120)")
    parser.add_argument("--rounds", type=int, default=20, help="rounds of a matrix game (default 20)")
    parser.add_argument("--steps", type=int, default=600, help="steps of a gridworld (default 600)")
    options = parser.parse_args()
    rows, missed = [], 0
    for name in GAMES:
        settings = {"steps": options.steps} if name.startswith("rws") else {"rounds": options.rounds}
        built = scenario(name, settings)
        for q in SHARES:
            setups = (
                Setup(built, {"ego": Simulated(1.0, q)}, options.seed + k) for k in range(options.episodes)
            )
            records = [play_now(setup)[0] for setup in setups]
            truth = float(np.mean([expected(record, q) for record in records]))
            found = measured([read_score_inputs(record) for record in records])
            inside = found.low - 1e-9 <= truth <= found.high + 1e-9
            missed += not inside
            rows.append(
                (name, q, f"{truth:.3f}", f"{found.mean:.3f}", f"[{found.low:.3f}, {found.high:.3f}]", inside)
            )
    show(
        f"unused, payoff a round, {options.episodes} episodes a cell",
        ("scenario", "q", "computed", "measured", "95 % interval", "holds"),
        rows,
    )
    finish(options, {"rows": rows, "missed": missed})
    sys.exit(missed > 2)  # of 20 intervals one is expected to miss, more than two in 7 % of runs


def measured(bases: list[ScoreInputs]) -> Estimate:
    """The mean over the population, dominant actions or not."""
    return Strata([one.partner for one in bases]).estimate(np.array([one.parts.unused for one in bases]))


def expected(record: Record, q: float) -> float:
    """What the simulated mind leaves unused a round against the partner met, over its own draws."""
    found = setting(record)
    return _expected(found.game, found.family, found.met, len(rounds_played(record)), q)


@cache
def _expected(game: Game, family: tuple[WeightedPolicy, ...], met: Automaton, rounds: int, q: float) -> float:
    valued, replies, own = valuation(game, family, rounds), best_replies(game), range(len(game.payoffs))

    @cache
    def left(t: int, state: int, belief: Belief) -> float:
        if t == rounds:
            return 0.0
        worths, moves = valued.worths(t, belief), [(b, p) for b, p in enumerate(met.output[state]) if p]
        total = 0.0
        for said, share in moves:  # where the partner draws lots, so does the prediction
            by_word = sum(worths[a] for a in replies[said]) / len(replies[said])
            best = best_reply(game, said)
            for a in own:
                chance = share * (q if a == best else (1 - q) / (len(own) - 1))
                if chance:
                    later = sum(
                        p * left(t + 1, met.next[state][b][a], valued.after(belief, a, b)) for b, p in moves
                    )
                    total += chance * (by_word - worths[a] + later)
        return total

    return left(0, met.start, valued.start) / rounds


if __name__ == "__main__":
    main()
