"""LM prompting: the likeliest continuation."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Ask, Invalid, Question
from otherminds.minds.language.strategy import PromptContext, Strategy
from otherminds.minds.registry import strategies


@strategies.register("lm")
class LM(Strategy):
    """Scores every option as the continuation of the history and takes the likeliest.

    Riemer et al. 2025, section 4.1 and figures 1 to 3, after Akata et al. 2023. The prompt is the rules and
    the rounds so far, and goes on with the sentence of the coming round up to the option: "In round 7, you
    chose Option". The literal form scores the partner's options, after the own choice if that is made, else
    before it. There is no question and no chat template. Worlds that cannot continue a history, and the pack
    ``question``, end with a question and the beginning of its answer. Needs a model that can score; a tie
    goes to the option listed first.
    """

    listed = True
    scores = True
    replies = "nothing"

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        return await prompts.choose_likeliest(ask, "act")

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        return await prompts.choose_likeliest(ask, question.purpose)
