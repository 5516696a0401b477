"""The plain data that worlds, minds and the loop exchange: frozen and small.

Behaviours are named in words (``"rock"``); a seat is a name (``"ego"``,
``"partner_0"``). Everything here survives a JSON round trip, except a
:class:`Brief`, which carries a Gymnasium space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from gymnasium.spaces import Space

Seat: TypeAlias = str
Behaviour: TypeAlias = str
Answer: TypeAlias = Any
"""A JSON value: what a mind says to a question. In matrix games, a behaviour."""
Action: TypeAlias = Any
"""A member of a seat's action space."""
When: TypeAlias = Literal["before", "after", "end"]


class SkillChoice(Struct, frozen=True, tag="do"):
    """The choice of a skill by its name, with its arguments."""

    name: str
    args: tuple[Any, ...] = ()


class Invalid(Struct, frozen=True, tag="invalid"):
    """A decision or answer that could not be read. Never turned into an action."""

    reason: str
    raw: str = ""


class Ended(Struct, frozen=True):
    """How a skill ended, and why. The loop fills in which choice, ``made``, that was.

    ``seen`` is what the seat saw others do while it ran, oldest first, in the words of
    behaviours: signs of what they will show in an encounter, not encounters.
    """

    ok: bool
    why: str = ""
    made: SkillChoice | None = None
    seen: tuple[tuple[Seat, Behaviour], ...] = ()


class ReceivedMessage(Struct, frozen=True):
    """A message as it arrives. The runner sets ``sender``; ``text`` is quoted data."""

    sender: Seat
    text: str


class Encounter(Struct, frozen=True, gc=False, array_like=True):
    """One finished unit of interaction, as one seat knows it.

    ``step`` is the world step in which it finished (0 for the first).
    ``did`` names for each seat the behaviours this seat may think possible
    (one where it is sure; never none). ``reward`` is this seat's own.
    """

    step: int
    did: dict[Seat, tuple[Behaviour, ...]]
    reward: float


class Moment(Struct, frozen=True, gc=False):
    """Everything a seat hears at one step; the last comes after the last action.

    ``reward`` is what the step before brought this seat; ``ended`` says how its
    skill ended, if one did; ``told`` are the messages delivered now.
    """

    step: int
    observation: Any
    reward: float = 0.0
    encounters: tuple[Encounter, ...] = ()
    ended: Ended | None = None
    told: tuple[ReceivedMessage, ...] = ()
    last: bool = False


class Question(Struct, frozen=True):
    """A literal theory-of-mind probe.

    ``when``: ``before`` acting, ``after`` the own action while the partner's is
    hidden, or at the ``end``. ``chance`` is the accuracy of blind guessing.
    ``truth_is`` names the question whose answer is the truth, for questions
    about what another seat would say; else the world tells the truth.
    """

    id: str
    seat: Seat
    when: When
    text: str
    options: tuple[Answer, ...]
    chance: float
    about: Seat = ""
    truth_is: str = ""


class Turn(Struct, frozen=True):
    """The question "what do you do now?", for tellings."""


class Game(Struct, frozen=True):
    """A two-seat stage game.

    ``behaviours[0]`` are the row seat's (``ego``), ``behaviours[1]`` the column
    seat's. ``payoffs[i][j]`` is the pair (row's, column's) for row behaviour i
    against column behaviour j.
    """

    name: str
    behaviours: tuple[tuple[Behaviour, ...], tuple[Behaviour, ...]]
    payoffs: tuple[tuple[tuple[float, float], ...], ...]

    def flipped(self) -> Game:
        """The same game with the column seat's view first."""
        rows, columns = self.behaviours
        turned = tuple(
            tuple((self.payoffs[i][j][1], self.payoffs[i][j][0]) for i in range(len(rows)))
            for j in range(len(columns))
        )
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
    """A partner as it is recorded: its name, and its automaton where it is small."""

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
    """What a seat is told once, at the start.

    ``behaviours`` names what each seat can do in an encounter; a behaviour that
    is in ``skills`` is chosen with :class:`SkillChoice`, else its index is the action.
    ``reward_range`` bounds the reward of one encounter. ``horizon`` counts
    world steps, at most; ``rounds`` the encounters to plan for, where they are
    not one a step: no less than can come, since nobody knows when an episode ends.
    ``game`` and ``partners`` are there only if granted. ``secrets`` are what this seat is
    told in private, where its world tells anything so, and more if granted.
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


class Ask(Struct, frozen=True):
    """A decision or question put into words: one form for both.

    ``labels`` are the options as the model reads and writes them, in the order
    shown; ``options`` the values they stand for. Where options cannot be listed the
    answer is open: ``labels`` and ``options`` are empty, and ``forms`` shows what fits,
    such as ``Navigate[target]``. Each form can be read as it stands; whoever answers
    writes names and texts of its own in the place of the words in its brackets.
    ``cue`` opens the answer; ``template`` is the form of a written answer, with ``{}``
    for the label or form. ``schema`` is a JSON schema for servers that take one.
    ``consider`` is what thoughts before the answer are to be about ("what the others
    do"), where that is not what one other player does.
    """

    text: str
    labels: tuple[str, ...]
    options: tuple[Any, ...]
    cue: str = ""
    template: str = ""
    schema: dict[str, Any] | None = None
    forms: tuple[str, ...] = ()
    consider: str = ""
