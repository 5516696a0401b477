"""Social LM prompting: predicts by scores, then acts on the prediction."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid
from otherminds.minds.language.social import Social
from otherminds.minds.language.strategy import Desk
from otherminds.minds.registry import strategies


@strategies.register("social_lm")
class SocialLM(Social):
    """Social prompting whose prediction is the likeliest continuation, as in LM prompting.

    Riemer et al. 2025, section 4.1 and figures 3 and 18. Needs a model that can
    score.
    """

    async def foretell(self, desk: Desk, ask: Ask, purpose: str) -> Any | Invalid:
        return await desk.best(desk.prompt(ask), ask, purpose)
