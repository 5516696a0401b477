"""The interface of language models, the requests and replies, and what a call costs."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from otherminds.core.data import Message, ModelTool


class Usage(Struct, frozen=True):
    """Tokens of one call; ``cached`` of the prompt's tokens were not evaluated again.

    ``estimated_prompt`` and ``estimated_completion`` of the tokens were not counted by the model's server: it stated
    no counts, or impossible ones (:mod:`otherminds.models.wrapper`).

    >>> Usage(10, 2) + Usage(10, 5, 8, estimated_completion=5)
    Usage(prompt=20, completion=7, cached=8, estimated_prompt=0, estimated_completion=5)
    """

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    estimated_prompt: int = 0
    estimated_completion: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.cached + other.cached,
            self.estimated_prompt + other.estimated_prompt,
            self.estimated_completion + other.estimated_completion,
        )

    @property
    def possible(self) -> Usage:
        """These counts within their bounds: none is negative, no part exceeds its whole.

        >>> Usage(10, -1, 30).possible.cached
        10
        """
        prompt, completion = max(self.prompt, 0), max(self.completion, 0)
        return Usage(
            prompt,
            completion,
            min(max(self.cached, 0), prompt),
            min(max(self.estimated_prompt, 0), prompt),
            min(max(self.estimated_completion, 0), completion),
        )

    @property
    def estimated(self) -> Usage:
        """The estimated tokens alone."""
        return Usage(self.estimated_prompt, self.estimated_completion)


Effort: TypeAlias = Literal["", "none", "minimal", "low", "medium", "high"]
"""How much a model should reason, as OpenAI names it; empty for the model's default."""


class Decoding(Struct, frozen=True):
    """How a reply is sampled, and what its server should guarantee.

    ``stop``: texts at which the reply ends. ``schema``: the JSON schema of the reply. ``choice``: the
    texts of which the reply is one. ``tools``: functions that the reply may call, in its text's place. A
    model that has no such option names it in :attr:`Completion.dropped`. The context derives ``seed`` from
    the call's key.
    """

    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 256
    stop: tuple[str, ...] = ()
    schema: dict[str, Any] | None = None
    seed: int = 0
    choice: tuple[str, ...] = ()
    effort: Effort = ""
    tools: tuple[ModelTool, ...] = ()


class ToolCall(Struct, frozen=True):
    """A tool that a reply asks for: its name, and its arguments as the model wrote them (JSON)."""

    name: str
    arguments: str


Unfinished: TypeAlias = Literal["length", "refusal", "filter"]
"""Why a reply did not end by itself."""
Finish: TypeAlias = Literal["stop", Unfinished, "substitute"]
"""Why a reply ended: complete, cut at its budget of tokens, refused by the model, or removed by a content filter.

``substitute``: somebody else wrote it in place of the model, and ``reasoning`` says who and why."""
SUBSTITUTE: Literal["substitute"] = "substitute"
"""An episode with such a reply is not scored."""


Reading: TypeAlias = Literal["", "strict", "lenient", "other", "none"]
"""Which reader found an answer in a reply: the strict one (the lenient one agrees), only the lenient one, or none.

``other``: the reply chooses something that is none of the options.

Empty where a reply is no answer to a question, such as a reflection."""


class Completion(Struct, frozen=True):
    """A model's reply: ``text`` to parse, ``reasoning`` and ``tools`` kept apart from it.

    ``dropped`` names the parameters of the request that the server refused and that were left out
    or lowered, such as ``temperature``.
    """

    text: str
    reasoning: str = ""
    usage: Usage = Usage()
    tools: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    dropped: tuple[str, ...] = ()


ScoreForm: TypeAlias = Literal["continuation", "chat"]


class Scores(Struct, frozen=True):
    """Natural-log probabilities of the continuations, in their order.

    ``form``: ``continuation`` of the bare prompt, or the first token of a
    ``chat`` reply to it, where a provider offers nothing else.
    """

    logprobs: tuple[float, ...]
    usage: Usage = Usage()
    form: ScoreForm = "continuation"


class Model(Protocol):
    """Access to one language model.

    Attributes:
        spec: Its spec string without the address, as records name it.
        context: The maximal number of tokens of a prompt and its reply together.
        concurrency: The number of episodes that it serves at the same time.

    A model with open connections also has ``async def close(self)``.
    """

    spec: str
    context: int
    concurrency: int

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """A reply. Raises :class:`~otherminds.core.errors.ProviderError`."""
        ...

    def count(self, text: str) -> int:
        """The tokens of ``text``: exact where the model can, else an upper estimate."""
        ...


class Scorer(Model, Protocol):
    """A model that can also score given continuations of a prompt."""

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """Log-probability of each continuation's whole text after ``prompt``.

        Chained over the tokens of the unconstrained model, before sampling.
        Raises :class:`~otherminds.core.errors.ProviderError`.
        """
        ...


class ReplyRequest(Struct, frozen=True):
    """A request for one reply: the prompt, and the key of the call."""

    messages: Sequence[Message]
    purpose: str
    decoding: Decoding
    attempt: int = 0


MILLION = 1_000_000


class Price(Struct, frozen=True, forbid_unknown_fields=True):
    """US dollars per million tokens; ``cached_input`` defaults to ``input``.

    Raises:
        ValueError: a price is negative or not finite.
    """

    input: float
    output: float
    cached_input: float | None = None

    def __post_init__(self) -> None:
        for dollars in (self.input, self.output, self.cached_input or 0.0):
            if not 0 <= dollars < inf:
                raise ValueError(f"a price is a finite number of at least 0, not {dollars:g}")


def cost(usage: Usage, price: Price) -> float:
    """US dollars for ``usage``, at least 0.

    >>> cost(Usage(prompt=1_000_000, completion=500_000, cached=400_000), Price(1.0, 4.0, 0.5))
    2.8
    """
    cached = price.input if price.cached_input is None else price.cached_input
    usage = usage.possible
    fresh = usage.prompt - usage.cached
    return (fresh * price.input + usage.cached * cached + usage.completion * price.output) / MILLION
