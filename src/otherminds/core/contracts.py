"""What a mind, a model, a telling, a skill and a probe promise.

The rules that hold for all of them: a seat hears only its own moments; asking
never changes acting; an invalid reply is never an action; every random draw and
every model call hangs on a path, not on the order of calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from otherminds.core.data import (
    Action,
    Answer,
    Ask,
    Brief,
    Do,
    Ended,
    Invalid,
    Message,
    Moment,
    Question,
    Turn,
)
from otherminds.core.scaffold import OWN

if TYPE_CHECKING:
    from otherminds.core.bench import Bench
    from otherminds.core.registry import Origin

Controller: TypeAlias = Callable[[Moment], "Action | Ended"]
"""Turns each moment of its seat into a primitive action, until it ends."""

Skill: TypeAlias = Callable[..., Controller]
"""``skill(brief, rng, *args)`` starts a controller. ``rng`` breaks ties, so that
two of them cannot block each other for ever."""


class Mind(Protocol):
    """Decides for a seat, and can be asked questions.

    ``grants`` are the privileges it needs: ``payoffs`` (the game), ``family``
    or another of the scenario's ``priors`` (a distribution that its partner is
    drawn from), ``policy`` (the partner's own), ``next_action`` (what the others
    do in this very step: it decides last and finds that in ``bench.foreseen``).
    ``answers`` is false for minds that have no literal form: none is asked.
    ``suspends`` is true for minds that wait for something outside, as a
    language model; only these are run side by side, and only these are given one.
    ``scaffold`` names the scaffold of the scenario that its bench shall hold.
    ``origin`` is the registered name that it was made from. Play makes such a mind
    anew for each episode, so that a record names what played; one made by hand
    (``origin`` is ``None``) plays itself, and is recorded by its class.
    """

    grants: frozenset[str] = frozenset()
    suspends: bool = False
    answers: bool = True
    scaffold: str = OWN
    origin: Origin | None = None

    def suits(self, brief: Brief, bench: Bench) -> str | None:
        """Why this mind cannot play with such a brief and bench, and what to do; ``None`` where it can."""
        return None

    def begin(self, brief: Brief, bench: Bench) -> None:
        """An episode starts; everything from earlier ones is forgotten."""
        ...

    async def perceive(self, moment: Moment) -> None:
        """Learn and deliberate here. Called at every step, and once at the end."""
        ...

    async def act(self) -> Action | Do | Invalid:
        """Decide; called only when none of its skills runs."""
        ...

    async def answer(self, question: Question) -> Answer | Invalid:
        """Answer from what :meth:`perceive` worked out. Reads, never writes."""
        ...


class Usage(Struct, frozen=True):
    """Tokens of one call; ``cached`` of the prompt's were not evaluated again."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0


class Decoding(Struct, frozen=True):
    """How a reply is drawn. ``seed`` is set by the bench, from the call's path."""

    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 256
    stop: tuple[str, ...] = ()
    schema: dict[str, Any] | None = None
    seed: int = 0


class ToolCall(Struct, frozen=True):
    """A tool that a reply asks for: its name, and its arguments as the model wrote them (JSON)."""

    name: str
    arguments: str


class Completion(Struct, frozen=True):
    """A model's reply: ``text`` to parse, ``reasoning`` and ``tools`` kept apart from it."""

    text: str
    reasoning: str = ""
    usage: Usage = Usage()
    tools: tuple[ToolCall, ...] = ()


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
    """Access to one language model. ``spec`` is its spec string without where it is served: records name it.

    ``context`` is how many tokens a prompt and its reply may have together.
    ``concurrency`` is how many episodes it serves well at once. One that holds
    connections open also has ``async def close(self)``.
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


class Telling(Protocol):
    """Puts a world into words, and reads words back. Stateless.

    What it tells grows only at the end, so that prompts extend each other.
    """

    def rules(self, brief: Brief) -> str:
        """What is said once, before anything happens; payoffs only where ``brief`` has them."""
        ...

    def tell(self, moment: Moment) -> str:
        """Only what is new in ``moment``; empty if nothing is."""
        ...

    def summary(self, moments: Sequence[Moment]) -> str:
        """An exact, shorter account of the oldest moments, when room runs out."""
        ...

    def ask(self, about: Turn | Question, step: int, own: Any = None) -> Ask:
        """A choice or a question in words; ``own`` is the seat's own decision, if shown."""
        ...

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        """The option that ``reply`` names in the form asked for, else ``Invalid``."""
        ...

    def settled(self, moment: Moment) -> Any | None:
        """What the seat does now where nothing is left for it to choose, so that no model is asked."""
        return None

    def examples(self, about: Turn | Question, brief: Brief) -> tuple[str, ...]:
        """Three imagined situations, each with ideal thoughts and the answer, for few-shot prompts.

        They are right for the world's own rules, and end in the form asked for.
        Empty where a world has none.
        """
        return ()


class Probe(Struct, frozen=True):
    """A question with the moments at which it is put: every one, unless ``due`` says."""

    question: Question
    due: Callable[[Moment], bool] | None = None


Draw: TypeAlias = Callable[[Random], dict[str, Any]]
"""What chance fixes at the start of an episode, as JSON."""
