"""How competent the scripted cooks are: soups in whole episodes, for every pair and both rooms.

The least that skilled and semi-skilled stand-ins must deliver is fixed in
``otherminds.gridworlds.cooking.cooks`` from the optimum of ``kitchen_ceiling.py``, before
anything here was measured. This also checks that the roles of the reference minds
``informed`` and ``blind`` are the best ones measured. Fails if any of it does not hold.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import fmean, stdev
from typing import Any

from common import arguments, finish, show

from otherminds.core.contracts import Mind
from otherminds.core.encoding import derive
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Scenario, Setup, scenario
from otherminds.gridworlds.cooking.cooks import (
    BEST,
    COOKS,
    FIXED,
    LEAST_SEMI_SKILLED,
    LEAST_SKILLED,
    NAMES,
    NOOP_BOT,
    OPTIMUM,
    CookPolicy,
)
from otherminds.gridworlds.cooking.form import ROLES
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.gridworlds.cooking.scenarios import weights
from otherminds.gridworlds.grid.scenarios import MIXTURE
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now

ROOMS = ("left", "right")
TIE = 0.5
"""Soups by which a role may fall short of the best one measured and still be called best."""
REFERENCES = ("informed", "blind", "cook", "noop", "random")
Pairs = Mapping[tuple[str, str], float]
"""The mean soups of a cook in the left room with one in the right room."""


def seeds_of(built: Scenario, room: str, first: int, episodes: int) -> list[int]:
    """The next seeds from ``first`` under which ego starts in ``room``."""
    world, found, seed = built.world(), [], first
    while len(found) < episodes:
        observations, _ = world.reset(seed=derive(seed, "world") % 2**31)
        if (observations["ego"]["POSITION"][0] < 4) == (room == "left"):
            found.append(seed)
        seed += 1
    return found


def soups(
    built: Scenario, made: Callable[[], Mind], name: str, partner: Callable[[], Mind], seed: int
) -> float:
    """What the two deliver in one episode, ``made`` as ego; ``name`` is what the other is called."""
    ego = made()
    if name in NAMES:
        setup = Setup(built, {"ego": ego}, seed, {"partner_0": SeatSpec(name)}, ask=False)
    else:
        setup = Setup(built, {"ego": ego, "partner_0": partner()}, seed, ask=False)
    return play_now(setup)[0].total("ego") / COOKING_ASYMMETRIC.pay


def best(room: str, chosen: CookPolicy, found: Mapping[str, float], beside: str) -> list[str]:
    """What is wrong with the role that is called best in ``room``."""
    role = chosen.serving if room == "left" else chosen.supplying
    most = max(found, key=found.__getitem__)
    if found[most] - found[role] <= TIE:
        return []
    return [f"{room} room beside {beside}: {role} delivers {found[role]:.1f}, {most} {found[most]:.1f}"]


def competence(pairs: Pairs) -> list[str]:
    """Shows how competent the stand-ins are. Returns what falls short."""
    rows: list[tuple[Any, ...]] = []
    faults: list[str] = []
    for name in COOKS:
        least = LEAST_SKILLED if name.startswith("chef") else LEAST_SEMI_SKILLED
        found = pairs[name, "share"], pairs["share", name]
        idle = pairs[name, NOOP_BOT], pairs[NOOP_BOT, name]
        rows.append((name, least, *(f"{soups:.1f}" for soups in (*found, *idle))))
        faults += [f"{name} in the {r} room: {n:.1f}" for r, n in zip(ROOMS, found, strict=True) if n < least]
    show(
        "competence: with the mind cook (role share), and with one who does nothing",
        ("stand-in", "at least", "left", "right", "with noop: left", "right"),
        rows,
    )
    return faults


def roles(pairs: Pairs) -> list[str]:
    """Shows what each role delivers. Returns where the roles of ``informed`` and ``blind`` are not the best."""
    rows: list[tuple[Any, ...]] = []
    faults: list[str] = []
    for room in ROOMS:
        found = {
            name: {role: pairs[(role, name) if room == "left" else (name, role)] for role in ROLES}
            for name in NAMES
        }
        mixed = {
            role: sum(float(share) * found[name][role] for share, name in weights(MIXTURE)) for role in ROLES
        }
        rows += [
            (room, role, *(f"{found[name][role]:.1f}" for name in NAMES), f"{mixed[role]:.1f}")
            for role in ROLES
        ]
        for name in NAMES:
            faults += best(room, BEST[name], found[name], name)
        fixed = {role: soups for role, soups in mixed.items() if role != "share"}
        faults += best(room, FIXED, fixed, MIXTURE)
    show("soups of each role with each stand-in", ("room", "role", *NAMES, MIXTURE), rows)
    return faults


def references(built: Scenario, seeds: Sequence[int]) -> dict[str, dict[str, float]]:
    """Shows and returns what the reference minds deliver in each scenario."""
    minds = {name: built.minds[name] for name in REFERENCES[:-1]}
    minds[REFERENCES[-1]] = lambda: make_mind(SeatSpec(REFERENCES[-1]))
    found = {
        (mind, name): fmean(soups(built, made, name, made, seed) for seed in seeds)
        for mind, made in minds.items()
        for name in NAMES
    }
    figures: dict[str, dict[str, float]] = {}
    rows: list[tuple[Any, ...]] = []
    for which in (*map(str, range(len(COOKING_ASYMMETRIC.scenarios))), MIXTURE):
        row = {
            mind: sum(float(share) * found[mind, name] for share, name in weights(which)) for mind in minds
        }
        gain = row["informed"] - row["blind"]
        f = f"{(row['cook'] - row['blind']) / gain:.2f}" if gain > TIE else "null"
        rows.append((f"cooking-asymmetric-{which}-v1", *(f"{value:.1f}" for value in row.values()), f))
        figures[which] = row
    show(
        "soups of the reference minds, both rooms alike (the return is 20 times as much)",
        ("scenario", *minds, "F of cook"),
        rows,
    )
    return figures


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=20, help="episodes a pair and room (default 20)")
    options = parser.parse_args()
    built = scenario(f"cooking-asymmetric-{MIXTURE}-v1", {})
    seeds = {room: seeds_of(built, room, options.seed, options.episodes) for room in ROOMS}
    made: dict[str, Callable[[], Mind]] = {role: partial(built.minds["role"], role=role) for role in ROLES}
    made |= {name: built.minds[name] for name in NAMES}
    played = {
        (left, right): [soups(built, made[left], right, made[right], seed) for seed in seeds["left"]]
        for left in made
        for right in made
    }
    pairs = {pair: fmean(found) for pair, found in played.items()}
    show(
        f"soups in 1,000 steps, mean of {options.episodes} episodes; rows: left room, columns: right room",
        ("", *made),
        [(left, *(f"{pairs[left, right]:.1f}" for right in made)) for left in made],
    )
    error = max(stdev(found) / len(found) ** 0.5 for found in played.values())
    print(f"largest standard error: {error:.2f} soups; the optimum of a team: {OPTIMUM}")
    faults = [*competence(pairs), *roles(pairs)]
    figures = references(built, [*seeds["left"], *seeds["right"]])
    for fault in faults:
        print("FAULT:", fault)
    soup = {f"{left}, {right}": found for (left, right), found in pairs.items()}
    finish(options, {"episodes": options.episodes, "pairs": soup, "references": figures}, ("numba",))
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
