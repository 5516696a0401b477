"""The statements of a controlled language: said in English sentences and read back exactly.

Messages of reference minds and secrets of tasks are written in it, and detectors of failures use it to parse messages. A
sentence is understood as a whole or not at all, and every written sentence is parsed back to the same statement::

    read(say(statement)) == (statement,)
    read(say(statement, me=agent), me=agent) == (statement,)
    read(tell(statement, you=agent), you=agent) == (statement,)

========= ====================================================================
Fact      ``bowl_0 is on table_1.`` ``cabinet_3 is not open.``
          ``agent_1 holds bowl_0.`` ``agent_2 knows that cabinet_3 is open.``
Must      ``bowl_0 must end on table_18.``
          ``By the end, agent_1 must know that cabinet_28 is open.``
Aware     ``agent_1 knows that bowl_0 must end on table_18.``
Doing     ``agent_1 will see to it that bowl_0 ends on table_18.``
Asks      ``agent_1, please see to it that bowl_0 ends on table_18.``
========= ====================================================================

How the house works, each mechanic says in its own words: ``agent_0 can send 2 messages.`` It declares the class of its
statements (``Mechanic.says``), which knows its sentence, its forms, and what follows from it (:class:`HouseRule`); the
language reads and writes whatever the registered mechanics declare, and names none of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from msgspec import Struct

from otherminds.household.epistemic.formula import Formula, FormulaError
from otherminds.household.epistemic.parse import Group, Symbol

if TYPE_CHECKING:
    from otherminds.household.epistemic.words.shapes import Voice
    from otherminds.household.mechanics.mechanic import Bound


Names: TypeAlias = tuple[str, ...]
Shapes: TypeAlias = Mapping[str, Callable[[Names], Any]]
Heads: TypeAlias = Mapping[str, int]
NO_BINDING = "no binding makes it so; bind it, or take it out"


class Refusal(NamedTuple):
    """A refused act as its agent sees it: the message, and the furniture of the act (empty if there is none).

    ``opposite``: this furniture is in the opposite of the state that was asked for.
    """

    agent: str
    text: str
    thing: str = ""
    opposite: bool = False


class HouseRule(Struct, frozen=True):
    """The statements of one mechanic; base class. A subclass has a ``tag``, by which records know it.

    *How it is said.* ``sentence`` writes the sentence of the controlled language and ``shapes`` reads it: for each shape
    (:mod:`.shapes`) the statement for its names. An ``<agent>`` at the beginning may be "I" or "you" as well. ``wordings`` writes free English. ``grammar`` reads it: rules in the form of ``secrets.txt``
    whose symbol ``Told`` has tuples of statements, and ``actions``, the functions that it calls by their names.

    *Its formulas*, in ``agent_knows`` and in records: ``heads`` are their heads, each with the number of names behind it.
    Adjacent forms with a head in ``gathered`` about one agent (their first name) are one statement; forms with a head in
    ``deniable`` may be negated.

    *What follows from it*, in the words of :class:`~otherminds.household.mechanics.mechanic.Mechanic`: ``barred``, ``edges``,
    ``limits``, ``delay``, ``reversed`` and ``follows``.
    """

    shapes: ClassVar[Shapes] = {}
    grammar: ClassVar[str] = ""
    actions: ClassVar[tuple[Callable[..., Any], ...]] = ()
    heads: ClassVar[Heads] = {}
    gathered: ClassVar[Names] = ()
    deniable: ClassVar[Names] = ()

    def sentence(self, voice: Voice) -> str:
        """The sentence without its full stop; an agent is "I" or "you" by ``voice``.

        Raises:
            FormulaError: it has no words: an invalid name, or a number or state out of range.
        """
        raise NotImplementedError(f"{type(self).__name__} must write sentence()")

    def wordings(self, you: str) -> Iterator[str]:
        """At least five free sentences for a secret of agent ``you``; one that begins with a word gets its capital later.

        Raises:
            FormulaError: it has no words.
        """
        raise NotImplementedError(f"{type(self).__name__} must write wordings()")

    def forms(self, agents: Sequence[str]) -> tuple[str, ...]:
        """Its formulas in a task of these ``agents``."""
        raise NotImplementedError(f"{type(self).__name__} must write forms()")

    @classmethod
    def of_forms(cls, forms: Sequence[Sequence[str]]) -> HouseRule:
        """The statement of formulas, each as its words without brackets; several only of a head in ``gathered``."""
        raise NotImplementedError(f"{cls.__name__} must write of_forms()")

    @classmethod
    def checked_form(cls, form: Group) -> str:
        """A formula as :meth:`forms` writes it.

        Raises:
            FormulaError: it has another number of names than ``heads`` says.
        """
        return f"({' '.join(names_in(form, cls.heads[form.head]))})"

    def parts(self) -> Iterator[HouseRule]:
        """The single statements of which a message of limited length conveys the first ones, in one form each."""
        yield self

    def plain(self) -> HouseRule:
        """The statement without differences that change nothing in the house."""
        return self

    @property
    def things(self) -> Names:
        """The furniture that it connects; empty if it is about agents."""
        return ()

    @property
    def drives(self) -> tuple[tuple[str, str], ...]:
        """Each piece of furniture that sets another, with that other."""
        return ()

    def barred(self) -> Mapping[str, frozenset[str]]:
        """The rooms that each agent may neither enter nor cross."""
        return {}

    def edges(self) -> Mapping[str, Names]:
        """The only agents that each agent can message."""
        return {}

    def limits(self) -> Mapping[str, int]:
        """The number of messages that each agent can send."""
        return {}

    def delay(self, agent: str) -> int:
        """The turns that the messages of ``agent`` take longer than usual."""
        return 0

    def reversed(self) -> Names:
        """The things that work in reverse."""
        return ()

    def follows(self, furniture: str, value: str) -> tuple[tuple[str, str], ...]:
        """The other things that change when ``furniture`` takes ``value`` (``is_open``, ...), each with its new value."""
        return ()

    def confirmed(self, bound: Bound, agents: Sequence[str]) -> HouseRule | None:
        """What the bindings of a task of these ``agents`` say instead of it with the same meaning; ``None`` if they deny it."""
        statements = (statement for m, b in bound for statement in m.secrets(b))
        return next((statement for statement in statements if statement.plain() == self.plain()), None)

    def denied(self, bound: Bound, agents: Sequence[str]) -> str:
        """How the bindings of a task contradict it, with a remedy; empty if they do not."""
        return "" if self.confirmed(bound, agents) else NO_BINDING

    @classmethod
    def revealed(cls, refusal: Refusal) -> HouseRule | None:
        """What a refused act shows to its agent."""
        return None


def names_in(form: Group, count: int) -> list[str]:
    """The words of a form with ``count`` names behind its head.

    Raises:
        FormulaError: it has another number, or a bracket in the place of one.
    """
    if not all(isinstance(part, Symbol) for part in form.parts):
        raise FormulaError("a bracket where a name should be; write the name itself")
    if len(form.parts) != count + 1:
        raise FormulaError(f"{form.head} takes {count} name(s), and has {len(form.parts) - 1}")
    return [part.text for part in form.parts if isinstance(part, Symbol)]


class Fact(Struct, frozen=True, tag="fact"):
    """A fact: a literal, or knowledge of one. An ``and`` is several facts."""

    formula: Formula


class Must(Struct, frozen=True, tag="must"):
    """A goal: one conjunct that must hold at the end."""

    formula: Formula


class Aware(Struct, frozen=True, tag="aware"):
    """Another agent was told a goal, too: a literal that must hold at the end."""

    agent: str
    goal: Must


class Private(Struct, frozen=True, tag="private"):
    """A goal of one agent alone, which is not a goal of the team: one conjunct of it."""

    formula: Formula


class Doing(Struct, frozen=True, tag="doing"):
    """A promise: the agent will achieve the goal."""

    agent: str
    goal: Must


class Asks(Struct, frozen=True, tag="asks"):
    """A request to an agent to achieve the goal."""

    agent: str
    goal: Must


Statement: TypeAlias = Fact | Must | Aware | HouseRule | Doing | Asks
Secret: TypeAlias = Statement | Private
"""What a secret tells its agent."""
