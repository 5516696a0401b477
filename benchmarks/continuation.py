"""How often LM prompting predicts a constant partner: asked a question, and as the continuation of the history.

Each model plays the same episodes in three forms: the same partners, labels, orders of options and seeds. The partner
always chooses the same option. ``question`` is the prompt pack of that name; ``agent first`` continues the sentence of
the round after the own choice, ``partner first`` before it. ``chance`` is the share of a guess. LM prompting has no
randomness, so that each combination of partner, labels and order is played once: IBS has 8 of them.

A model is a spec string, such as ``smollm2`` or ``gguf:PATH``. It must be able to score.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Sequence
from typing import NamedTuple

from common import arguments, finish, show

import otherminds as om

SCENARIOS = ("rps-single-v1", "ibs-single-v1")
FORMS: dict[str, tuple[dict[str, str], str]] = {
    "question": ({"pack": "question"}, "after"),
    "agent first": ({}, "after"),
    "partner first": ({}, "before"),
}
"""By the name of a form: the parameters of ``lm``, and when the literal question is asked."""


class Shares(NamedTuple):
    """Shares of rounds: right predictions, those of the second half, and best responses in the second half."""

    right: float
    right_late: float
    best_late: float


def measure_form(model: str, scenario: str, form: str, rounds: int, seeds: Sequence[int]) -> Shares:
    """Plays an episode for each seed.

    Raises:
        SystemExit: an episode was not scored.
    """
    params, literal = FORMS[form]
    right: list[bool] = []
    right_late: list[bool] = []
    best_late: list[bool] = []
    for seed in seeds:
        mind = om.SeatSpec("lm", dict(params), model)
        record = om.play(scenario, mind, seed=seed, options={"rounds": rounds, "literal": literal})
        if record.outcome.status != "scored":
            raise SystemExit(f"{model} in {scenario}, seed {seed}: {record.outcome.reason}")
        assert record.game is not None, "a matrix game"
        gains = [[own for own, _ in row] for row in record.game.payoffs]
        hits = [asked.answer == asked.truth for asked in record.asked]
        best = [gains[own][other] == max(row[other] for row in gains) for own, other in record.actions]
        right += hits
        right_late += hits[rounds // 2 :]
        best_late += best[rounds // 2 :]
    return Shares(_share(right), _share(right_late), _share(best_late))


def find_designs(scenario: str, seeds: Sequence[int]) -> tuple[list[int], float]:
    """The first seed of each combination of partner, labels and order, and the share of a guess."""
    designs: dict[str, int] = {}
    options = 1
    for seed in seeds:
        record = om.play(scenario, "uniform", seed=seed, options={"rounds": 1})
        designs.setdefault(f"{record.spec.seats['partner_0'].called} {record.drawn}", seed)
        options = len(record.questions[0].options)
    return [*designs.values()], 1 / options


def main() -> None:
    options = _options()
    rows: list[list[object]] = []
    figures: dict[str, dict[str, object]] = {}
    for model in options.models:
        for scenario in SCENARIOS:
            seeds, chance = find_designs(scenario, range(options.seed, options.seed + options.episodes))
            for form in FORMS:
                began = _processor_seconds()
                shares = measure_form(model, scenario, form, options.rounds, seeds)
                seconds = (_processor_seconds() - began) / len(seeds)
                cells = [f"{100 * share:.0f} %" for share in shares]
                row = [model, scenario, len(seeds), form, *cells, f"{100 * chance:.0f} %", f"{seconds:.1f}"]
                rows.append(row)
                print(*row, sep=" | ", flush=True)
                figures[f"{model} {scenario} {form}"] = {"value": shares.right, "unit": "share of rounds"}
    columns = [
        "model",
        "scenario",
        "n",
        "form",
        "right",
        "2nd half",
        "best responses",
        "chance",
        "s an episode",
    ]
    title = f"A constant partner, n episodes of {options.rounds} rounds"
    show(title, columns, rows)
    finish(options, figures)


def _options() -> argparse.Namespace:
    parser = arguments(__doc__)
    parser.add_argument("models", nargs="*", default=["smollm2"], help="spec strings (default smollm2)")
    parser.add_argument("--rounds", type=int, default=20, help="rounds an episode (default 20)")
    parser.add_argument("--episodes", type=int, default=12, help="episodes for each row (default 12)")
    return parser.parse_args()


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _share(hits: Sequence[bool]) -> float:
    return sum(hits) / len(hits)


if __name__ == "__main__":
    main()
