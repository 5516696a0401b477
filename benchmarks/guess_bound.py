"""The guess bound of the shipped tasks, and how loose the bound is: a Markdown table each.

First table: for each task, the bound with things of one kind and with things of one use, the bound that counts silent
codes, and milliseconds a task. Second table: systems of hidden bits, in which the actors of a bit may know others; the
exact value of the best joint policy, by enumeration, against the bound.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from time import perf_counter

from common import arguments, finish

from otherminds.household.proofs.guess_check import check_guess
from otherminds.household.proofs.guessing import Hidden, bound_guesses, bounded
from otherminds.household.scenes.load import load_scene
from otherminds.household.shared import house_of
from otherminds.household.tasks.load import load_task, shipped_tasks

Knows = Mapping[int, frozenset[int]]
RANDOM = 40
"""Random systems of four bits, each with at most two known bits."""


def main() -> None:
    options = arguments(__doc__).parse_args()
    figures = {"tasks": tasks(), "systems": systems(random.Random(options.seed))}
    finish(options, figures)


def tasks() -> dict[str, dict[str, str]]:
    """The bounds of the shipped tasks."""
    figures: dict[str, dict[str, str]] = {}
    print("| task | one kind | one use | with silent codes | ms | classes of one kind that count |")
    print("|---|---|---|---|---|---|")
    for name in shipped_tasks():
        task = load_task(name)
        house = house_of(task, load_scene(task.scene_id))
        start = perf_counter()
        found = bound_guesses(house)
        spent = 1000 * (perf_counter() - start)
        wide = bound_guesses(house, by_ability=True)
        if faults := [*check_guess(house, found), *check_guess(house, wide)]:
            raise SystemExit(f"{name}: {faults}")
        used = "; ".join(f"{found.hidden[i].what} ({found.hidden[i].share})" for i in found.bound.order)
        shares = {"kind": found.bound.share, "use": wide.bound.share, "codes": found.coded.share}
        print(f"| {name} | {' | '.join(shares.values())} | {spent:.1f} | {used} |")
        figures[name] = shares
    return figures


def systems(generator: random.Random) -> dict[str, dict[str, float]]:
    """The exact values and the bounds of systems of bits."""
    figures: dict[str, dict[str, float]] = {}
    print("\n| system | systems | bound below exact | exact = bound | largest bound / exact |")
    print("|---|---|---|---|---|")
    ring = {i: frozenset({(i - 1) % 5, (i + 1) % 5}) for i in range(5)}
    groups = {
        "3 bits, all": list(every(3)),
        "4 bits, random": [drawn(4, generator) for _ in range(RANDOM)],
        "ring of 5 bits, each knows both neighbours": [ring],
    }
    for name, some in groups.items():
        pairs = [(best(knows), bounded([bit(i) for i in knows], knows).value) for knows in some]
        unsound = sum(bound < exact for exact, bound in pairs)
        equal = sum(bound == exact for exact, bound in pairs)
        loosest = float(max(bound / exact for exact, bound in pairs))
        print(f"| {name} | {len(some)} | {unsound} | {equal} | {loosest:.2f} |")
        figures[name] = {"systems": len(some), "unsound": unsound, "equal": equal, "loosest": loosest}
    return figures


def bit(number: int) -> Hidden:
    """Two handles, one to open and one to leave."""
    things = (f"left_{number}", f"right_{number}")
    return Hidden(f"bit {number}", (), things, (), (), things[:1], things[1:])


def every(bits: int) -> Iterator[Knows]:
    """All ways in which the actors of each bit may know other bits."""
    arrows = [(i, j) for i in range(bits) for j in range(bits) if i != j]
    for used in product((False, True), repeat=len(arrows)):
        pairs = [arrow for arrow, use in zip(arrows, used, strict=True) if use]
        yield {i: frozenset(j for k, j in pairs if k == i) for i in range(bits)}


def drawn(bits: int, generator: random.Random) -> Knows:
    """Each bit's actors know at most two others."""
    others = [[j for j in range(bits) if j != i] for i in range(bits)]
    return {i: frozenset(generator.sample(others[i], generator.randint(0, 2))) for i in range(bits)}


def best(knows: Knows) -> Fraction:
    """The largest share of worlds in which all bits are guessed right, over all joint policies."""
    worlds = [*product((0, 1), repeat=len(knows))]
    right = {(1 << len(worlds)) - 1}
    for i, known in knows.items():
        options = set(_masks(worlds, i, sorted(known)))
        right = {one & other for one in right for other in options}
        # A set of solved worlds within another one is never better.
        if len(right) < 3000:
            right = {one for one in right if not any(one != other and one & other == one for other in right)}
    return Fraction(max(one.bit_count() for one in right), len(worlds))


def _masks(worlds: Sequence[tuple[int, ...]], i: int, known: list[int]) -> Iterator[int]:
    """For each way to guess bit ``i`` from known bits, the worlds in which it is right."""
    keys: list[tuple[int, ...]] = [*product((0, 1), repeat=len(known))]
    for guesses in product((0, 1), repeat=len(keys)):
        policy = dict(zip(keys, guesses, strict=True))
        yield sum(1 << at for at, w in enumerate(worlds) if policy[tuple(w[j] for j in known)] == w[i])


if __name__ == "__main__":
    main()
