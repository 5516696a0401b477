"""QA prompting: an answer in a template."""

from __future__ import annotations

from otherminds.minds.language.answering import template_sampling
from otherminds.minds.language.strategy import Templated
from otherminds.minds.registry import strategies


@strategies.register("qa")
class QA(Templated):
    """Asks for an answer in a template; draws again until one fits.

    Riemer et al. 2025, section 4.1 and figures 4 and 5. One user message through the
    model's chat template. Parameters: :class:`~otherminds.minds.language.answering.TemplateSampling`.
    """

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int | None = None
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)
