"""L of the household and its verdicts: minds of known knowledge, and minds that know nothing, in every shipped split.

``--part teams``: what reference teams get in a whole split, three runs a task, with the accuracy of each policy of the
panel over the same questions. ``--part nulls``: studies of minds that know nothing, each with every acting rule. A study
draws as many tasks as the split has, with replacement, from a bank of all its tasks, played once; coins are tossed anew.
Asking never changes acting, so that one bank of an acting rule serves every way of answering.

Wanted: the teams that track what others know have L near 1, and at most 5 % of the studies of a null mind say that it
knows.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from common import arguments, finish
from msgspec import Struct
from msgspec.structs import replace
from tables import table

from otherminds.household.measures.literal_scores import (
    Numbers,
    Tally,
    Terms,
    find_terms,
    tally_items,
)
from otherminds.household.measures.literal_verdicts import TaskTerms, literal_mean, sum_terms
from otherminds.household.measures.passes import OVERALL, Team, teams
from otherminds.household.measures.questions import Item
from otherminds.household.pool.store import shipped_splits
from otherminds.measures.intervals import TAIL_OF_ONE_SIDE
from otherminds.measures.verdict import FEWEST_CLUSTERS, KNOWLEDGE, LEAST_KNOWN

sys.path.insert(
    0, str(Path(__file__).parents[1])
)  # for the minds of known knowledge, which the tests have too

from tests.household.measures.literal_minds import (
    ACTING,
    KNOWN_TEAMS,
    NULL_MINDS,
    Answers,
    Bank,
    answer_bank,
    play_bank,
    score_policies,
)


class Questions(Struct, frozen=True, eq=False):
    """The questions of a bank: their tally, and the entry and the task of each (int64[questions])."""

    tally: Tally
    items: tuple[Item, ...]
    entry: np.ndarray
    task: np.ndarray


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--part", default="teams", choices=("teams", "nulls"))
    parser.add_argument("--split", action="append", choices=shipped_splits(), help="(default: all)")
    parser.add_argument("--studies", type=int, default=1000, help="studies of each null mind (default 1000)")
    parser.add_argument("--tasks", type=int, help="only the first tasks of a split (default: all)")
    options = parser.parse_args()
    splits = options.split or shipped_splits()
    part = show_teams if options.part == "teams" else show_nulls
    finish(options, part(splits, options.tasks, options.studies, options.seed))


def show_teams(splits: Sequence[str], tasks: int | None, studies: int, seed: int) -> dict[str, float]:
    """Prints the scores of teams; returns L by split and team."""
    figures: dict[str, float] = {}
    for split in splits:
        rows: list[list[str]] = []
        panels: list[list[str]] = []
        for acting in KNOWN_TEAMS:
            bank = play_bank(split, acting, tasks)
            told = answer_bank(bank, lambda item: {item.truth: 1.0})
            for name, attempts in ((acting, bank.attempts), (f"{acting}, answers by the log", told)):
                row = next(one for one in teams(bank.planned, attempts) if one.scope == OVERALL)
                rows.append([name, *_cells(row)])
                figures[f"{split}.{name}"] = float("nan") if row.others.score is None else row.others.score
            scores = score_policies([(run.scenario, item) for run in bank.attempts for item in run.items])
            panels.append([acting, *(f"{100 * score:.0f}" for score in scores.values())])
            names = list(scores) or ["no question has weight"]
        print(f"## {split}\n")
        heads = ["team", "goal met, %", "L", "bounds", "right, %", "floor, %", "questions", "telling tasks"]
        print(table([*heads, "left out, %", "knowledge: right, %", "verdict"], rows))
        print("Accuracy of the panel's policies over the same questions, in %.\n")
        print(table(["team", *names], [row for row in panels if len(row) > 1]))
    return figures


def show_nulls(splits: Sequence[str], tasks: int | None, studies: int, seed: int) -> dict[str, float]:
    """Prints in how many studies each null mind is said to know; returns the largest share in each split, in %."""
    figures: dict[str, float] = {}
    for split in splits:
        shares = {
            acting: _shares_of_knowledge(play_bank(split, acting, tasks), studies, seed) for acting in ACTING
        }
        rows = [[name, *(f"{100 * found[name]:.1f}" for found in shares.values())] for name in NULL_MINDS]
        figures[split] = 100 * max(share for found in shares.values() for share in found.values())
        print(f"## {split}: studies in which it is said to know, of {studies}, in %\n")
        print(table(["answers", *ACTING], rows), flush=True)
    return figures


def _shares_of_knowledge(bank: Bank, studies: int, seed: int) -> dict[str, float]:
    """The share of studies in which each null mind is said to know; all nulls get the same draws of tasks."""
    questions, rng = _questions(bank), np.random.default_rng(seed)
    size, runs = len(questions.tally.tasks), len(bank.attempts)
    chances = {
        name: np.array([answers(item).get(item.truth, 0.0) for item in questions.items])
        for name, answers in NULL_MINDS.items()
    }
    for answers in NULL_MINDS.values():
        _check(bank, answers, questions)
    known = dict.fromkeys(NULL_MINDS, 0)
    for _ in range(studies):
        times = np.bincount(rng.integers(size, size=size), minlength=size)
        terms = find_terms(questions.tally, times.astype(np.float64))
        for name, chance in chances.items():
            right = rng.binomial(times[questions.task], chance)
            known[name] += _is_known(_terms(questions, terms, right, times, runs))
    return {name: number / studies for name, number in known.items()}


def _check(bank: Bank, answers: Answers, questions: Questions) -> None:
    """Checks that a study of every task once has the verdict that a report of the same runs has."""
    attempts = answer_bank(bank, answers)
    verdict = next(row.verdict for row in teams(bank.planned, attempts) if row.verdict)
    right = np.array([float(item.right) for attempt in attempts for item in attempt.items])
    times = np.ones(len(questions.tally.tasks), dtype=np.int64)
    once = _terms(questions, find_terms(questions.tally), right, times, len(attempts))
    assert _is_known(once) == (verdict.kind in KNOWLEDGE), "the two ways to judge a study agree"


def _is_known(terms: TaskTerms) -> bool:
    """Whether a study, without losses, is one of knowledge, as :func:`~otherminds.household.measures.literal_verdicts.judge_splits` has it."""
    mean = literal_mean(terms, than=LEAST_KNOWN)
    return mean is not None and len(terms.telling) >= FEWEST_CLUSTERS and mean.above(0.0) < TAIL_OF_ONE_SIDE


def _terms(questions: Questions, terms: Terms, right: Numbers, times: np.ndarray, runs: int) -> TaskTerms:
    """The terms of a study in which each task was drawn ``times``; every copy is a task of its own.

    ``right`` has, for each question, the number of right answers in all copies.
    """
    tally = questions.tally
    summed = np.bincount(questions.entry, right, minlength=tally.entries) * terms.weights
    found = sum_terms(tally, replace(terms, right=summed), runs)
    copies = dict(zip(tally.tasks, times.tolist(), strict=True))

    def each(part: dict[str, float]) -> dict[str, float]:
        return {
            f"{task}#{k}": value / copies[task] for task, value in part.items() for k in range(copies[task])
        }

    telling = frozenset(f"{task}#{k}" for task in found.telling for k in range(copies[task]))
    return TaskTerms(each(found.won), each(found.winnable), found.worst, telling)


def _questions(bank: Bank) -> Questions:
    """The questions of a bank."""
    listed = tuple((run.scenario, item) for run in bank.attempts for item in run.items)
    tally = tally_items(listed)
    entries = {
        (tally.tasks[task], tally.forms[form], truth): n
        for n, (task, form, truth) in enumerate(
            zip(tally.task.tolist(), tally.form.tolist(), tally.truth.tolist(), strict=True)
        )
    }
    entry = np.array([entries[task, item.form, item.truth] for task, item in listed], dtype=np.int64)
    return Questions(tally, tuple(item for _, item in listed), entry, tally.task[entry])


def _cells(row: Team) -> list[str]:
    found, verdict = row.others, row.verdict
    assert verdict is not None, "all tasks are of one split"

    def percent(share: float | None) -> str:
        return "–" if share is None else f"{100 * share:.0f}"

    bounds = verdict.literal
    known = row.knowledge
    return [
        f"{row.functional.avg:.0f}",
        "–" if found.score is None else f"{found.score:.2f}",
        "–" if bounds.low is None or bounds.high is None else f"[{bounds.low:.2f}, {bounds.high:.2f}]",
        percent(found.accuracy),
        percent(found.floor),
        f"{found.weighted} of {found.questions}",
        str(verdict.clusters),
        percent(sum(row.left_out.values())),
        percent(known.accuracy) if known.weighted else f"– ({known.questions} asked)",
        verdict.words,
    ]


if __name__ == "__main__":
    main()
