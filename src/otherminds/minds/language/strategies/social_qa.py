"""Social QA prompting: predicts by QA, then acts on the prediction."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid
from otherminds.minds.language.answering import AT_ONCE
from otherminds.minds.language.social import Social
from otherminds.minds.language.strategy import Desk
from otherminds.minds.registry import strategies


@strategies.register("social_qa")
class SocialQA(Social):
    """Social prompting whose prediction is a QA answer.

    Riemer et al. 2025, section 4.1 and figures 5 and 18.
    """

    async def foretell(self, desk: Desk, ask: Ask, purpose: str) -> Any | Invalid:
        return await desk.answer(desk.prompt(ask), ask, AT_ONCE, self.how, purpose)
