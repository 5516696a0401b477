"""Statements as sentences and back: what is written, what is understood, and how a text is cut into sentences."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from otherminds.epistemic.formula import FormulaError, shown
from otherminds.epistemic.words.clauses import understood, written
from otherminds.epistemic.words.shapes import Person, Shaped, Voice, agent_named, listed, shaped, thing
from otherminds.epistemic.words.statements import (
    Asks,
    Barred,
    By,
    Controls,
    Doing,
    Fact,
    Inverse,
    MessageBudget,
    Mirrors,
    Must,
    Reaches,
    State,
    Statement,
)

LONGEST = 20_000
"""Characters of a text; of a longer one nothing is understood."""
MOST = 999_999_999
"""Messages that a sentence can speak of."""

BARRED, FREE = "cannot enter {}", "can enter every room"
REACHES, MUTE = "can only message {}", "cannot message anyone"
ONE, SEVERAL = "can send 1 message", "can send {} messages"
REVERSE = "{} works in reverse: opening closes it, and closing opens it"
MIRROR = "{} and {} always move together"
CONTROL: dict[By, str] = {
    "opening": "Opening {} makes {} {}, and closing it does the opposite",
    "switching on": "Switching on {} makes {} {}, and switching it off does the opposite",
}
EFFORT = "see to it that "

SUBJECTS: dict[str, Person] = {"<agent> ": "it", "I ": "I", "you ": "you"}
PROMISED: dict[str, Person] = {f"{subject}will {EFFORT}": person for subject, person in SUBJECTS.items()}
ASKED: dict[str, Person] = {f"<agent>, please {EFFORT}": "it", f"Please {EFFORT}": "you"}

OF_AGENTS: dict[str, Callable[[str, tuple[str, ...]], Statement]] = {
    BARRED.format("<thing>"): Barred,
    BARRED.format("<things>"): Barred,
    FREE: Barred,
    REACHES.format("<agent>"): Reaches,
    REACHES.format("<agents>"): Reaches,
    MUTE: Reaches,
    ONE: lambda agent, _: MessageBudget(agent, 1),
    SEVERAL.format("<number>"): lambda agent, names: MessageBudget(agent, int(names[0])),
}
"""What can follow an agent at the beginning of a sentence, and what it makes of the names in it."""

CONTROLLED: dict[str, tuple[State, By]] = {
    words.format("<thing>", "<thing>", state): (state, by)
    for by, words in CONTROL.items()
    for state in get_args(State)
}
"""What each sentence about a trigger and its target says of them."""


def sentence(statement: Statement, voice: Voice) -> str:
    """The one sentence that says the statement.

    Raises:
        FormulaError: it has no words: a name that is none, an ``and``, a predicate
            that goals do not have, a number or a state that cannot be said.
    """
    text = _words(statement, voice)
    return f"{'You' + text[3:] if text.startswith('you ') else text}."


def say(statement: Statement, me: str = "") -> str:
    """The statement as one sentence, for a message; ``me``, the agent who writes it, is "I" where it acts.

    Raises:
        FormulaError: it has no words; the text says why.

    >>> from otherminds.epistemic import Atom
    >>> from otherminds.epistemic.words import Doing, Must
    >>> say(Doing("agent_1", Must(Atom("is_on_top", ("bowl_0", "table_18")))), me="agent_1")
    'I will see to it that bowl_0 ends on table_18.'
    """
    return _fitting(sentence(statement, Voice(me=me)))


def tell(statement: Statement, you: str) -> str:
    """The statement as one sentence, for a secret; ``you`` is the agent who receives it.

    Raises:
        FormulaError: it has no words; the text says why.

    >>> from otherminds.epistemic.words import Reaches
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


def statement_of(text: str, voice: Voice) -> Statement | None:
    """The statement that a sentence is, with its full stop and single spaces; None if it is none, whole."""
    if not text.endswith(".") or text.startswith("you "):
        return None
    found = shaped(("you" + text[3:] if text.startswith("You ") else text)[:-1])
    return _statement(found, voice) if found else None


def _words(statement: Statement, voice: Voice) -> str:
    match statement:
        case Fact(formula):
            return written(formula, "now", voice)
        case Must(formula):
            return written(formula, "must", voice)
        case Barred(agent, rooms):
            rest = BARRED.format(listed([thing(room) for room in rooms])) if rooms else FREE
            return voice.clause(agent, rest)
        case Reaches(agent, targets):
            rest = REACHES.format(listed([agent_named(target) for target in targets])) if targets else MUTE
            return voice.clause(agent, rest)
        case MessageBudget(agent, messages):
            if not 0 <= messages <= MOST:
                raise FormulaError(f"{messages} messages cannot be said; name a number from 0 to {MOST}")
            return voice.clause(agent, ONE if messages == 1 else SEVERAL.format(messages))
        case Inverse(name):
            return REVERSE.format(thing(name))
        case Mirrors(one, other):
            return MIRROR.format(thing(one), thing(other))
        case Controls(trigger, target, state, by):
            if by not in CONTROL or state not in get_args(State):
                raise FormulaError(f"{shown(by)} to {shown(state)} cannot be said; see State and By")
            return CONTROL[by].format(thing(trigger), thing(target), state)
        case Doing(agent, goal):
            return voice.clause(agent, f"will {EFFORT}{written(goal.formula, 'ends', voice)}")
        case Asks(agent, goal):
            address = "Please" if agent == voice.you else f"{agent_named(agent)}, please"
            return f"{address} {EFFORT}{written(goal.formula, 'ends', voice)}"


def _statement(text: Shaped, voice: Voice) -> Statement | None:
    if text.shape in CONTROLLED:
        (trigger, target), (state, by) = text.names, CONTROLLED[text.shape]
        return Controls(trigger, target, state, by)
    if text.shape == REVERSE.format("<thing>"):
        return Inverse(*text.names)
    if text.shape == MIRROR.format("<thing>", "<thing>"):
        return Mirrors(*text.names)
    about = text.subject(SUBJECTS, voice)
    if about and about[1].shape in OF_AGENTS:
        return OF_AGENTS[about[1].shape](about[0], about[1].names)
    efforts: tuple[tuple[dict[str, Person], type[Doing | Asks]], ...] = ((PROMISED, Doing), (ASKED, Asks))
    for leads, form in efforts:
        if found := text.subject(leads, voice):
            formula = understood(found[1], "ends", voice)
            return form(found[0], Must(formula)) if formula else None
    if formula := understood(text, "must", voice):
        return Must(formula)
    formula = understood(text, "now", voice)
    return Fact(formula) if formula else None


QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019",
    "\u201a": "\u2018\u2019",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "(": ")",
    "[": "]",
}
"""What opens a quotation or an aside, and what can close it."""

APOSTROPHES = "'\u2018\u2019"
"""These quote only where they do not stand inside a word."""

STOPS = frozenset(".!?")
ABBREVIATED = frozenset({"approx.", "cf.", "etc.", "viz.", "vs."})


def read(text: str, me: str = "", you: str = "") -> tuple[Statement, ...]:
    """What a text says, sentence by sentence; whatever is not understood is left out.

    ``me`` is the agent who wrote it ("I"), ``you`` the one who reads it; a
    sentence with either word is not understood where the agent is not given. A
    sentence is understood only whole: no hedge, no condition, no denial that the
    language does not have, nothing inside quotation marks or brackets. Any text can be read:
    nothing is raised, and the work grows with its length alone.

    >>> read("Hello! I am in kitchen_1. Maybe cabinet_3 is open.", me="agent_0")
    (Fact(formula=Atom(predicate='agent_in_room', args=('agent_0', 'kitchen_1'))),)
    """
    return tuple(found for _, found in _sentences(text, Voice(me, you)) if found)


def unread(text: str, me: str = "", you: str = "") -> tuple[str, ...]:
    """The sentences of a text that :func:`read` leaves out, with single spaces.

    >>> unread("cabinet_3 is open. I think so. Maybe bowl_0 is inside cabinet_3.")
    ('I think so.', 'Maybe bowl_0 is inside cabinet_3.')
    """
    return tuple(sentence for sentence, found in _sentences(text, Voice(me, you)) if not found)


def _sentences(text: str, voice: Voice) -> list[tuple[str, Statement | None]]:
    """Each sentence with what it says, if that is understood."""
    if len(text) > LONGEST:
        return [(text, None)]
    return [(sentence, statement_of(sentence, voice)) for sentence in cut(text)]


def cut(text: str) -> list[str]:
    """The sentences, in doubt too long rather than too short: a part of one could say what the whole does not."""
    sentences: list[str] = []
    words: list[str] = []
    closing = ""
    for word in text.split():
        words.append(word)
        closing = _quoting(word, closing)
        if not closing and _ends(word):
            sentences.append(" ".join(words))
            words = []
    return [*sentences, " ".join(words)] if words else sentences


def _quoting(word: str, closing: str) -> str:
    """What closes the quotation that is open behind the word; empty if none is."""
    for at, char in enumerate(word):
        if char in APOSTROPHES:
            before, after = word[at - 1 : at], word[at + 1 : at + 2]
            if (after if closing else before).isalnum():
                continue
        closing = QUOTES.get(char, "") if not closing else "" if char in closing else closing
    return closing


def _ends(word: str) -> bool:
    """Whether a sentence ends here: not with a number, a letter (``B.``), ``e.g.``, ``etc.`` or ``...``."""
    body, stop = word[:-1], word[-1]
    plain = len(body) > 1 and not body.isdigit() and STOPS.isdisjoint(body)
    return stop in STOPS and plain and word not in ABBREVIATED
