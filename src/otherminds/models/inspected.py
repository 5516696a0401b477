"""Models of Inspect's providers: ``inspect:PROVIDER/MODEL``; and agents of Inspect in the place of a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from otherminds.core.data import Message, ModelTool
from otherminds.core.errors import ProviderError, StudyError, TransientError
from otherminds.core.model import Completion, Decoding, Scores, ToolCall, Usage
from otherminds.models.registry import models
from otherminds.models.scoring import first_token, without
from otherminds.models.wire import FINISHES
from otherminds.models.wrapper import (
    Meter,
    NoMeter,
    Reasoning,
    StatedTokens,
    make_completion,
    read_count,
    sent_texts,
)

if TYPE_CHECKING:
    from inspect_ai.agent import Agent
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelOutput
    from inspect_ai.tool import ToolInfo

CONTEXT = 32_768
"""The context in tokens where Inspect does not know it."""
PATIENCE = 600
"""The timeout of a call in seconds."""
TOP = 20
"""The likeliest first tokens to request: the most that providers list."""
NOTHING_LISTED = "gives no log-probabilities of its reply; use a strategy that asks for text, such as qa"


class Inspected:
    """A model of Inspect; also an evaluation's own, which Inspect opens and closes.

    Tokens are counted as bytes of UTF-8, an upper bound. Inspect retries as the model is
    configured (without limit, unless ``max_retries`` is set); a fault that it would retry once
    more is a :class:`~otherminds.core.errors.TransientError`. Errors about limits of an
    evaluation pass through.
    """

    def __init__(self, model: Model) -> None:
        from inspect_ai.model import get_model_info

        info = get_model_info(model)
        self.model = model
        self._meter: Meter = NoMeter()
        self.spec = f"inspect:{model}"
        self.context = (info and info.context_length) or CONTEXT
        self.concurrency = model.config.max_connections or model.api.max_connections()

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """A reply to ``messages``. A top-p of 1 is omitted: some providers allow no top-p with a temperature."""
        from inspect_ai.model import GenerateConfig

        config = GenerateConfig(
            temperature=decoding.temperature,
            top_p=decoding.top_p if decoding.top_p < 1 else None,
            max_tokens=decoding.max_tokens,
            stop_seqs=list(decoding.stop) or None,
            seed=decoding.seed,
        )
        if decoding.schema is not None:
            from inspect_ai.model import ResponseSchema
            from inspect_ai.util import JSONSchema

            form = JSONSchema.model_validate(decoding.schema)
            config.response_schema = ResponseSchema(name="answer", json_schema=form)
        if decoding.effort:
            config.reasoning_effort = decoding.effort
        offered = [_info(tool) for tool in decoding.tools]
        output, usage = await self._call(messages, config, offered)
        called = output.message.tool_calls or ()
        # Arguments that Inspect could not parse are no JSON here either.
        tools = tuple(
            ToolCall(call.function, call.parse_error or json.dumps(call.arguments)) for call in called
        )
        finish = FINISHES.get(output.stop_reason, "stop")
        reply = make_completion(output.message.text, usage, _reasoning(output), tools, finish)
        return without(reply, decoding, "choice")

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """The log-probability that a chat reply to ``prompt`` begins with each continuation.

        At temperature 1, since some providers apply it to the listed probabilities.

        Raises:
            ProviderError: as :meth:`generate`, or the provider lists no log-probabilities.
        """
        from inspect_ai.model import GenerateConfig

        config = GenerateConfig(temperature=1.0, max_tokens=1, logprobs=True, top_logprobs=TOP)
        output, usage = await self._call([Message("user", prompt)], config)
        listed = output.choices[0].logprobs
        first = listed.content[:1] if listed else []
        top = [
            (candidate.token, candidate.logprob) for token in first for candidate in token.top_logprobs or ()
        ]
        if not top:
            raise ProviderError(f"model {self.spec}: LM prompting is unavailable, for it {NOTHING_LISTED}")
        return Scores(first_token(continuations, top, self.spec), usage, "chat")

    def count(self, text: str) -> int:
        """The bytes of ``text``."""
        return len(text.encode())

    def bill(self, meter: Meter) -> None:
        """Has ``meter`` told of each call from now on."""
        self._meter = meter

    async def close(self) -> None:
        await self.model.api.aclose()

    async def _call(
        self, messages: Sequence[Message], config: GenerateConfig, tools: Sequence[ToolInfo] = ()
    ) -> tuple[ModelOutput, Usage]:
        """The output, and what is charged for it: what was sent is, also where no output came of it."""
        from inspect_ai.util import LimitExceededError

        self._meter.check()
        size = sent_texts([message.content for message in messages], config.max_tokens or 0)
        charge = size.unanswered()
        reservation = self._meter.reserve(charge)
        try:
            output = await self.model.generate(
                [_chat(message) for message in messages], tools=tools, config=config
            )
            texts = () if output.empty else (output.message.text, *_reasoning(output))
            charge = size.answered(_read_usage(output), sum(len(text.encode()) for text in texts), texts)
        except LimitExceededError:
            charge = Usage()
            raise
        except Exception as error:  # every provider's package raises kinds of its own
            raise self._fault(error) from error
        finally:
            self._meter.pay(charge, reservation)
        if output.empty:
            raise ProviderError(f"model {self.spec}: {output.error or 'the reply is empty'}")
        if output.stop_reason == "model_length":
            raise ProviderError(
                f"model {self.spec}: prompt and reply do not fit its context; "
                "play fewer rounds, or leave out the history"
            )
        return output, charge

    def _fault(self, error: Exception) -> ProviderError:
        """``error`` or its cause in one line."""
        from tenacity import RetryError  # what Inspect retries with

        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        cause_line = " ".join(f"{type(cause).__name__}: {cause}".split())
        text = f"model {self.spec}: {cause_line if len(cause_line) <= 300 else cause_line[:300] + '…'}"
        if isinstance(error, RetryError):
            return TransientError(text, getattr(self.model.api.should_retry(cause), "retry_after", None))
        return ProviderError(text)


class InspectedAgent:
    """An agent of Inspect, asked as a model is: a prompt is its conversation, and its last output is the reply.

    How it samples is its own affair. The usage is that of its last output; Inspect counts that of all its calls.
    """

    context = CONTEXT
    concurrency = 10

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        name: str = getattr(agent, "__qualname__", type(agent).__qualname__)
        self.spec = f"inspect-agent:{name.partition('.')[0]}"

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """Runs the agent on ``messages``.

        Raises:
            ProviderError: it ended without an output.
        """
        from inspect_ai.agent import run

        output = (await run(self._agent, [_chat(message) for message in messages])).output
        if output.empty:
            raise ProviderError(f"model {self.spec}: {output.error or 'the agent ended without an output'}")
        stated = _read_usage(output)
        usage = Usage(stated.prompt or 0, stated.completion or 0, stated.cached or 0)
        finish = FINISHES.get(output.stop_reason, "stop")
        return make_completion(output.message.text, usage, _reasoning(output), finish=finish)

    def count(self, text: str) -> int:
        """The bytes of ``text``."""
        return len(text.encode())


@models.register("inspect")
def inspected(argument: str) -> Reasoning:
    """inspect:PROVIDER/MODEL, any of Inspect's providers (needs: pip install 'otherminds[inspect]').

    Inspect's own retries are off: the run retries.
    """
    spec = f"model 'inspect:{argument}'"
    if "/" not in argument:
        raise StudyError(f"{spec} must be inspect:PROVIDER/MODEL, such as inspect:openai/gpt-4o")
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError as error:
        raise StudyError(f"{spec} needs Inspect ({error}): pip install 'otherminds[inspect]'") from error
    try:
        config = GenerateConfig(max_retries=0, attempt_timeout=PATIENCE)
        return Reasoning(Inspected(get_model(argument, config=config, memoize=False)))
    except ValueError as error:
        raise StudyError(f"{spec}: {error}") from error
    except Exception as error:  # a package or a key that is missing: every provider says so in its own way
        from rich.text import Text  # such texts have markup

        plain = " ".join(Text.from_markup(str(error)).plain.split())
        raise ProviderError(f"{spec}: {plain}") from error


def _chat(message: Message) -> ChatMessage:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    if message.role == "system":
        return ChatMessageSystem(content=message.content)
    if message.role == "assistant":
        return ChatMessageAssistant(content=message.content)
    return ChatMessageUser(content=message.content)


def _info(tool: ModelTool) -> ToolInfo:
    from inspect_ai.tool import ToolInfo, ToolParams

    return ToolInfo(
        name=tool.name, description=tool.about, parameters=ToolParams.model_validate(tool.parameters)
    )


def _reasoning(output: ModelOutput) -> list[str]:
    """The reasoning in a reply; of redacted parts, the summary."""
    from inspect_ai.model import ContentReasoning

    content = output.message.content
    parts = content if isinstance(content, list) else []
    thoughts = (part for part in parts if isinstance(part, ContentReasoning))
    return [(part.summary or "") if part.redacted else part.reasoning for part in thoughts]


def _read_usage(output: ModelOutput) -> StatedTokens:
    """The counts, with cached tokens among the prompt's, which Inspect counts separately."""
    usage = output.usage
    if usage is None:
        return StatedTokens()
    fresh, cached, cache_writes, completion = map(
        read_count,
        (
            usage.input_tokens,
            usage.input_tokens_cache_read,
            usage.input_tokens_cache_write,
            usage.output_tokens,
        ),
    )
    return StatedTokens(
        None if fresh is None else fresh + (cached or 0) + (cache_writes or 0), completion, cached
    )
