"""The interfaces of minds, their contexts, verbalizers, scaffolds, skills and probes.

Four rules hold for all of them: a seat receives only its own moments; asking never changes
acting; an invalid reply is never an action; the seed of each random draw and model call
depends on its path, not on the order of calls.

A scaffold has the texts of a world for minds that reason in several steps about encounters, and plan with skills. In it
behaviours are written as Python literals ("written" below), so that a reply can hold them in a dictionary: an inventory, an
option's label, an act. Source: Cross et al. 2025, appendices D and G."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct

from otherminds.core import data
from otherminds.core.data import (
    Action,
    Ask,
    Behaviour,
    Brief,
    Encounter,
    Invalid,
    Message,
    Moment,
    Question,
    Seat,
    SkillChoice,
    Turn,
)
from otherminds.core.model import Completion, Decoding, Model, Reading, ReplyRequest, Scores

if TYPE_CHECKING:
    from pathlib import Path

    from otherminds.core.registry import Origin


Place: TypeAlias = tuple[int, int]


class Manner(Struct, frozen=True):
    """How the steps of Hypothetical Minds are taken in a world (appendix D.3).

    ``hidden``: a model call infers what the other did; else encounters contain it. ``judged``: predictions
    are free text, and a model call judges them. ``joint``: one call predicts and chooses. ``choice``: what is
    chosen, a ``behaviour`` or a ``strategy`` in words. ``reflects``: a model call evaluates every plan
    (appendix D.6). ``totals``: requests for hypotheses and plans contain the sum of all rewards. ``afresh``:
    a hypothesis repeated word for word is a new one with value 0; else it keeps its value.
    """

    hidden: bool = False
    judged: bool = False
    joint: bool = True
    choice: Literal["behaviour", "strategy"] = "behaviour"
    reflects: bool = False
    totals: bool = False
    afresh: bool = False


class Heard(Struct, frozen=True):
    """An encounter as its seat observes it: ``when`` in words, and the own part, written."""

    when: str
    own: Any


class Sighting(Struct, frozen=True):
    """Something seen at a place. Memory keeps what ``moves`` by ``thing``, all else by ``place``."""

    thing: str
    place: Place
    moves: bool = False


class RememberedSighting(Struct, frozen=True):
    """A sighting in memory, and the step in which it was last seen (appendix D.2)."""

    sighting: Sighting
    step: int


OWN = "own"
"""The name of a scenario's first scaffold; minds may ask for others by name."""
Step: TypeAlias = Literal["hypothesise", "predict", "choose", "plan"]
"""Requests to which a scaffold may add hints."""
ENTRIES = (
    "they_played",
    "strategy",
    "they_play",
    "i_play",
    "my_strategy",
    "seek",
    "plan",
    "match",
    "feedback",
    "outcome",
)
"""The entries of the dictionaries that are asked for, by the names that a scaffold may change."""


class Scaffold(Protocol):
    """The texts of one world for one seat in one episode. Stateless.

    Used by the minds of Hypothetical Minds and by ``hypothetical_plus``. The methods without a
    body are required. ``retold``, ``theirs``, ``clues``, ``hints`` and ``key`` have defaults. A
    world whose choices are carried out by plans of skills implements :class:`PlanningScaffold`;
    in any other world the behaviour chosen is the decision.
    """

    manner: Manner

    def system(self, brief: Brief) -> str:
        """The system message: the seat, the rules, observations and actions. Payoffs only where granted."""
        ...

    def name(self, seat: Seat) -> str:
        """The name of another seat."""
        ...

    def seat(self, name: str) -> Seat | None:
        """The other seat called ``name``; ``None`` if there is none."""
        ...

    def choices(self, seat: Seat) -> tuple[Any, ...]:
        """Every behaviour of ``seat``, written, in the order in which prompts list them."""
        ...

    def written(self, behaviour: Behaviour, seat: Seat) -> Any:
        """A behaviour of ``seat`` as a Python literal."""
        ...

    def read(self, value: Any, seat: Seat) -> Behaviour | Invalid:
        """The behaviour of ``seat`` that a written value means, or why it means none."""
        ...

    def retold(self, value: Any, seat: Seat) -> Any:
        """A value that :meth:`read` accepts, as later prompts repeat it; it is read as the same behaviour."""
        read = self.read(value, seat)
        return value if isinstance(read, Invalid) else self.written(read, seat)

    def heard(self, encounter: Encounter, since: Sequence[Moment]) -> Heard:
        """The own part of an encounter; ``since`` are all moments from the one after the encounter before."""
        ...

    def theirs(self, encounter: Encounter, seat: Seat) -> tuple[Behaviour, ...]:
        """What ``seat`` is known to have done in an encounter; may be empty. Not used where ``manner.hidden``."""
        return encounter.did[seat]

    def clues(self) -> str:
        """How to infer what the other did from the own part and the reward, with examples; empty if not hidden."""
        return ""

    def hints(self, step: Step) -> str:
        """The world's advice on a request, in place of the mind's general advice; empty for none."""
        return ""

    def key(self, name: str) -> str:
        """The key of the entry ``name`` in the dictionaries of prompts and replies; keys are unique."""
        return name

    def strategies(self) -> tuple[str, ...]:
        """Example sentences about a partner's strategy; none is true of a partner of this world."""
        ...


@runtime_checkable
class PlanningScaffold(Scaffold, Protocol):
    """A scaffold of a world in which choices are carried out by plans of skills (appendices D.2 and D.4).

    All methods are required.
    """

    def scene(self, moment: Moment) -> str:
        """The own place and what is in view, a line for each kind of thing."""
        ...

    def state(self, moment: Moment) -> str:
        """The own state in one line, for comparison before and after a plan."""
        ...

    def sightings(self, moment: Moment) -> tuple[Sighting, ...]:
        """What is in view and goes into memory."""
        ...

    def recall(self, seen: Sequence[RememberedSighting], moment: Moment) -> str:
        """Memory in words, without what is in view."""
        ...

    def skills(self) -> str:
        """The skills that plans consist of, and how to call them."""
        ...

    def plans(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Three worked examples: thoughts in words, and the calls of a valid plan."""
        ...

    def plan(self, calls: Sequence[str]) -> tuple[SkillChoice, ...] | Invalid:
        """The skills that written calls such as ``move_to((3, 4), (5, 4))`` mean; ``Invalid`` if one means none."""
        ...


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

    @property
    def notice(self) -> data.Notice | None:
        """What the mind is shown before its next act; ``None`` without an intervention, or where nothing is shown."""
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
        notices: Whether it reads what an intervention shows it before it acts (``context.notice``).
        policy_in_words: Its policy as its partner may be told it, such as "it goes where it last saw the cup"; empty
            where its automaton says it, or its name has to do.
        origin: The registered name that it was made from. Such a mind is made again for each
            episode, so that a record names what played. A mind made by hand (``None``) plays
            itself and is recorded by its class.
    """

    grants: frozenset[str] = frozenset()
    suspends: bool = False
    answers: bool = True
    notices: bool = False
    policy_in_words: str = ""
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

    async def message(self) -> str:
        """The text that it sends to all before the first step, in worlds that have this; by default none."""
        return ""

    async def perceive(self, moment: Moment) -> None:
        """Learns and deliberates. Called at every step, and once at the end."""
        ...

    async def act(self) -> Action | data.SkillChoice | Invalid:
        """Returns the next action or skill. Not called while a skill of the seat runs."""
        ...

    async def answer(self, question: Question) -> data.Answer | Invalid:
        """Answers from what :meth:`perceive` computed. Has no side effects."""
        ...

    def intends(self) -> Mapping[Behaviour, float]:
        """The distribution of what it will show in its next encounter, as it stands after :meth:`perceive`.

        For partners whose next act an intervention may tell. Empty where it cannot say; a mind that never can does not
        override this.
        """
        return {}


class Verbalizer(Protocol):
    """The text interface of a world for one seat in one episode. Stateless.

    Texts of successive moments are appended, so that each prompt begins with the one before. ``rules``, ``tell``,
    ``summary``, ``ask`` and ``read`` are required, and suffice for all prompting strategies but
    ``cot_3shot``. The optional parts have defaults:

    - ``Ask.continuation``: LM prompting continues the history; without it, it asks a question;
    - ``invite``: worlds where a text is sent before the first step;
    - ``settled``: a language mind asks no model where nothing is left to choose;
    - ``called``: native tool calls, in worlds whose asks have ``tools``;
    - ``examples``: ``cot_3shot``;
    - ``reworded`` and ``frame_file``: prompt packs with a frame; a world without them ignores the frame;
    - ``scaffolds``: Hypothetical Minds with its ablations and baselines, and ``hypothetical_plus``.
      A :class:`~otherminds.core.contracts.Scaffold` suffices where a behaviour is a decision; worlds
      with plans of skills have a :class:`~otherminds.core.contracts.PlanningScaffold`.

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

    def invite(self) -> str:
        """Asks for the one text that is sent before the first step; empty in worlds without it."""
        return ""

    def settled(self, moment: Moment) -> Any | None:
        """The only action left at ``moment``, so that no model is asked; ``None`` where there is a choice."""
        return None

    def examples(self, about: Turn | Question, brief: Brief) -> tuple[str, ...]:
        """Three invented situations with ideal reasoning and the answer in the required form, for few-shot prompts."""
        return ()

    @property
    def scaffolds(self) -> Mapping[str, Scaffold]:
        """The texts for minds that reason in steps, by name: :data:`~otherminds.core.contracts.OWN`, and variants."""
        return {}


class Probe(Struct, frozen=True):
    """A question and the moments at which it is asked: all, or those for which ``due`` is true."""

    question: Question
    due: Callable[[Moment], bool] | None = None


Draw: TypeAlias = Callable[[Random], dict[str, Any]]
"""What chance fixes at the start of an episode, as JSON."""
