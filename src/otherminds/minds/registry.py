"""Where minds and prompting strategies become known, and how a seat is filled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from otherminds.core.contracts import Mind
from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.core.registry import Registry

if TYPE_CHECKING:
    from otherminds.minds.language.strategy import Strategy

minds: Registry[Callable[..., Mind]] = Registry("mind", "otherminds.minds")
strategies: Registry[Callable[..., Strategy]] = Registry(
    "strategy", "otherminds.minds.language.strategies", plural="strategies"
)


def make_mind(spec: SeatSpec) -> Mind:
    """The mind that ``spec`` names: a strategy where it names a model, else a mind.

    Minds that suspend use a language model themselves; they are no strategies.

    Raises:
        StudyError: no such mind or strategy, a bad parameter, a model too few or too many.
    """
    if spec.mind in minds and getattr(minds.get(spec.mind), "suspends", False):
        if not spec.model:
            raise StudyError(f"mind {spec.mind!r} needs a language model: write '{spec.mind}@MODEL'")
        return minds.make(spec.mind, spec.params)
    if spec.model:
        from otherminds.minds.language.mind import LanguageMind

        if spec.mind in minds and spec.mind not in strategies:
            raise StudyError(f"mind {spec.mind!r} uses no language model; leave out {spec.model!r}")
        switches = {name: spec.params.get(name, True) for name in ("history", "payoffs")}
        for name, value in switches.items():
            if not isinstance(value, bool):
                raise StudyError(f"strategy {spec.mind!r}: {name} must be true or false, not {value!r}")
        own = {name: value for name, value in spec.params.items() if name not in switches}
        return LanguageMind(strategies.make(spec.mind, own), **switches)
    if spec.mind not in minds and spec.mind in strategies:
        raise StudyError(f"strategy {spec.mind!r} needs a language model: write '{spec.mind}@MODEL'")
    return minds.make(spec.mind, spec.params)
