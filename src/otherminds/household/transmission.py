"""What arrives of a message: all of its text, or, where a task limits the statements of a message, the first of them.

Under a limit a message is a list of statements, and what arrives is a sentence of the controlled language for each of the
first ones: neither the words in which they were written, nor text that was not read as a statement. Otherwise a team could
agree on a code in words without a meaning, and one message could carry all that its sender knows. A statement is

- a fact: a literal or knowledge of one, by at most :data:`NESTED` agents,
- a goal: what must be so in the end,
- a request or a promise that something will be so in the end,
- a rule of a mechanic; each room that an agent cannot enter is one.

Its names are names of this house that the sender has seen or was told, and its numbers are at most :data:`LARGEST`. A message
without any statement is refused and costs no message.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec import Struct, structs

from otherminds.household.epistemic.formula import And, Formula, FormulaError, claims
from otherminds.household.epistemic.household_facts import reader_of
from otherminds.household.epistemic.predicates import NAME, positive_claims
from otherminds.household.epistemic.words import (
    Asks,
    Doing,
    Fact,
    HouseRule,
    Must,
    Private,
    Secret,
    Statement,
)
from otherminds.household.epistemic.words.free import Reading, read_message
from otherminds.household.epistemic.words.sentences import say

NESTED = 4
"""The largest number of agents in the knowledge that a statement is about."""
LARGEST = 1000
"""The largest number in a statement."""
REFUSED = (
    "Blocked: No statement was found in your message, and nothing was sent. "
    "Say it in a plain sentence, with names that you know."
)


class Transmission(Struct, frozen=True):
    """A message of ``sender`` to ``to`` (an agent, or all): what was ``written``, and the ``text`` that ``reached`` agents receive.

    It arrives at the end of the turn in which it is sent, or ``delay`` turns later. ``cut``: a part of it was not transmitted. ``reworded``: the text is not as it was written. ``limit`` is the largest
    number of statements, ``None`` without a limit.
    """

    sender: str
    to: str
    reached: tuple[str, ...]
    written: str
    text: str
    limit: int | None = None
    cut: bool = False
    delay: int = 0

    @property
    def reading(self) -> Reading:
        """What the message conveys to those that it reached."""
        return read_message(self.text, self.sender, reader_of(self.to))

    @property
    def note(self) -> str:
        """What sender and receivers are told about the transmission; empty if the whole text arrives as it was written."""
        if self.limit is None or (not self.cut and self.text == self.written):
            return ""
        return note_of(self.limit) if self.cut else REWORDED


REWORDED = "It was transmitted in plain words."


def note_of(limit: int) -> str:
    """The notice that a message was cut.

    >>> note_of(1), note_of(2)
    ('Only the first statement was transmitted.', 'Only the first 2 statements were transmitted.')
    """
    if limit == 1:
        return "Only the first statement was transmitted."
    return f"Only the first {limit} statements were transmitted."


def transmit(
    sender: str, to: str, draft: str, limit: int | None, names: Collection[str]
) -> Transmission | None:
    """What arrives of a message, whomever it reaches. ``names`` are the names that the sender knows.

    ``None`` if there is a limit and no statement was found.
    """
    if limit is None:
        return Transmission(sender, to, (), draft, draft)
    reading = read_message(draft, sender, reader_of(to))
    parts = [part for statement in reading.statements for part in parts_of(statement)]
    sayable = [part for part in dict.fromkeys(parts) if part and is_transmissible(part, names)]
    sent_parts = sayable[:limit]
    if not sent_parts:
        return None
    text = " ".join(say(part, me=sender) for part in sent_parts)
    cut = len(sent_parts) < len(parts) or bool(reading.unread or reading.asides or reading.silent)
    return Transmission(sender, to, (), draft, text, limit, cut)


def parts_of(statement: Secret) -> Iterator[Statement | None]:
    """The single statements of a statement, in one form each; ``None`` for one that is not for others."""
    match statement:
        case Fact(formula) | Must(formula):
            for chain in positive_claims(formula):
                yield structs.replace(statement, formula=chain.formula)
        case Asks(_, Must(formula)) | Doing(_, Must(formula)):
            for chain in positive_claims(formula):
                yield structs.replace(statement, goal=Must(chain.formula))
        case HouseRule():
            yield from statement.parts()
        case Private():
            yield None
        case _:
            yield statement


def is_transmissible(statement: Statement, names: Collection[str]) -> bool:
    """Whether a statement can be said, has only known names and small numbers, and nests no more than :data:`NESTED` agents."""
    try:
        sentence = say(statement)
    except FormulaError:
        return False
    values = structs.astuple(statement) if isinstance(statement, HouseRule) else ()
    small = all(value <= LARGEST for value in values if isinstance(value, int))
    deep = max((len(chain.agents) for chain in claims(formula_of(statement))), default=0)
    return small and deep <= NESTED and {*NAME.findall(sentence)} <= {*names}


def formula_of(statement: Statement) -> Formula:
    """The formula of a statement; an empty conjunction for a rule."""
    match statement:
        case Fact(formula) | Must(formula) | Asks(_, Must(formula)) | Doing(_, Must(formula)):
            return formula
        case _:
            return And(())
