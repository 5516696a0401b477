"""Automata of Axelrod-Python's strategies: how many there are, and which exact references can be computed.

Counts the automata by their states, and the strategies without one by the reason. Then, for random populations
of growing size, in how many the best plan fixed in advance is found exactly, and the seconds for it. Then the
returns of plans and of best responses over all automata. Does not need Axelrod-Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from random import Random
from time import perf_counter

from common import arguments, finish, show

from otherminds.core.data import Automaton, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.games.automata import deterministic
from otherminds.games.best_response import best_response
from otherminds.games.blind import blind_value, open_loop_return
from otherminds.games.registry import ipd
from otherminds.matrix.axelrod import table

SIZES = ((1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (17, 32), (33, 64))
"""The least and the most states of each row."""
MEMBERS = (2, 3, 4, 6, 8, 12)
PLANS = {"always cooperate": (0, 0), "cooperate, defect in the last round": (0, 1), "always defect": (1, 1)}
"""Behaviours in all rounds but the last, and in the last."""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="rounds of an episode (default 100)")
    parser.add_argument("--populations", type=int, default=20, help="random populations a size (default 20)")
    options = parser.parse_args()
    automata = table().automata
    figures = {
        "sizes": sizes(automata.values()),
        "reasons": dict(Counter(table().others.values())),
    }
    show(f"{len(automata)} automata", ("states", "strategies", "of these deterministic"), figures["sizes"])
    show(f"{len(table().others)} without", ("reason", "strategies"), sorted(figures["reasons"].items()))
    figures["populations"] = [
        population(automata, size, options.populations, options.rounds, Random(options.seed))
        for size in MEMBERS
    ]
    show("exact blind plans", ("strategies", "populations with one", "seconds each"), figures["populations"])
    figures["all"] = returns(automata, options.rounds)
    show(f"return a round over all {len(automata)}", ("plan", "return"), figures["all"])
    finish(options, figures)


def sizes(automata: Iterable[Automaton]) -> list[tuple[str, int, int]]:
    """The numbers of automata by their states."""
    known = [(len(one.output), deterministic(one)) for one in automata]
    rows: list[tuple[str, int, int]] = []
    for least, most in SIZES:
        sure = [certain for states, certain in known if least <= states <= most]
        rows.append((f"{least} to {most}", len(sure), sum(sure)))
    return rows


def population(
    automata: Mapping[str, Automaton], size: int, number: int, rounds: int, rng: Random
) -> tuple[int, str, str]:
    """In how many of ``number`` random populations of ``size`` the blind plan is found, and the seconds for each."""
    found, started = 0, perf_counter()
    for _ in range(number):
        members = rng.sample(list(automata.values()), size)
        try:
            blind_value(ipd(), tuple(WeightedPolicy(1 / size, one) for one in members), rounds)
            found += 1
        except WorldError:
            continue
    return size, f"{found} of {number}", f"{(perf_counter() - started) / number:.2f}"


def returns(automata: Mapping[str, Automaton], rounds: int) -> list[tuple[str, str]]:
    """The mean return a round of fixed plans, and of the best response to each strategy."""
    known = automata.values()
    rows: list[tuple[str, str]] = []
    for title, (before, last) in PLANS.items():
        plan = (before,) * (rounds - 1) + (last,)
        mean = sum(open_loop_return(ipd(), one, plan) for one in known) / len(known)
        rows.append((title, f"{mean / rounds:.3f}"))
    started = perf_counter()
    best = sum(best_response(ipd(), one, rounds).value for one in known) / len(known)
    return [*rows, (f"best responses ({perf_counter() - started:.1f} s)", f"{best / rounds:.3f}")]


if __name__ == "__main__":
    main()
