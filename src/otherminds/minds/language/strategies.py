"""Prompting strategies (Riemer et al. 2025, sections 4.1 and 4.2): one class each, from a bare continuation to a tool loop."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import deque
from typing import Any

from msgspec import to_builtins

from otherminds.core.data import Ask, Invalid, Moment, Question, Turn, When
from otherminds.core.errors import StudyError
from otherminds.minds.language.requests import (
    Instruction,
    fields,
    one_line,
    reply_decoding,
    shorten_reply,
    tame,
    template_sampling,
)
from otherminds.minds.language.strategy import PromptContext, Strategy, Templated
from otherminds.minds.language.wording import Wording
from otherminds.minds.registry import strategies
from otherminds.replies.answers import offer_tools


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


@strategies.register("qa")
class QA(Templated):
    """Asks for an answer in a template; draws again until one fits.

    Riemer et al. 2025, section 4.1 and figures 4 and 5. One user message through the
    model's chat template. Parameters: :class:`~otherminds.minds.language.requests.TemplateSampling`.
    """

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int | None = None
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)


ASKED: tuple[When, ...] = ("before", "after")
"""When a question about the other can be asked."""


@strategies.register("cot")
class CoT(Templated):
    """Asks for reasoning, then an answer in a template, in one reply.

    Riemer et al. 2025, section 4.1 and figures 6 and 7, after Wei et al. 2022. The literal
    form asks for reasoning about the other player. A truncated reply is drawn again.
    """

    replies = "reasoning"

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 256
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)

    def choosing(self, words: Wording) -> Instruction:
        return words.reasoned

    def predicting(self, words: Wording) -> Instruction:
        return words.reasoned_about_other


@strategies.register("cot_3shot")
class CoT3Shot(CoT):
    """CoT after three worked examples of the world's verbalizer.

    Riemer et al. 2025, section 4.2 and figure 13; the examples use the world's action
    names and payoffs. They come between rules and history, so that each prompt still
    extends the one before. The literal form has examples of predictions; the paper shows
    none. Both are built once per episode if there is one other seat.
    """

    def begin(self, prompts: PromptContext) -> None:
        super().begin(prompts)
        self._choices = prompts.examples(Turn())
        brief = prompts.brief
        moments = ASKED if len(brief.others) == 1 and brief.behaviours.get(prompts.other) else ()
        self._predictions = {when: prompts.examples(prompts.question(when)) for when in moments}
        # No prompt shows both.
        prompts.reserve(
            max(prompts.count(examples) for examples in (self._choices, *self._predictions.values()))
        )

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        prompt = prompts.prompt(ask, self._choices)
        return await prompts.answer(prompt, ask, self.choosing(prompts.words), self.how, "act")

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        prepared = ""
        if self._predictions and prompts.asks_the_same(question):
            prepared = self._predictions.get(question.when, "")
        prompt = prompts.prompt(ask, prepared or prompts.examples(question))
        return await prompts.answer(prompt, ask, self.predicting(prompts.words), self.how, question.purpose)


@strategies.register("oracle")
class Oracle(Strategy):
    """QA with the other's true next action in the prompt.

    Riemer et al. 2025, section 4.2 and figure 14. Its grant ``next_action`` limits it to
    worlds whose actions are behaviours, and it has no literal form. Where the other's
    decision is invalid, the prompt is that of QA.
    """

    grants = frozenset({"next_action"})
    literal = False
    listed = True

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 24
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)

    def begin(self, prompts: PromptContext) -> None:
        prompts.reserve(self.how.decoding.max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        coming = prompts.context.foreseen.get(prompts.other)
        if coming is None:
            return await prompts.answer(prompts.prompt(ask), ask, prompts.words.at_once, self.how, "act")
        sentence = prompts.words.oracle.known.format(option=prompts.named(coming))
        prompt = prompts.prompt(ask, memory=sentence)
        return await prompts.answer(prompt, ask, self.choosing(prompts.words), self.how, "act")

    def choosing(self, words: Wording) -> Instruction:
        """The instruction of a choice where the other's next action is known."""
        return words.at_once


@strategies.register("oracle_max")
class OracleMax(Oracle):
    """Oracle with the instruction to maximise the own gain.

    Riemer et al. 2025, section 4.2 and figure 15. With ``history = false`` it is Oracle +
    Max − History, with ``payoffs = false`` Oracle + Max − Payoffs (table 3).
    """

    def choosing(self, words: Wording) -> Instruction:
        return words.instruction(words.oracle.maximise)


FIELDS = PLANS, INSIGHTS = "Plans", "Insights"


@strategies.register("plans_insights")
class PlansInsights(Templated):
    """Each choice also updates plans and insights, which the next prompts show.

    Riemer et al. 2025, section 4.1 and figures 8 and 9, after Fish et al. 2024.
    They come after the history. A valid reply without one of them keeps the one before;
    an invalid reply changes neither. The literal form shows them and asks for the answer alone.
    """

    replies = "reasoning"

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 256
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)

    def begin(self, prompts: PromptContext) -> None:
        self._kept: dict[str, str] = {}
        prompts.reserve((1 + len(FIELDS)) * self.how.decoding.max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        texts = prompts.words.plans_insights
        update = prompts.words.instruction(texts.update, texts.other)
        choice, reply = await prompts.templated(self.prompt(prompts, ask), ask, update, self.how, "act")
        if not isinstance(choice, Invalid):
            self._kept |= fields(reply, FIELDS, ask)
        return choice

    def prompt(self, prompts: PromptContext, ask: Ask) -> str:
        texts, memory = prompts.words.plans_insights, self._kept
        lines = [texts.plans.format(plans=memory[PLANS])] if PLANS in memory else []
        lines += [texts.insights.format(insights=memory[INSIGHTS])] if INSIGHTS in memory else []
        return prompts.prompt(ask, memory="\n".join(lines))


SIZES = (1, 2, 3)


@strategies.register("reflexion")
class Reflexion(Templated):
    """Reflects after each encounter but the last; prompts show the last ``memory`` reflections.

    Riemer et al. 2025, section 4.1 and figures 10 to 12, after Shinn et al. 2024; the
    paper reports the best of the memory sizes 1 to 3. Reflections of at most
    ``reflection_tokens`` come after the history. Choices and the literal form are those of QA.
    """

    def __init__(
        self,
        memory: int = 3,
        tries: int = 3,
        temperature: float = 0.7,
        top_p: float = 0.95,
        max_tokens: int | None = None,
        reflection_tokens: int = 128,
    ) -> None:
        if memory not in SIZES:
            raise StudyError(f"strategy 'reflexion': memory must be 1, 2 or 3, not {memory!r}")
        self.memory = memory
        self.how = template_sampling(tries, temperature, top_p, max_tokens)
        self.reflecting = reply_decoding(temperature, top_p, reflection_tokens)

    def begin(self, prompts: PromptContext) -> None:
        self._kept: deque[str] = deque(maxlen=self.memory)
        longest = max(self.how.decoding.max_tokens, self.reflecting.max_tokens)
        prompts.reserve(self.memory * self.reflecting.max_tokens + longest)

    async def perceive(self, prompts: PromptContext, moment: Moment) -> None:
        if not moment.encounters or moment.last:
            return
        consider = prompts.verbalizer.ask(Turn(), moment).consider
        texts = prompts.words.reflexion
        reflect = texts.reflect_on.format(consider=consider) if consider else texts.reflect
        words = f"{prompts.story(memory=self._shown(prompts))}\n{reflect}"
        reflection = one_line(await prompts.written(words, "reflect", self.reflecting))
        if reflection:
            self._kept.append(reflection)

    def prompt(self, prompts: PromptContext, ask: Ask) -> str:
        return prompts.prompt(ask, memory=self._shown(prompts))

    def _shown(self, prompts: PromptContext) -> str:
        if not self._kept:
            return ""
        return "\n".join([prompts.words.reflexion.shown, *(f"- {text}" for text in self._kept)])


@strategies.register("s2a")
class S2A(Templated):
    """Rewrites rules and history for the question; the answer sees only the rewriting.

    Riemer et al. 2025, section 4.2 and figures 16 and 17, after Weston & Sukhbaatar 2023.
    Any text of at most ``rewrite_tokens`` is a valid rewriting; the second call is that of
    QA. The literal form has its own rewriting.
    """

    def __init__(
        self,
        tries: int = 3,
        temperature: float = 0.7,
        top_p: float = 0.95,
        max_tokens: int | None = None,
        rewrite_tokens: int = 192,
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)
        self.rewriting = reply_decoding(temperature, top_p, rewrite_tokens)

    def begin(self, prompts: PromptContext) -> None:
        prompts.reserve(max(self.how.decoding.max_tokens, self.rewriting.max_tokens))

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        prompt = await self._rewritten(prompts, ask, "rewrite")
        return await prompts.answer(prompt, ask, self.choosing(prompts.words), self.how, "act")

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        prompt = await self._rewritten(prompts, ask, f"{question.purpose}:rewrite")
        return await prompts.answer(prompt, ask, self.predicting(prompts.words), self.how, question.purpose)

    async def _rewritten(self, prompts: PromptContext, ask: Ask, purpose: str) -> str:
        """A rewriting of rules and history, then the question."""
        words = f"{prompts.prompt(ask)}\n\n{prompts.words.s2a.rewrite}"
        text = await prompts.written(words, purpose, self.rewriting)
        lines = "\n".join(map(tame, text.strip().splitlines()))
        return f"{lines}\n\n{ask.text}"


@strategies.register("s2a_cot")
class S2ACoT(S2A):
    """S2A whose second call reasons before it answers, as CoT does.

    Riemer et al. 2025, section 4.2 and figures 16 and 17, with figures 6 and 7.
    """

    replies = "reasoning"

    def __init__(
        self,
        tries: int = 3,
        temperature: float = 0.7,
        top_p: float = 0.95,
        max_tokens: int = 256,
        rewrite_tokens: int = 192,
    ) -> None:
        super().__init__(tries, temperature, top_p, max_tokens, rewrite_tokens)

    def choosing(self, words: Wording) -> Instruction:
        return words.reasoned

    def predicting(self, words: Wording) -> Instruction:
        return words.reasoned_about_other


class Social(Templated):
    """Common part of Social QA and Social LM, which differ in :meth:`foretell`.

    Riemer et al. 2025, section 4.1 and figure 18, after Akata et al. 2023. It predicts when
    a moment brings something new, before the own choice (partner first). The answer to the
    literal question is that prediction; only a question with other options is asked
    separately. An invalid prediction is recorded as the answer, and the choice is made without one.
    """

    listed = True
    paired = True

    def __init__(
        self, tries: int = 3, temperature: float = 0.7, top_p: float = 0.95, max_tokens: int = 24
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)

    @abstractmethod
    async def foretell(self, prompts: PromptContext, ask: Ask, purpose: str) -> Any | Invalid:
        """An answer to a question about the other."""

    def begin(self, prompts: PromptContext) -> None:
        self._expected: Any | Invalid | None = None
        super().begin(prompts)

    async def perceive(self, prompts: PromptContext, moment: Moment) -> None:
        if moment.last:
            self._expected = None
        elif self._expected is None or prompts.verbalizer.tell(moment):
            self._expected = await self.foretell(prompts, prompts.about_other(), "expect")

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        expected = self._expected
        if expected is None or isinstance(expected, Invalid):
            return await super().choose(prompts, ask)
        texts = prompts.words.social
        prompt = prompts.prompt(ask, memory=texts.expected.format(option=prompts.named(expected)))
        return await prompts.answer(prompt, ask, prompts.words.instruction(texts.choose), self.how, "act")

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        if self._expected is not None and prompts.asks_the_same(question):
            return self._expected
        return await self.foretell(prompts, ask, question.purpose)


@strategies.register("social_lm")
class SocialLM(Social):
    """Social prompting whose prediction is the likeliest continuation, as in LM prompting.

    Riemer et al. 2025, section 4.1 and figures 3 and 18: the sentence of the coming round begins with the
    other player. Needs a model that can score.
    """

    scores = True

    async def foretell(self, prompts: PromptContext, ask: Ask, purpose: str) -> Any | Invalid:
        return await prompts.choose_likeliest(ask, purpose)


@strategies.register("social_qa")
class SocialQA(Social):
    """Social prompting whose prediction is a QA answer.

    Riemer et al. 2025, section 4.1 and figures 5 and 18.
    """

    async def foretell(self, prompts: PromptContext, ask: Ask, purpose: str) -> Any | Invalid:
        return await prompts.answer(prompts.prompt(ask), ask, prompts.words.at_once, self.how, purpose)


@strategies.register("tool_loop")
class ToolLoop(Templated):
    """One conversation over the whole episode; each reply has reasoning, then one action.

    After ReAct (Yao et al. 2023). Juneja et al. 2026 do not print the prompt of the agents
    that they evaluate; the form of a turn, reasoning and then one call, is that of their
    authoring agent (appendix F). The rules are the system message; moments and questions are
    user messages; valid replies follow as they were, bounded by
    :func:`~otherminds.minds.language.requests.shorten_reply`. Only the last message lists the valid
    answers or forms. When the context is full, the verbalizer's summary replaces the older
    half of the conversation. The literal form continues the same conversation without changing it.

    With ``tools`` the model may also answer by a native tool call: one of the world's actions, or
    ``answer`` with the question's JSON schema. The written forms remain in the prompt, for models without
    tools, and the conversation keeps a call in its written form. It plays in every world, whether options
    are listed or open.

    Raises:
        StudyError: ``tools`` is neither true nor false.
    """

    replies = "reasoning"

    def __init__(
        self,
        tries: int = 3,
        temperature: float = 0.7,
        top_p: float = 0.95,
        max_tokens: int = 320,
        tools: bool = False,
    ) -> None:
        if not isinstance(tools, bool):
            raise StudyError(f"strategy 'tool_loop': tools must be true or false, not {tools!r}")
        self.how = template_sampling(tries, temperature, top_p, max_tokens)
        self.tools = tools

    def choosing(self, words: Wording) -> Instruction:
        return words.instruction(words.cot.call, words.cot.own) if self.tools else words.reasoned

    def predicting(self, words: Wording) -> Instruction:
        return (
            words.instruction(words.cot.call, words.cot.other) if self.tools else words.reasoned_about_other
        )

    def begin(self, prompts: PromptContext) -> None:
        super().begin(prompts)
        if not self.tools:
            return
        tools = offer_tools(prompts.verbalizer.ask(Turn(), Moment(0, None)))
        if not tools:
            raise StudyError("this world has no tools or JSON schema of answers; leave out tools")
        prompts.reserve(sum(prompts.count(json.dumps(to_builtins(tool))) for tool in tools))

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        instruction = self.choosing(prompts.words)
        choice, reply = await prompts.templated(prompt, ask, instruction, self.how, "act", before, self.tools)
        if not isinstance(choice, Invalid):
            prompts.transcript.keep(ask.text, shorten_reply(reply))
        return choice

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        instruction, how, tools = self.predicting(prompts.words), self.how, self.tools
        return (await prompts.templated(prompt, ask, instruction, how, question.purpose, before, tools))[0]


@strategies.register("chat")
class Chat(Templated):
    """A conversation in which each reply is an answer alone, and every message stays as it was sent.

    It is of neither paper: trainers of policies over many turns need prompts that only grow, so that their token masks
    and caches stay valid. The rules are the system message. Moments and the question what to do are user
    messages, each with its list of valid answers; valid replies follow in full. A question about another seat
    continues the conversation without changing it. When the context is full, the verbalizer's summary replaces the
    older half.
    """

    def __init__(
        self, tries: int = 3, temperature: float = 1.0, top_p: float = 1.0, max_tokens: int | None = None
    ) -> None:
        self.how = template_sampling(tries, temperature, top_p, max_tokens)

    async def choose(self, prompts: PromptContext, ask: Ask) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        instruction = self.choosing(prompts.words)
        choice, reply = await prompts.templated(prompt, ask, instruction, self.how, "act", before)
        if not isinstance(choice, Invalid):
            prompts.transcript.keep(prompts.write_question(ask.text, ask, instruction), reply)
        return choice

    async def predict(self, prompts: PromptContext, ask: Ask, question: Question) -> Any | Invalid:
        before, prompt = prompts.conversation(ask)
        instruction = self.predicting(prompts.words)
        return (await prompts.templated(prompt, ask, instruction, self.how, question.purpose, before))[0]
