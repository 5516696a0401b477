"""What the Bayesian cook wins by finding out whom it works with: returns, F and L beside the reference minds.

Then the same beside teammates of other kinds than those that are met. The stand-ins are scripted: nothing here can be compared with
published Melting Pot scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from statistics import fmean

from common import arguments, finish
from cooks import seeds_of
from tables import table, told

import otherminds as om
from otherminds.core.contracts import Mind
from otherminds.core.data import Action, Invalid, Partner, SkillChoice
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario, scenario
from otherminds.gridworlds.cooking.cooks import COOKS, Cook, CookPolicy, in_role
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC as RULES
from otherminds.gridworlds.grid.rules import NOOP
from otherminds.gridworlds.grid.scenarios import SCRIPTED
from otherminds.measures.cells import tabulate

SCENARIOS = ("0", "1", "2", "mixture")
MINDS = ("bayesian", "informed", "blind", "cook")
UNTOLD = tuple(mind for mind in MINDS if mind != "informed")
TURNS = 400
"""The step in which a teammate that changes does so."""


@dataclass(frozen=True)
class Shift:
    """When a teammate works: from step ``begins`` until step ``ends``."""

    begins: int = 0
    ends: int = RULES.maximum


class Shifted(Cook):
    """A cook that only works during its shift."""

    def __init__(self, shift: Shift) -> None:
        super().__init__(RULES, COOKS["chef_0"])
        self.shift = shift

    async def act(self) -> Action | SkillChoice | Invalid:
        made = await super().act()
        return made if self.shift.begins <= self._kitchen.step < self.shift.ends else NOOP


OTHERS: Mapping[str, Callable[[], Mind]] = {
    "does everything, on either side": lambda: in_role(RULES, "alone"),
    "only brings tomatoes, on either side": lambda: in_role(RULES, "supply"),
    "only serves, on either side": lambda: in_role(RULES, "serve"),
    "as chef_0, but idle in 80 % of its steps": lambda: Cook(RULES, CookPolicy("serve", "supply", 0.8)),
    f"as chef_0, until step {TURNS}": lambda: Shifted(Shift(ends=TURNS)),
    f"as chef_0, from step {TURNS}": lambda: Shifted(Shift(begins=TURNS)),
}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=20, help="episodes a cell (default 20)")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.episodes)
    figures: dict[str, float] = {}
    print(f"{SCRIPTED}.\n")
    for noise in (0.0, 0.1, 0.3):
        print(f"Noise of the stand-ins: {noise:g}\n")
        print(beside_those_met(seeds, noise, figures))
    print(beside_others(options.seed, options.episodes // 2))
    finish(options, figures)


def beside_those_met(seeds: range, noise: float, figures: dict[str, float]) -> str:
    """Mean return, F and L of each mind in each scenario, on the same seeds."""
    records = [
        episode(scenario(f"cooking-asymmetric-{which}-v1", {"noise": noise}), mind, seed)
        for which in SCENARIOS
        for mind in MINDS
        for seed in seeds
    ]
    planned = Counter((record.spec.title, record.spec.seats["ego"].title) for record in records)
    found = tabulate(planned, records)
    figures |= {f"{cell.scenario}.{cell.mind}.noise={noise:g}": cell.reward or 0.0 for cell in found}
    rows = [
        [cell.scenario, cell.mind, f"{cell.reward:.1f}", told(cell.functional, 2), told(cell.literal, 2)]
        for cell in found
    ]
    return table(["scenario", "mind", "return", "F", "L"], rows)


def beside_others(first: int, episodes: int) -> str:
    """Soups of an episode beside teammates of other kinds, by the own room."""
    rows: list[list[str]] = []
    for about, made in OTHERS.items():
        built = replace(
            scenario("cooking-asymmetric-0-v1", {}),
            partner=lambda spec, seat, made=made, about=about: (made(), Partner(about)),
        )
        for room in ("left", "right"):
            seeds = seeds_of(built, room, first, episodes)
            returns = [fmean(episode(built, mind, seed).total("ego") for seed in seeds) for mind in UNTOLD]
            rows.append([about, room, *(f"{mean / RULES.pay:.1f}" for mean in returns)])
    return table(["teammate", "own room", *UNTOLD], rows)


def episode(built: Scenario, name: str, seed: int) -> Record:
    return om.play(built, name, seed=seed)


if __name__ == "__main__":
    main()
