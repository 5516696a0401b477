"""S2A + CoT prompting: keeps what matters, then reasons, then answers."""

from __future__ import annotations

from otherminds.minds.language.answering import REASONED, REASONED_ABOUT_OTHER
from otherminds.minds.language.strategies.s2a import S2A
from otherminds.minds.registry import strategies


@strategies.register("s2a_cot")
class S2ACoT(S2A):
    """S2A whose second call reasons before it answers, as CoT does.

    Riemer et al. 2025, section 4.2 and figures 16 and 17, with figures 6 and 7.
    """

    choosing = REASONED
    predicting = REASONED_ABOUT_OTHER

    def __init__(
        self,
        tries: int = 3,
        temperature: float = 0.7,
        top_p: float = 0.95,
        max_tokens: int = 256,
        rewrite_tokens: int = 192,
    ) -> None:
        super().__init__(tries, temperature, top_p, max_tokens, rewrite_tokens)
