"""Where minds and prompting strategies become known, and how a seat is filled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from otherminds.core.contracts import Mind
from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.core.registry import Registry

SWITCHES = ("history", "payoffs")
"""Parameters that every strategy has: whether its prompts hold what was told, and the payoffs."""


class Strategies(Registry[Callable[..., Any]]):
    """Prompting strategies by name; ``make`` gives the language mind that decides by one."""

    def build(self, name: str, params: Mapping[str, Any], *given: Any) -> Mind:
        from otherminds.minds.language.mind import LanguageMind

        switches = {switch: params.get(switch, True) for switch in SWITCHES}
        for switch, value in switches.items():
            if not isinstance(value, bool):
                raise StudyError(f"strategy {name!r}: {switch} must be true or false, not {value!r}")
        own = {key: value for key, value in params.items() if key not in SWITCHES}
        return LanguageMind(super().build(name, own, *given), **switches)


minds: Registry[Callable[..., Mind]] = Registry("mind", "otherminds.minds")
strategies = Strategies("strategy", "otherminds.minds.language.strategies", plural="strategies")


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
        if spec.mind in minds and spec.mind not in strategies:
            raise StudyError(f"mind {spec.mind!r} uses no language model; leave out {spec.model!r}")
        return strategies.make(spec.mind, spec.params)
    if spec.mind not in minds and spec.mind in strategies:
        raise StudyError(f"strategy {spec.mind!r} needs a language model: write '{spec.mind}@MODEL'")
    return minds.make(spec.mind, spec.params)
