"""What a mind, its context, a verbalizer, a skill and a probe promise.

The rules that hold for all of them: a seat hears only its own moments; asking
never changes acting; an invalid reply is never an action; every random draw and
every model call hangs on a path, not on the order of calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from msgspec import Struct

from otherminds.core.data import (
    Action,
    Answer,
    Ask,
    Behaviour,
    Brief,
    Ended,
    Invalid,
    Message,
    Moment,
    Question,
    Seat,
    SkillChoice,
    Turn,
)
from otherminds.core.model import Completion, Decoding, Model, ReplyRequest, Scores
from otherminds.core.scaffold import Scaffold

if TYPE_CHECKING:
    from otherminds.core.registry import Origin

Controller: TypeAlias = Callable[[Moment], "Action | Ended"]
"""Turns each moment of its seat into a primitive action, until it ends."""

Skill: TypeAlias = Callable[..., Controller]
"""``skill(brief, rng, *args)`` starts a controller. ``rng`` breaks ties, so that
two of them cannot block each other for ever."""


class MindContext(Protocol):
    """What a mind works with in one episode: a random stream, words, a model, a notebook.

    A model call is keyed by (seat, step, purpose, attempt). Its seed follows from that
    path, so that one more question changes no other call's seed.
    """

    @property
    def seat(self) -> Seat:
        """The seat that the mind decides for."""
        ...

    @property
    def step(self) -> int:
        """The world step that is being played."""
        ...

    @property
    def rng(self) -> Random:
        """The random stream of this seat."""
        ...

    @property
    def verbalizer(self) -> Verbalizer | None:
        """The world in words, where the scenario has them."""
        ...

    @property
    def model(self) -> Model | None:
        """The language model, where the seat has one; its calls go through :meth:`generate` and :meth:`score`."""
        ...

    @property
    def foreseen(self) -> Mapping[Seat, Behaviour]:
        """What the others do in this step; filled in only for a seat granted ``next_action``."""
        ...

    def note(self, kind: str, data: Any) -> None:
        """Writes ``data`` (JSON) into the record, under ``kind``."""
        ...

    async def generate(
        self, messages: Sequence[Message], purpose: str, decoding: Decoding, attempt: int = 0
    ) -> Completion:
        """Asks the model for a reply, and records the call.

        Raises:
            StudyError: the seat has no model.
            ProviderError: the model did not answer.
        """
        ...

    async def generate_each(self, requests: Sequence[ReplyRequest]) -> list[Completion]:
        """Asks for several replies at the same time.

        Calls are recorded in the order of ``requests``, whichever reply comes first.

        Raises:
            StudyError: the seat has no model.
            ProviderError: the model did not answer one of them; the replies to the others are recorded.
        """
        ...

    async def score(self, prompt: str, continuations: Sequence[str], purpose: str) -> Scores:
        """Asks the model for the log-probabilities of ``continuations``; records the call.

        Raises:
            StudyError: the seat has no model, or its model cannot score.
            ProviderError: the model did not answer.
        """
        ...


class Mind(Protocol):
    """Decides for a seat, and can be asked questions.

    ``grants`` are the privileges it needs: ``payoffs`` (the game), ``family``
    or another of the scenario's ``priors`` (a distribution that its partner is
    drawn from), ``policy`` (the partner's own), ``next_action`` (what the others
    do in this very step: it decides last and finds that in ``context.foreseen``).
    ``answers`` is false for minds that have no literal form: none is asked.
    ``suspends`` is true for minds that wait for something outside, as a
    language model; only these are run side by side, and only these are given one.
    ``origin`` is the registered name that it was made from. Play makes such a mind
    anew for each episode, so that a record names what played; one made by hand
    (``origin`` is ``None``) plays itself, and is recorded by its class.
    """

    grants: frozenset[str] = frozenset()
    suspends: bool = False
    answers: bool = True
    origin: Origin | None = None

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        """Why this mind cannot play with such a brief and context, and what to do; ``None`` where it can."""
        return None

    def begin(self, brief: Brief, context: MindContext) -> None:
        """An episode starts; everything from earlier ones is forgotten."""
        ...

    async def perceive(self, moment: Moment) -> None:
        """Learn and deliberate here. Called at every step, and once at the end."""
        ...

    async def act(self) -> Action | SkillChoice | Invalid:
        """Decide; called only when none of its skills runs."""
        ...

    async def answer(self, question: Question) -> Answer | Invalid:
        """Answer from what :meth:`perceive` worked out. Reads, never writes."""
        ...


class Verbalizer(Protocol):
    """Puts a world into words, and reads words back: one for each seat and episode. Stateless.

    Its text grows only at the end, so that prompts extend each other. ``rules``, ``tell``,
    ``summary``, ``ask`` and ``read`` are required, and suffice for all prompting strategies but
    ``cot_3shot``. The optional parts have defaults:

    - ``settled``: a language mind asks no model where nothing is left to choose;
    - ``examples``: ``cot_3shot``;
    - ``scaffolds``: Hypothetical Minds with its ablations and baselines, and ``hypothetical_plus``.
      A :class:`~otherminds.core.scaffold.Scaffold` suffices where a behaviour is a decision; worlds
      with plans of skills have a :class:`~otherminds.core.scaffold.PlanningScaffold`.
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

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        """A choice or a question in words, put at ``moment``; ``own`` is the seat's own decision, if shown.

        The options of a choice are what is legal at ``moment``. While a study is planned, and in
        worked examples, a moment may have a step and no observation (``None``).
        """
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

    @property
    def scaffolds(self) -> Mapping[str, Scaffold]:
        """The words for minds that reason in steps, by name: :data:`~otherminds.core.scaffold.OWN`, and variants.

        Empty where a world has none.
        """
        return {}


class Probe(Struct, frozen=True):
    """A question with the moments at which it is put: every one, unless ``due`` says."""

    question: Question
    due: Callable[[Moment], bool] | None = None


Draw: TypeAlias = Callable[[Random], dict[str, Any]]
"""What chance fixes at the start of an episode, as JSON."""
