"""The substrate of this world for learning: see :mod:`otherminds.gridworlds.grid.learner`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from otherminds.gridworlds.cooking.rules import SUBSTRATES, Rules
from otherminds.gridworlds.cooking.views import codes
from otherminds.gridworlds.grid.engine import Kernel
from otherminds.gridworlds.grid.learner import Substrate
from otherminds.gridworlds.grid.substrates import substrates


def learned(rules: Rules) -> Substrate:
    """The substrate under ``rules``. Nothing is observed beside the window, so vectors are empty."""
    return Substrate(rules, codes(rules), (), _kernel)


@substrates.family
def _named() -> dict[str, Callable[[], Substrate]]:
    return {name: partial(learned, rules) for name, rules in SUBSTRATES.items()}


def _kernel() -> Kernel:
    from otherminds.gridworlds.cooking._kernel import KERNEL

    return KERNEL
