"""What secrets and messages in free words say: the grammar of secrets, and the one reader of messages, which probes, the tracker
of knowledge and measures share.

The grammar is read from ``secrets.txt`` and from mechanics; functions here are what its rules make of the values of their
symbols. Names are strings, lists of names are tuples, clauses are tuples of formulas, and a whole sentence is a tuple of
statements. A clause without a meaning (a thing on itself, a result that contradicts another) is an empty tuple, and so is all
that contains it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, TypeAlias

from msgspec import Struct

from otherminds.household.epistemic import words
from otherminds.household.epistemic.formula import Atom, Formula, Know, Literal, Not
from otherminds.household.epistemic.predicates import PREDICATES, positive
from otherminds.household.epistemic.words import Asks, Doing, Fact, HouseRule, Must, Private, Secret, shapes
from otherminds.household.epistemic.words.free.grammar import (
    MOST,
    WORD,
    grammar,
    language,
    language_in,
    language_of,
    normalize_spelling,
    token_of,
    tokens,
)
from otherminds.household.epistemic.words.free.meaning import Bid, Discourse, Planned
from otherminds.household.epistemic.words.free.parser import Build, Grammar, WordToken, build_of
from otherminds.household.epistemic.words.sentences import LONGEST, split_sentences, statement_of
from otherminds.household.epistemic.words.shapes import Voice
from otherminds.household.mechanics.mechanic import house_rules

Names: TypeAlias = str | tuple[str, ...]
Told: TypeAlias = tuple[words.Secret, ...]

KINDS = ("THING", "ROOM", "AGENT", "YOU", "YOUR", "NUMBER")
"""The classes of tokens; the text of ``YOU`` and ``YOUR`` is the name of the reader."""
Formulas: TypeAlias = tuple[Formula, ...]


class At(Struct, frozen=True):
    """A state or place: a predicate, and its other argument if it has one."""

    predicate: str
    other: str = ""


def secret_grammar() -> Grammar:
    """All rules, those of the registered mechanics among them; the value of ``Secret`` is a tuple of statements."""
    return _secrets(house_rules())


@cache
def _secrets(rules: tuple[type[HouseRule], ...]) -> Grammar:
    grammar = Grammar()
    for kind in KINDS:
        grammar.kind(kind, lambda token, kind=kind: token.kind == kind)
    add_rules(grammar, language_of("secrets.txt").rules, PLAIN, WITH_WORDS)
    add_house_rules(grammar, rules)
    return grammar


def add_house_rules(grammar: Grammar, rules: Iterable[type[HouseRule]]) -> None:
    """Adds the rules of mechanics; each calls its own actions, and those of ``secrets.txt``."""
    for rule in rules:
        own = {action.__name__[1:]: action for action in rule.actions}
        add_rules(grammar, language_in(rule.grammar).rules, {**PLAIN, **own}, WITH_WORDS)


def add_rules(
    grammar: Grammar,
    rules: Iterable[tuple[str, str, str]],
    plain: Mapping[str, Build],
    with_words: Mapping[str, Callable[..., Build]],
) -> None:
    """Adds rules (name, symbols, action), each with the function of its action."""
    for rule, symbols, action in rules:
        grammar.add(rule, symbols, build_of(action, plain, with_words))


# Names


def _one(name: str) -> tuple[str, ...]:
    return (name,)


def _pair(first: str, second: str) -> tuple[str, ...]:
    return (first, second)


def _first(name: str, others: tuple[str, ...]) -> tuple[str, ...]:
    return (name, *others)


# Clauses


def _at(predicate: str) -> Callable[..., At]:
    def build_place(other: str = "") -> At:
        return At(predicate, other)

    return build_place


def state_facts(about: Names, at: At) -> Formulas:
    """That things are in a state or at a place; empty if one would be at itself."""
    return tuple(_fact(name, at) for name in _names(about)) if at.other not in _names(about) else ()


def _denies(about: str, at: At) -> Formulas:
    return tuple(positive(Not(fact)) for fact in state_facts(about, at) if isinstance(fact, Atom))


def _in_room(room: str, agent: str) -> Formulas:
    return state_facts(agent, At("agent_in_room", room))


def _holds_open(about: str) -> Formulas:
    return state_facts(about, At("is_open"))


def _held(agent: str, name: str) -> Formulas:
    return state_facts(name, At("is_held_by", agent))


def _knows(agent: str, formulas: Formulas) -> Formulas:
    return tuple(Know(agent, formula) for formula in formulas)


def _fact(name: str, at: At) -> Literal:
    assert len(PREDICATES[at.predicate].kinds) == (2 if at.other else 1), at.predicate
    return Atom(at.predicate, (name, at.other) if at.other else (name,))


def _names(about: Names) -> tuple[str, ...]:
    return (about,) if isinstance(about, str) else about


# Statements


def _facts(formulas: Formulas) -> Told:
    return tuple(map(words.Fact, formulas))


def _goals(formulas: Formulas) -> Told:
    return tuple(map(words.Must, formulas))


def _aware(agent: str, formulas: Formulas) -> Told:
    """Another agent was told goals, which are facts: nobody is said to know what somebody must come to know."""
    if any(isinstance(formula, Know) for formula in formulas):
        return ()
    return tuple(words.Aware(agent, words.Must(formula)) for formula in formulas)


def _private(formulas: Formulas) -> Told:
    return tuple(map(words.Private, formulas))


def _both(statements: Told, more_statements: Told) -> Told:
    return (*statements, *more_statements) if statements and more_statements else ()


def _count(number: str) -> int:
    return int(number)


def _times(number: str) -> Callable[[], int]:
    return lambda: int(number)


_ACTIONS: tuple[Callable[..., Any], ...] = (
    *(_aware, _both, _count, _denies, _facts, _first, _goals, _held, _holds_open, _in_room, _knows, _one),
    *(_pair, _private),
)
PLAIN: Mapping[str, Build] = {
    **{action.__name__[1:]: action for action in (*_ACTIONS, *shapes.PLAIN)},
    "holds": state_facts,
}
WITH_WORDS: Mapping[str, Callable[..., Build]] = {
    action.__name__[1:]: action for action in (_at, _times, *shapes.WITH_WORDS)
}


SPELT = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS: Mapping[str, str] = {word: str(number) for number, word in enumerate(SPELT, start=2)}
"""Numbers in words, except one, which is also a pronoun."""
TOGETHER = 2
"""The largest number of sentences that are parsed as one."""
SENTENCES = 100
"""The largest number of sentences of a secret."""


@lru_cache(maxsize=4096)
def told_freely(text: str, you: str = "") -> tuple[Secret, ...]:
    """The statements of a secret of agent ``you``, in free words or in the controlled language.

    Facts are in their positive form (not open is closed). A secret is understood as a whole or not at all: the tuple is
    empty if one of its sentences is not understood or has several meanings. Hedges, conditions, questions, plans, advice,
    and past or possible states are not understood. Never raises.

    >>> told_freely("Neither kitchen_1 nor bedroom_2 is open to you.", you="agent_0")
    (Barred(agent='agent_0', rooms=('kitchen_1', 'bedroom_2')),)
    >>> told_freely("You could once enter kitchen_1.", you="agent_0")
    ()
    """
    sentences = split_sentences(text) if len(text) <= LONGEST else []
    return _all(sentences, you) if 0 < len(sentences) <= SENTENCES else ()


def _all(sentences: list[str], you: str) -> tuple[Secret, ...]:
    """The statements of all sentences, where two that follow one another may be one statement; empty if one is not read."""
    prefixes: list[tuple[Secret, ...] | None] = [(), *([None] * len(sentences))]
    for start in range(len(sentences)):
        before = prefixes[start]
        for count in range(1, TOGETHER + 1):
            end = start + count
            if before is not None and end <= len(sentences) and prefixes[end] is None:
                statements = _sentence(" ".join(sentences[start:end]), you)
                prefixes[end] = (*before, *statements) if statements else None
    return prefixes[-1] or ()


def _sentence(text: str, you: str) -> tuple[Secret, ...]:
    statement = statement_of(text, Voice(you=you))
    if statement is not None:
        return () if isinstance(statement, Asks | Doing) else (statement,)
    words = _tokens(text, you)
    if not words or len(words) > MOST:
        return ()
    readings = {reading for reading in secret_grammar().readings("Secret", words) if reading}
    return readings.pop() if len(readings) == 1 else ()


def _tokens(sentence: str, you: str) -> list[WordToken]:
    """The words, names, numbers and marks of a sentence, without its last stop."""
    text = normalize_spelling(sentence).rstrip()
    if text.endswith(("..", "?", "?!")):
        return []
    return [secret_token(word, you) for word in WORD.findall(text.rstrip(".! "))]


def secret_token(word: str, you: str) -> WordToken:
    """A word of a sentence to ``you``, with its class."""
    if you and word in ("you", "your"):
        return WordToken(you, word.upper())
    number = NUMBERS.get(word, word)
    return WordToken(number, "NUMBER") if number.isdecimal() else token_of(word)


ADDRESS = 4
"""The largest number of words of an address before a question."""
IN_PERSON = {"i": "you", "me": "you", "myself": "you", "my": "your", "am": "are", "'m": "'re"}
"""Words of a writer about itself, as a secret says them to its reader."""


class Reading(Struct, frozen=True):
    """What a message conveys: its ``statements``, in the order of the text, each once.

    ``unread`` are the sentences that may state anything, since they were not understood. ``asides`` are those that state no
    other fact, but may ask for something or announce something that was not read. ``silent`` are greetings, and questions
    for facts.
    """

    statements: tuple[Secret, ...]
    unread: tuple[str, ...] = ()
    asides: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()

    @property
    def facts(self) -> tuple[Formula, ...]:
        """The facts that the message states about the present."""
        return tuple(statement.formula for statement in self.statements if isinstance(statement, Fact))


@lru_cache(maxsize=4096)
def read_message(text: str, me: str = "", you: str = "") -> Reading:
    """The statements of a text of ``me`` to ``you`` (empty: to several), in the controlled language or in free words.

    A sentence that the grammars do not cover as a whole, or that is ambiguous, is unread. Facts that a later sentence
    replaces (opened, then closed) are left out. Never raises.

    >>> from otherminds.household.epistemic.formula import show
    >>> found = read_message("I have just opened cabinet_7 in the kitchen and left it open. Maybe it rains.")
    >>> [show(fact) for fact in found.facts], found.unread
    (['(is_open cabinet_7)'], ('Maybe it rains.',))
    >>> read_message("Could you please put bowl_0 on table_1?", you="agent_1").statements[0].agent
    'agent_1'
    """
    return _Reader(Voice(me, you)).read_sentences(text)


class _Reader:
    """Reads one message sentence by sentence; ``_discourse`` has the facts so far, ``_others`` the other statements."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice
        self._discourse = Discourse(voice)
        self._others: list[tuple[int, tuple[Secret, ...]]] = []
        self._unread: list[str] = []
        self._asides: list[str] = []
        self._silent: list[str] = []

    def read_sentences(self, text: str) -> Reading:
        """The statements of a text."""
        if len(text) > LONGEST:
            return Reading((), (text,))
        for sentence in split_sentences(text):
            self._read_sentence(sentence)
        others = (tuple(sentences) for sentences in (self._unread, self._asides, self._silent))
        return Reading(tuple(dict.fromkeys(self._in_order())), *others)

    def _in_order(self) -> Iterator[Secret]:
        """All statements; each of ``_others`` stands behind the facts of the clauses before it."""
        done = 0
        for clauses, statements in (*self._others, (self._discourse.clauses, ())):
            yield from map(Fact, self._discourse.stated_in(done, clauses))
            yield from statements
            done = clauses

    def _add(self, statements: tuple[Secret, ...]) -> None:
        self._others.append((self._discourse.clauses, statements))

    def _read_sentence(self, sentence: str) -> None:
        statement = statement_of(sentence, self._voice)
        if isinstance(statement, Fact):
            self._discourse.state(statement.formula)
            return
        if statement is not None:
            self._discourse.forget()
            self._add((statement,))
            return
        types = self._discourse.types
        words = [WordToken(word.text, "TYPE") if word.text in types else word for word in tokens(sentence)]
        if len(words) > MOST:
            self._pass_over(sentence)
        elif _asks(sentence):
            self._read_duty(sentence, words, self._silent if _wonders(words) else self._asides)
        elif words:
            self._read_clauses(sentence, words)

    def _read_clauses(self, sentence: str, words: list[WordToken]) -> None:
        """Reads a sentence that may state facts."""
        before = self._discourse
        readings = [(before.after(events), events) for events in grammar().readings("sentence", words)]
        discourses = {later.formulas(): later for later, _ in readings if later}
        if len(discourses) > 1:
            self._pass_over(sentence)
        elif discourses:
            self._discourse = discourses.popitem()[1]
            if all(Planned() in events for later, events in readings if later):
                bids = {
                    self._statements(later, bid)
                    for events, bid in grammar().readings("mixed", words)
                    if (later := before.after(events))
                } - {()}
                if len(bids) == 1:
                    self._add(bids.pop())
                else:
                    self._asides.append(sentence)
        elif grammar().readings("greeting", words):
            self._silent.append(sentence)
        else:
            nothing = grammar().readings("nothing", words)
            self._read_duty(sentence, words, self._asides if nothing else self._unread)

    def _read_duty(self, sentence: str, words: list[WordToken], others: list[str]) -> None:
        """Reads a sentence that states no fact; ``others`` are the sentences that it belongs to if nothing is read."""
        meanings = {*self._bids(words), *self._rules(sentence)} - {()}
        if len(meanings) == 1:
            self._add(meanings.pop())
        else:
            others.append(sentence)
        if others is self._unread or any(word.kind for word in words):
            self._discourse.forget()

    def _pass_over(self, sentence: str) -> None:
        self._unread.append(sentence)
        self._discourse.forget()

    def _bids(self, words: list[WordToken]) -> Iterator[tuple[Secret, ...]]:
        """What a sentence asks for, promises, or says to be a goal."""
        for bid in grammar().readings("bid", words):
            yield self._statements(self._discourse, bid)

    @staticmethod
    def _statements(discourse: Discourse, bid: Bid) -> tuple[Secret, ...]:
        statements: list[Secret] = []
        for agent, formula in discourse.bid_formulas(bid):
            goal = Must(positive(formula) if isinstance(formula, Atom | Not) else formula)
            match bid.kind:
                case "asks":
                    statements.append(Asks(agent, goal))
                case "promises":
                    statements.append(Doing(agent, goal))
                case "wants":
                    statements.append(goal)
                case "wishes":
                    statements.append(Private(goal.formula))
        return tuple(statements)

    def _rules(self, sentence: str) -> Iterator[tuple[Secret, ...]]:
        """The goals and mechanics in a sentence of the language of secrets, which the writer says about itself."""
        words = self._as_secret(sentence)
        for statements in secret_grammar().readings("Secret", words) if words else ():
            if not any(isinstance(statement, Fact) for statement in statements):
                yield statements

    def _as_secret(self, sentence: str) -> list[WordToken]:
        text = normalize_spelling(sentence).rstrip()
        if text.endswith(("..", "?", "?!")):
            return []
        tokens: list[WordToken] = []
        for word in map(str, WORD.findall(text.rstrip(".! "))):
            about = self._voice.me if word in IN_PERSON else self._voice.you
            if not about and word in {*IN_PERSON, "you", "your"}:
                return []
            tokens.append(secret_token(IN_PERSON.get(word, word), about))
        return tokens


def _asks(sentence: str) -> bool:
    if not sentence.endswith("?") or ";" in sentence or "." in sentence:
        return False
    words = [token.text for token in tokens(sentence)]
    openings = {0, *(k + 1 for k, word in enumerate(words) if word in (",", ":") and k < ADDRESS)}
    return any(k < len(words) and words[k] in language().lists["ASKING"] for k in openings)


def _wonders(words: list[WordToken]) -> bool:
    """Whether a question asks for a fact, so that it cannot be a request."""
    return not language().lists["WONDERING"].isdisjoint(word.text for word in words[: ADDRESS + 1])
