"""What a message conveys: the one reader of messages, which probes, the tracker of knowledge and measures share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from otherminds.household.epistemic.formula import Atom, Formula, Not
from otherminds.household.epistemic.predicates import positive
from otherminds.household.epistemic.words import Asks, Doing, Fact, Must, Private, Secret
from otherminds.household.epistemic.words.free.grammar import grammar, language
from otherminds.household.epistemic.words.free.meaning import Bid, Discourse, Planned
from otherminds.household.epistemic.words.free.parser import WordToken
from otherminds.household.epistemic.words.free.reading import MOST, WORD, normalize_spelling, tokens
from otherminds.household.epistemic.words.free.secrets import secret_token
from otherminds.household.epistemic.words.free.telling import secrets
from otherminds.household.epistemic.words.sentences import LONGEST, split_sentences, statement_of
from otherminds.household.epistemic.words.shapes import Voice

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
        for statements in secrets().readings("Secret", words) if words else ():
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
