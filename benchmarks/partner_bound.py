"""The bound on policies without partners: how many shipped tasks have one, and how it compares with the exact value.

The first table counts the tasks of each split: *literal*, others share all secrets of some agent; *short*, some agent may
know more than it can say; *apart*, such an agent can learn nothing of some partners; those with a bound below 1, and of at most
a quarter; and these two (*deaf*) if agents ignored all that they see and hear of partners, which the verdict does not assume.
The second table: small games, the bound against the exact value by enumeration.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from time import perf_counter

from common import arguments, finish, show
from tests.household.epistemic.partner_games import draw_family
from tests.household.tasks.telling import untold_abilities

from otherminds.household.epistemic.certificate import EpistemicProblem
from otherminds.household.epistemic.check_partners import (
    LIMIT,
    choosers,
    family_of,
    know_all,
    largest_share,
    solved_by_choice,
    statements_of,
)
from otherminds.household.epistemic.check_rules import ProblemRules
from otherminds.household.pool.store import pool_called, shipped_splits
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.partners import bound_partners
from otherminds.household.scenes.load import load_scene
from otherminds.household.shared import house_of

COLUMNS = (
    "tasks",
    "literal",
    "short of messages",
    "apart",
    "below 1",
    "at most 1/4",
    "deaf: below 1",
    "deaf: at most 1/4",
)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--games", type=int, default=1000, help="number of small games")
    options = parser.parse_args()
    finish(options, {"splits": splits(), "games": games(options.games, random.Random(options.seed))})


def splits() -> dict[str, dict[str, float]]:
    """How many tasks of each split have a bound."""
    figures: dict[str, dict[str, float]] = {}
    for split in shipped_splits():
        pool = pool_called(split)
        counts = Counter[str](tasks=len(pool))
        began = perf_counter()
        for entry in pool:
            counts["literal"] += bool(untold_abilities(entry.task))
            counts.update(_columns(exported(house_of(entry.task, load_scene(entry.task.scene_id)))))
        figures[split] = {column: counts[column] for column in COLUMNS}
        figures[split]["ms a task"] = 1000 * (perf_counter() - began) / len(pool)
    rows = [[name, *(f"{value:g}" for value in row.values())] for name, row in figures.items()]
    show("tasks with a bound", ["split", *COLUMNS, "ms a task"], rows)
    return figures


def _columns(problem: EpistemicProblem) -> Iterator[str]:
    """The columns that count a task."""
    rules, known = ProblemRules(problem), know_all(problem, {})
    limits = {agent: statements_of(problem, agent) for agent in problem.agents}
    short = {agent for agent, limit in limits.items() if limit is not None and 0 < limit < len(known[agent])}
    groups = [some for size in range(2, len(problem.agents)) for some in combinations(problem.agents, size)]
    if short:
        yield "short of messages"
    if any(short.intersection(choosers(rules, partners)) for partners in groups):
        yield "apart"
    bound = bound_partners(rules)
    yield from (["below 1"] if bound else [])
    yield from (["at most 1/4"] if bound and bound.share <= LIMIT else [])
    deaf = min(
        (_deaf(rules, partners) for partners in groups if short.difference(partners)), default=Fraction(1)
    )
    yield from (["deaf: below 1"] if deaf < 1 else [])
    yield from (["deaf: at most 1/4"] if deaf <= LIMIT else [])


def _deaf(rules: ProblemRules, partners: tuple[str, ...]) -> Fraction:
    """The bound if all other agents tell the same in all tasks of the family, whatever they hear and see."""
    others = [agent for agent in rules.problem.agents if agent not in partners]
    solved = solved_by_choice(rules, family_of(partners), others)
    members = frozenset[int]().union(*solved)
    return largest_share(solved, members) if members else Fraction(1)


def games(count: int, draw: random.Random) -> dict[str, float]:
    """The bounds and the exact values of small games."""
    counts, loosest, began = Counter[str](), Fraction(1), perf_counter()
    for _ in range(count):
        game, family = draw_family(draw)
        rules, every = ProblemRules(game.problem()), family_of(game.partners)
        solved = solved_by_choice(rules, every, choosers(rules, game.partners))
        bound, exact = largest_share(solved, [every.index(roles) for roles in family]), game.share()
        counts["bound below exact"] += bound < exact
        counts["bound = exact"] += bound == exact
        counts["exact below 1"] += exact < 1
        counts["bound below 1"] += bound < 1
        loosest = max(loosest, bound / exact)
    figures = {"games": count, **counts, "largest bound / exact": float(loosest)}
    show(
        "small games",
        [*figures, "s"],
        [[f"{x:g}" for x in figures.values()] + [f"{perf_counter() - began:.0f}"]],
    )
    return figures


if __name__ == "__main__":
    main()
