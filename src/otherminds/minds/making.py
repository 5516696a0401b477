"""Makes the mind of a seat from its specification."""

from __future__ import annotations

from otherminds.core.contracts import Mind
from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.minds.registry import minds, strategies


def make_mind(spec: SeatSpec) -> Mind:
    """The mind that ``spec`` names, or with a model the prompting strategy.

    Minds that suspend use a language model too, and are no strategies.

    Raises:
        StudyError: no such mind or strategy, an invalid parameter, or a missing or superfluous model.
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
