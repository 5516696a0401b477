"""The interfaces of minds, their contexts, verbalizers, skills and probes.

Four rules hold for all of them: a seat receives only its own moments; asking never changes
acting; an invalid reply is never an action; the seed of each random draw and model call
depends on its path, not on the order of calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

from msgspec import Struct

from otherminds.core import data
from otherminds.core.data import Action, Ask, Behaviour, Brief, Invalid, Message, Moment, Question, Seat, Turn
from otherminds.core.model import Completion, Decoding, Model, Reading, ReplyRequest, Scores
from otherminds.core.scaffold import Scaffold

if TYPE_CHECKING:
    from pathlib import Path

    from otherminds.core.registry import Origin

Controller: TypeAlias = Callable[[Moment], data.Action | data.Ended]
"""Returns a primitive action for each moment of its seat, until the skill ends."""

Skill: TypeAlias = Callable[..., Controller]
"""``skill(brief, rng, *args)`` starts a controller. ``rng`` breaks ties, so that
two controllers cannot block each other for ever."""


class MindContext(Protocol):
    """What a mind works with in one episode: a random stream, a verbalizer, a model, notes.

    A model call is keyed by (seat, step, purpose, attempt). Its seed is derived from that
    key, so that an additional question changes no other call's seed.
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
        """The text interface of the world, where the scenario has one."""
        ...

    @property
    def model(self) -> Model | None:
        """The language model, where the seat has one; its calls go through :meth:`generate` and :meth:`score`."""
        ...

    @property
    def foreseen(self) -> Mapping[Seat, Behaviour]:
        """The behaviours of the others in this step; empty unless the seat is granted ``next_action``."""
        ...

    def note(self, kind: str, data: Any) -> None:
        """Writes ``data`` (JSON) into the record, under ``kind``."""
        ...

    def mark_read(self, read: Reading) -> None:
        """Records which reader found an answer in the reply of the last call."""
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
    """Chooses the actions of a seat and answers questions.

    Attributes:
        grants: The privileges that it needs: ``payoffs`` (the game), ``family`` or another of the
            scenario's ``priors`` (a distribution that its partner is drawn from), ``policy`` (the
            partner's own), ``next_action`` (the actions of the others in the same step: the mind
            acts last and finds them in ``context.foreseen``).
        suspends: Whether it awaits something outside, such as a language model. Only these minds
            are run concurrently, and only these have a model.
        answers: Whether questions are put to it.
        origin: The registered name that it was made from. Such a mind is made again for each
            episode, so that a record names what played. A mind made by hand (``None``) plays
            itself and is recorded by its class.
    """

    grants: frozenset[str] = frozenset()
    suspends: bool = False
    answers: bool = True
    origin: Origin | None = None

    @classmethod
    def pinned(cls, params: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
        """``params`` of a study in ``folder`` with the hash of each file that they name, so that another file is another mind.

        Called while a study is planned. A mind is then made with what this returns.

        Raises:
            StudyError: a file is missing or damaged.
        """
        return params

    def suits(self, brief: Brief, context: MindContext) -> str | None:
        """The reason why this mind cannot play with ``brief`` and ``context``, and what to do; ``None`` if it can."""
        return None

    def begin(self, brief: Brief, context: MindContext) -> None:
        """Starts an episode; nothing is kept from earlier ones."""
        ...

    async def perceive(self, moment: Moment) -> None:
        """Learns and deliberates. Called at every step, and once at the end."""
        ...

    async def act(self) -> Action | data.SkillChoice | Invalid:
        """Returns the next action or skill. Not called while a skill of the seat runs."""
        ...

    async def answer(self, question: Question) -> data.Answer | Invalid:
        """Answers from what :meth:`perceive` computed. Has no side effects."""
        ...


class Verbalizer(Protocol):
    """The text interface of a world for one seat in one episode. Stateless.

    Texts of successive moments are appended, so that each prompt begins with the one before. ``rules``, ``tell``,
    ``summary``, ``ask`` and ``read`` are required, and suffice for all prompting strategies but
    ``cot_3shot``. The optional parts have defaults:

    - ``Ask.continuation``: LM prompting continues the history; without it, it asks a question;
    - ``settled``: a language mind asks no model where nothing is left to choose;
    - ``called``: native tool calls, in worlds whose asks have ``tools``;
    - ``examples``: ``cot_3shot``;
    - ``reworded`` and ``frame_file``: prompt packs with a frame; a world without them ignores the frame;
    - ``scaffolds``: Hypothetical Minds with its ablations and baselines, and ``hypothetical_plus``.
      A :class:`~otherminds.core.scaffold.Scaffold` suffices where a behaviour is a decision; worlds
      with plans of skills have a :class:`~otherminds.core.scaffold.PlanningScaffold`.

    Attributes:
        frame_file: The TOML file whose table ``[frame]`` has the texts that ``reworded`` replaces, as a user copies
            them; ``None`` in a world without a frame.
    """

    frame_file: ClassVar[Path | None] = None

    def rules(self, brief: Brief) -> str:
        """The rules, stated once at the start; with payoffs only where ``brief`` has them."""
        ...

    def tell(self, moment: Moment) -> str:
        """What is new in ``moment``; empty if nothing is."""
        ...

    def summary(self, moments: Sequence[Moment]) -> str:
        """A shorter, exact account of the oldest moments, for prompts that would exceed the model's context."""
        ...

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        """A choice or a question as text at ``moment``; ``own`` is the seat's own decision, if it is shown.

        The options of a choice are what is legal at ``moment``. While a study is planned, and in
        worked examples, a moment may have a step and no observation (``None``).
        """
        ...

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        """The option that ``reply`` names in the required form, else ``Invalid``."""
        ...

    def called(self, ask: Ask, name: str, arguments: Mapping[str, Any]) -> str | Invalid:
        """A call of one of ``ask.tools`` as a written answer, for :meth:`read`; ``Invalid`` if it has no such form.

        The names of the arguments are those of the tool. Where ``ask`` has no tools of its own, the
        arguments are an object of ``ask.schema``.
        """
        return json.dumps(arguments)

    def reworded(self, frame: Mapping[str, Any]) -> Verbalizer:
        """The same verbalizer with the texts of ``frame`` in place of its own; answers are read as before.

        Raises:
            StudyError: ``frame`` lacks a text, or has one that is not known.
        """
        return self

    def settled(self, moment: Moment) -> Any | None:
        """The only action left at ``moment``, so that no model is asked; ``None`` where there is a choice."""
        return None

    def examples(self, about: Turn | Question, brief: Brief) -> tuple[str, ...]:
        """Three invented situations with ideal reasoning and the answer in the required form, for few-shot prompts."""
        return ()

    @property
    def scaffolds(self) -> Mapping[str, Scaffold]:
        """The texts for minds that reason in steps, by name: :data:`~otherminds.core.scaffold.OWN`, and variants."""
        return {}


class Probe(Struct, frozen=True):
    """A question and the moments at which it is asked: all, or those for which ``due`` is true."""

    question: Question
    due: Callable[[Moment], bool] | None = None


Draw: TypeAlias = Callable[[Random], dict[str, Any]]
"""What chance fixes at the start of an episode, as JSON."""
