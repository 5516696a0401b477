"""Statements as sentences and back: what is written, what is understood, and how a text is cut into sentences."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from otherminds.household.epistemic import words
from otherminds.household.epistemic.formula import FormulaError, Know
from otherminds.household.epistemic.words.clauses import read_clause, write_clause
from otherminds.household.epistemic.words.house_rule import Names
from otherminds.household.epistemic.words.shapes import Person, Shaped, Voice, agent_named, find_shape
from otherminds.household.mechanics.mechanic import house_rules

LONGEST = 20_000
"""The largest number of characters of a text; a longer one is not parsed."""

EFFORT = "see to it that "

INFORMED: dict[str, Person] = {"<agent> knows that ": "it", "I know that ": "I", "you know that ": "you"}
SUBJECTS: dict[str, Person] = {"<agent> ": "it", "I ": "I", "you ": "you"}
PROMISED: dict[str, Person] = {f"{subject}will {EFFORT}": person for subject, person in SUBJECTS.items()}
ASKED: dict[str, Person] = {f"<agent>, please {EFFORT}": "it", f"Please {EFFORT}": "you"}


@lru_cache
def _shapes_of(rules: tuple[type[words.HouseRule], ...]) -> dict[str, Callable[[Names], words.HouseRule]]:
    return {shape: make for rule in rules for shape, make in rule.shapes.items()}


def sentence(statement: words.Statement, voice: Voice) -> str:
    """The sentence for a statement.

    Raises:
        FormulaError: it cannot be expressed: an invalid name, an ``and``, a predicate outside goals, or a number or
            state out of range.
    """
    text = _words(statement, voice)
    return f"{'You' + text[3:] if text.startswith('you ') else text}."


def say(statement: words.Statement, me: str = "") -> str:
    """The statement as one sentence of a message; the writer ``me`` is "I".

    Raises:
        FormulaError: it has no words; the text says why.

    >>> from otherminds.household.epistemic.formula import Atom
    >>> from otherminds.household.epistemic.words import Doing, Must
    >>> say(Doing("agent_1", Must(Atom("is_on_top", ("bowl_0", "table_18")))), me="agent_1")
    'I will see to it that bowl_0 ends on table_18.'
    """
    return _fitting(sentence(statement, Voice(me=me)))


def tell(statement: words.Statement, you: str) -> str:
    """The statement as one sentence of a secret; the receiver ``you`` is "you".

    Raises:
        FormulaError: it has no words; the text says why.

    >>> from otherminds.household.mechanics.restricted_communication import Reaches
    >>> tell(Reaches("agent_0", ("agent_1", "agent_2")), you="agent_0")
    'You can only message agent_1 or agent_2.'
    """
    return _fitting(sentence(statement, Voice(you=you)))


def _fitting(text: str) -> str:
    if len(text) > LONGEST:
        raise FormulaError(
            f"a sentence has at most {LONGEST:,} characters, and this has {len(text):,}; say less"
        )
    return text


def statement_of(text: str, voice: Voice) -> words.Statement | None:
    """The statement of a sentence with its full stop and single spaces; ``None`` if it is not understood as a whole."""
    if not text.endswith(".") or text.startswith("you "):
        return None
    shaped_text = find_shape(("you" + text[3:] if text.startswith("You ") else text)[:-1])
    return _statement(shaped_text, voice) if shaped_text else None


def _words(statement: words.Statement, voice: Voice) -> str:
    match statement:
        case words.Fact(formula):
            return write_clause(formula, "now", voice)
        case words.Must(formula):
            return write_clause(formula, "must", voice)
        case words.Aware(agent, goal):
            if isinstance(goal.formula, Know):
                raise FormulaError(
                    "that an agent was told of a goal of knowledge has no words; name the fact alone"
                )
            return voice.clause(agent, f"knows that {write_clause(goal.formula, 'must', voice)}")
        case words.HouseRule():
            return statement.sentence(voice)
        case words.Doing(agent, goal):
            return voice.clause(agent, f"will {EFFORT}{write_clause(goal.formula, 'ends', voice)}")
        case words.Asks(agent, goal):
            address = "Please" if agent == voice.you else f"{agent_named(agent)}, please"
            return f"{address} {EFFORT}{write_clause(goal.formula, 'ends', voice)}"


def _statement(text: Shaped, voice: Voice) -> words.Statement | None:
    shapes = _shapes_of(house_rules())
    if text.shape in shapes:
        return shapes[text.shape](text.names)
    about = text.subject(SUBJECTS, voice)
    if about and (make := shapes.get(f"<agent> {about[1].shape}")):
        return make((about[0], *about[1].names))
    for leads, form in ((PROMISED, words.Doing), (ASKED, words.Asks)):
        if subject := text.subject(leads, voice):
            formula = read_clause(subject[1], "ends", voice)
            return form(subject[0], words.Must(formula)) if formula else None
    if (subject := text.subject(INFORMED, voice)) and (formula := read_clause(subject[1], "must", voice)):
        return None if isinstance(formula, Know) else words.Aware(subject[0], words.Must(formula))
    if formula := read_clause(text, "must", voice):
        return words.Must(formula)
    formula = read_clause(text, "now", voice)
    return words.Fact(formula) if formula else None


QUOTES = {mark: mark for mark in "\"'`"} | {
    **{"\u201c": "\u201d", "\u201e": "\u201c\u201d", "\u2018": "\u2019", "\u201a": "\u2018\u2019"},
    **{"\u00ab": "\u00bb", "\u00bb": "\u00ab", "\u300c": "\u300d", "\u300e": "\u300f", "(": ")", "[": "]"},
}
"""Opening quotation marks and brackets, with the characters that can close them."""

APOSTROPHES = "'\u2018\u2019"
"""Quotation marks only outside words."""

STOPS = frozenset(".!?")
READ = 4096
"""The number of texts whose statements are kept: measures read the same messages and secrets many times."""
ABBREVIATED = frozenset({"approx.", "cf.", "etc.", "viz.", "vs."})


def read(text: str, me: str = "", you: str = "") -> tuple[words.Statement, ...]:
    """The statements of a text, sentence by sentence; sentences that are not understood are left out.

    ``me`` is the writer ("I"), ``you`` the reader; a sentence with either word is not understood if that agent is not
    given. A sentence is understood only as a whole: without hedges, conditions, negations outside the language, or
    quotations. Never raises; the time is linear in the length of the text.

    >>> read("Hello! I am in kitchen_1. Maybe cabinet_3 is open.", me="agent_0")
    (Fact(formula=Atom(predicate='agent_in_room', args=('agent_0', 'kitchen_1'))),)
    """
    return tuple(statement for _, statement in _sentences(text, Voice(me, you)) if statement)


def unread(text: str, me: str = "", you: str = "") -> tuple[str, ...]:
    """The sentences of a text that :func:`read` leaves out, with single spaces.

    >>> unread("cabinet_3 is open. I think so. Maybe bowl_0 is inside cabinet_3.")
    ('I think so.', 'Maybe bowl_0 is inside cabinet_3.')
    """
    return tuple(sentence for sentence, statement in _sentences(text, Voice(me, you)) if not statement)


@lru_cache(maxsize=READ)
def _sentences(text: str, voice: Voice) -> tuple[tuple[str, words.Statement | None], ...]:
    """Each sentence with its statement, ``None`` if it is not understood."""
    if len(text) > LONGEST:
        return ((text, None),)
    return tuple((sentence, statement_of(sentence, voice)) for sentence in split_sentences(text))


def split_sentences(text: str) -> list[str]:
    """The sentences of a text; if in doubt, two are kept together, since a part could state what the whole does not."""
    sentences: list[str] = []
    parts: list[str] = []
    closing = ""
    for word in text.split():
        parts.append(word)
        closing = _quoting(word, closing)
        if not closing and _ends(word):
            sentences.append(" ".join(parts))
            parts = []
    return [*sentences, " ".join(parts)] if parts else sentences


def _quoting(word: str, closing: str) -> str:
    """The characters that close the quotation that is open after the word; empty if none is open."""
    for at, char in enumerate(word):
        if char in APOSTROPHES:
            before, after = word[at - 1 : at], word[at + 1 : at + 2]
            if (after if closing else before).isalnum():
                continue
        closing = QUOTES.get(char, "") if not closing else "" if char in closing else closing
    return closing


def _ends(word: str) -> bool:
    """Whether a sentence ends with this word: not for a number, a letter (``B.``), ``e.g.``, ``etc.`` or ``...``."""
    body, stop = word[:-1], word[-1]
    plain = len(body) > 1 and not body.isdigit() and STOPS.isdisjoint(body)
    return stop in STOPS and plain and word not in ABBREVIATED
