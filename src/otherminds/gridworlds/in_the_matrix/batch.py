"""The substrates of this world for learning: see :mod:`otherminds.gridworlds.grid.learner`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from otherminds.gridworlds.grid.engine import Kernel
from otherminds.gridworlds.grid.learner import Substrate
from otherminds.gridworlds.grid.substrates import substrates
from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES, Rules
from otherminds.gridworlds.in_the_matrix.views import codes


def learned(rules: Rules) -> Substrate:
    """The substrate under ``rules``: a vector is the inventory, float32[K], and whether the beam can be fired (0 to 1)."""
    kinds = len(rules.classes)
    return Substrate(rules, codes(rules), (("INVENTORY", kinds), ("READY_TO_SHOOT", 1)), _kernel, kinds)


@substrates.family
def _named() -> dict[str, Callable[[], Substrate]]:
    return {name: partial(learned, rules) for name, rules in SUBSTRATES.items()}


def _kernel() -> Kernel:
    from otherminds.gridworlds.in_the_matrix._kernel import KERNEL

    return KERNEL
