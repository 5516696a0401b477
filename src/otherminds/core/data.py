"""The plain, frozen data that worlds, minds and the loop exchange, and the notes of minds about their hypotheses.

Behaviours are named in words (``"rock"``); a seat is a name (``"ego"``, ``"partner_0"``). Everything here
round-trips through JSON, except a :class:`Brief`, which has a Gymnasium space.

Measures and replays read the notes; no mind has to write them. Their kinds: :data:`THINKING` after every encounter and at
the start, :data:`UNUSABLE` for every reply that could not be read, :data:`FALLBACK` where nothing usable came in the end,
:data:`SCAFFOLD` at the start, with the name of the scaffold that prompts are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from gymnasium.spaces import Space
else:  # ``help`` looks the name up; to import Gymnasium for it would slow every start
    Space = Annotated[TypeVar("Members"), "gymnasium.spaces.Space"]

Seat: TypeAlias = str
Behaviour: TypeAlias = str
Answer: TypeAlias = Any
"""The answer to a question, a JSON value. In matrix games, a behaviour."""
Action: TypeAlias = Any
"""A member of a seat's action space."""
When: TypeAlias = Literal["before", "after", "end"]


class SkillChoice(Struct, frozen=True, tag="do"):
    """The choice of a skill by its name, with its arguments."""

    name: str
    args: tuple[Any, ...] = ()


Cause: TypeAlias = Literal["reply", "option", "length", "refusal", "filter"]
"""Why there is no decision or answer: an unreadable reply, one that chooses what is no option, one cut at its budget of
tokens, a refusal, a content filter."""
Whose: TypeAlias = Literal["own", "other"]
"""Whose behaviour a question asks for: the model's own choice, or what another player does or any other fact."""


class Invalid(Struct, frozen=True, tag="invalid", omit_defaults=True):
    """A decision or answer that could not be read. Never turned into an action."""

    reason: str
    raw: str = ""
    cause: Cause = "reply"


class Ended(Struct, frozen=True):
    """How a skill ended, and why. The loop fills in the choice that started it, ``made``.

    ``seen`` is what the seat observed the others do meanwhile, oldest first, as behaviours:
    evidence about the next encounter, not encounters.
    """

    ok: bool
    why: str = ""
    made: SkillChoice | None = None
    seen: tuple[tuple[Seat, Behaviour], ...] = ()


class ReceivedMessage(Struct, frozen=True):
    """A message on arrival. The runner sets ``sender``; ``text`` is quoted data.

    ``note`` is what the world says about the delivery, in its own words; empty if nothing.
    """

    sender: Seat
    text: str
    note: str = ""


class Encounter(Struct, frozen=True, gc=False, array_like=True):
    """One finished unit of interaction, as one seat knows it.

    ``step`` is the world step in which it finished, from 0. ``did`` has for each seat the behaviours that
    this seat considers possible (at least one; one where it is certain). ``reward`` is this seat's own.
    """

    step: int
    did: dict[Seat, tuple[Behaviour, ...]]
    reward: float


class Moment(Struct, frozen=True, gc=False):
    """Everything that a seat receives at one step; the last one follows the last action.

    ``reward`` is this seat's reward for the previous step; ``ended`` says how its skill
    ended, if one did; ``told`` are the messages delivered now.
    """

    step: int
    observation: Any
    reward: float = 0.0
    encounters: tuple[Encounter, ...] = ()
    ended: Ended | None = None
    told: tuple[ReceivedMessage, ...] = ()
    last: bool = False


SUPPOSING = "suppose:"
"""Begins the id of a policy question: what does the partner do in the next round after this own behaviour?"""


HELPER = "helper:"
"""Begins the id of a question that is asked only because its answer is the truth of a deeper one; it is not scored."""
UNKNOWN: dict[str, Any] = {"predicate": "unknown", "holds": None, "args": []}
"""The structured answer that a fact is unknown."""


class Question(Struct, frozen=True):
    """A literal theory-of-mind probe.

    ``when``: ``before`` acting, ``after`` the own action while the partner's is hidden, or at the ``end``.
    ``chance`` is the accuracy of blind guessing. ``truth_is`` names the question whose answer is the truth,
    for questions about what another seat would say; else the world returns the truth.
    """

    id: str
    seat: Seat
    when: When
    text: str
    options: tuple[Answer, ...]
    chance: float
    about: Seat = ""
    truth_is: str = ""

    @property
    def supposed(self) -> Behaviour:
        """The own behaviour that a policy question supposes for this round; empty in other questions."""
        return self.id.removeprefix(SUPPOSING) if self.id.startswith(SUPPOSING) else ""

    @property
    def purpose(self) -> str:
        """The purpose of the model calls that answer it, by which they are keyed."""
        return f"predict {self.id}" if self.supposed else "predict"


SHOWN, EXCHANGED = "shown", "exchanged"
"""Kinds of notes: a :class:`Notice`, and the :class:`Exchange` of a partner."""


class Notice(Struct, frozen=True, omit_defaults=True):
    """What an intervention shows a mind before it acts (:mod:`otherminds.play.interventions`).

    ``arm`` is the intervention and ``about`` the partner's seat. ``behaviour`` is what the partner is said to do in the
    next encounter, where that is shown; ``text`` what it believes, or its policy. ``policy`` is its
    automaton, where its type is shown and it has one; the record has the text alone.
    """

    arm: str
    about: Seat
    behaviour: Behaviour | None = None
    text: str = ""
    policy: Automaton | None = None


class Exchange(Struct, frozen=True):
    """The partner named ``first`` is replaced by the one named ``second`` before the act of step ``step``."""

    first: str
    second: str
    step: int


class Turn(Struct, frozen=True):
    """The question "what do you do now?", for verbalizers."""


class Game(Struct, frozen=True):
    """A two-seat stage game.

    ``behaviours[0]`` are the row seat's (``ego``), ``behaviours[1]`` the column seat's. ``payoffs[i][j]`` is
    the pair (row's, column's) for row behaviour i against column behaviour j.
    """

    name: str
    behaviours: tuple[tuple[Behaviour, ...], tuple[Behaviour, ...]]
    payoffs: tuple[tuple[tuple[float, float], ...], ...]

    def flipped(self) -> Game:
        """The same game with the column seat's view first."""
        rows, columns = self.behaviours
        turned = tuple(tuple((y, x) for x, y in column) for column in zip(*self.payoffs, strict=True))
        return Game(self.name, (columns, rows), turned)


class Automaton(Struct, frozen=True):
    """A finite automaton that plays one seat of a game.

    ``output[s]`` is the distribution over its own behaviours in state ``s``;
    ``next[s][own][other]`` the state after its own and the other's behaviour.
    """

    start: int
    output: tuple[tuple[float, ...], ...]
    next: tuple[tuple[tuple[int, ...], ...], ...]


class Partner(Struct, frozen=True):
    """A partner in a record: its name, and its automaton where it is small."""

    name: str
    automaton: Automaton | None = None


class WeightedPolicy(Struct, frozen=True):
    """A partner's policy with its probability: one member of a granted family.

    ``seat`` says whose it is, where the policies of several are granted.
    """

    weight: float
    automaton: Automaton
    seat: Seat = ""


class Brief(Struct, frozen=True):
    """What a seat receives once, at the start.

    ``behaviours`` names what each seat can do in an encounter; a behaviour that is in ``skills`` is chosen
    with :class:`SkillChoice`, else its index is the action. ``reward_range`` bounds the reward of one
    encounter. ``horizon`` counts world steps, at most; ``rounds`` the encounters to plan for, where they are
    not one a step: an upper bound, since the end of an episode may be drawn. ``game`` and ``partners`` are
    present only if granted. ``secrets`` is private information of this seat, in worlds that have any, and
    more if granted.
    """

    seat: Seat
    others: tuple[Seat, ...]
    action_space: Space[Any]
    behaviours: dict[Seat, tuple[Behaviour, ...]]
    reward_range: tuple[float, float]
    horizon: int
    skills: tuple[str, ...] = ()
    game: Game | None = None
    partners: tuple[WeightedPolicy, ...] = ()
    secrets: tuple[str, ...] = ()
    rounds: int = 0

    @property
    def planned(self) -> int:
        """The encounters to plan for."""
        return self.rounds or self.horizon


class Message(Struct, frozen=True):
    """One message of a conversation with a language model."""

    role: Literal["system", "user", "assistant"]
    content: str


class ModelTool(Struct, frozen=True):
    """A function that a model may call: its name, what it does, and the JSON schema of its arguments, an object."""

    name: str
    about: str
    parameters: dict[str, Any]


class Ask(Struct, frozen=True):
    """A decision or a question as text.

    ``labels`` are the options as the model reads and writes them, in the order shown; ``options`` their
    values. Where options cannot be listed the answer is open: ``labels`` and ``options`` are empty, and
    ``forms`` shows the accepted forms, such as ``Navigate[target]``. Each form is itself readable; an answer
    has other words inside the brackets. ``cue`` opens the answer; ``template`` is the form of a written
    answer, with ``{}`` for the label or form. ``schema`` is a JSON schema for servers that take one.
    ``consider`` is the topic of the reasoning before the answer ("what the others do"), where that is not
    what one other player does. ``tools`` are functions for models with tool calls, where an answer is a call;
    elsewhere ``schema`` serves as the arguments of one. ``continuation`` follows the history in place of
    ``text`` and ``cue`` where options are scored as the continuation of the history: one line that breaks off
    before a label ("In round 7, you chose Option"), to which a blank and the label are added. It is empty
    where the world has no such line. ``whose`` says whether the model's own choice is asked
    for, so that a reader takes no sentence about another player for it, nor the other way round. ``supposed`` is the label of
    the own choice that a policy question supposes. ``names`` are what the
    game calls the options, in the order of ``labels``; an answer may use them where the prompt shows both.
    """

    text: str
    labels: tuple[str, ...]
    options: tuple[Any, ...]
    cue: str = ""
    template: str = ""
    schema: dict[str, Any] | None = None
    forms: tuple[str, ...] = ()
    consider: str = ""
    tools: tuple[ModelTool, ...] = ()
    continuation: str = ""
    whose: Whose = "own"
    supposed: str = ""
    names: tuple[str, ...] = ()


THINKING = "thinking"
UNUSABLE = "unusable"
FALLBACK = "fallback"
SCAFFOLD = "scaffold"


class Thought(Struct, frozen=True):
    """A hypothesis at one time.

    ``value`` is on the scale that its :class:`Thinking` names. ``predicts`` is what it
    says of the next encounter, if it was asked; ``hit`` whether its prediction for the
    encounter that just finished was right (``None``: it made none, or none was scored).
    """

    id: int
    text: str
    value: float
    predicts: Answer = None
    hit: bool | None = None


class Thinking(Struct, frozen=True):
    """The hypotheses of a mind about ``partner`` after ``encounter`` encounters with it (0: before the first).

    ``came`` is what the mind takes the partner to have done in the last one (``None``: nothing yet, or it
    does not know). ``used`` is the id of the hypothesis that the choice was based on, ``validated`` of the
    one that counts as validated. ``target`` is what the mind wants to do next. ``scale``: ``value`` (Rescorla
    and Wagner's) or ``probability``; ``threshold`` from where a hypothesis counts as validated.
    """

    partner: Seat
    encounter: int
    came: Behaviour | None
    thoughts: tuple[Thought, ...]
    used: int | None = None
    validated: int | None = None
    target: Any = None
    scale: Literal["value", "probability"] = "value"
    threshold: float | None = None


class ScaffoldName(Struct, frozen=True):
    """The scaffold that prompts are made from."""

    name: str


class Unusable(Struct, frozen=True):
    """A model's reply for ``purpose`` that could not be read."""

    purpose: str
    attempt: int
    reason: str


class Fallback(Struct, frozen=True):
    """No reply for ``purpose`` was usable; ``kept`` says what was done instead."""

    purpose: str
    kept: str
