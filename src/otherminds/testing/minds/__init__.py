"""What every mind keeps."""

from __future__ import annotations

from otherminds.testing.minds.asking import AskingPromises
from otherminds.testing.minds.conduct import ConductPromises
from otherminds.testing.minds.determinism import MindDeterminismPromises

__all__ = ["MindConformance"]


class MindConformance(AskingPromises, ConductPromises, MindDeterminismPromises):
    """Inherit this in a test class; write ``make_mind`` and ``make_scenario``.

    A mind that needs a language model writes ``make_models`` too: a stand-in
    that answers by the seed of each call will do. See
    :class:`~otherminds.testing.minds.case.MindCase`.
    """
