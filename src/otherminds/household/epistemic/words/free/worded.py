"""Secrets as the public release words them: from a text to statements, to hints that the task completes, and to what is unread.

Unlike :func:`~.messages.told_freely`, which understands a secret as a whole or not at all, this reads each sentence on its
own, and reports those that it does not understand. A sentence is read by the grammar of :mod:`.release`: as a whole,
with a subject supplied ("Cannot enter kitchen_1."), or as two parts that "and", "but" or ";" joins, each read as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from otherminds.household.epistemic.formula import Atom, Know, atom, claims
from otherminds.household.epistemic.predicates import PREDICATES
from otherminds.household.epistemic.words import Asks, Aware, Doing, Fact, Must, Private
from otherminds.household.epistemic.words.free.frames import read_frames
from otherminds.household.epistemic.words.free.grammar import (
    MOST,
    NO_NAMES,
    WORD,
    Vocabulary,
    language_of,
    normalize_spelling,
    spell_names,
    token_of,
)
from otherminds.household.epistemic.words.free.messages import SENTENCES, secret_token
from otherminds.household.epistemic.words.free.parser import WordToken
from otherminds.household.epistemic.words.free.plainer import read_plainly
from otherminds.household.epistemic.words.free.release import (
    Confined,
    KnowledgeGoal,
    Linked,
    Told,
    Unreached,
    Worded,
    release_grammar,
)
from otherminds.household.epistemic.words.sentences import LONGEST, split_sentences, statement_of
from otherminds.household.epistemic.words.shapes import Voice
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.room_restriction import Barred

SUPPLIED = ("your", "you", "you are", "you have", "you know", "you can send")
"""What may be left out at the beginning of a sentence."""
FORBIDDING = ("keep", "stay", "remain", "avoid")
"""What begins an order that is a constraint: "Keep out of kitchen_1."."""
JOINTS = (
    ("and",),
    ("but",),
    (";",),
    (",", "and"),
    (",", "but"),
    (",",),
    ("and", "that"),
    (",", "and", "that"),
)
"""What joins two parts of a sentence that are read each on its own."""
RELATIVE = ("which", "that", "who", "whom", "whose", "where")
"""What begins a clause about a name before it."""
REASONS = ("because", "since", "so")
"""What begins a reason or a consequence, which states nothing further if it names nothing."""
IT = re.compile(r"\b(?:it|there)\b", re.IGNORECASE)
CONCESSIONS = ("although", "though", "even", "whatever")
"""What begins a concession, which takes nothing from a rule or a goal if it names nothing."""
ASIDE = re.compile(
    r"(?P<thing>(?:[a-z]+_)+[0-9]+),? \((?:(?:located |found |standing )?(?:in|inside) )?(?P<room>(?:[a-z]+_)+[0-9]+)\)"
)
"""A thing with its room in brackets."""
NOUNS = r"(?:object|item|furniture|piece|room|rooms|area|agent|teammate|partner|container|surface|appliance)"
GENERIC = re.compile(rf"\b(?:the |an? )?{NOUNS} (?=(?:[a-z]+_)+[0-9]+\b)")
APPOSED = re.compile(r"\b(?:the |an? )?([a-z]+) (?=(?:[a-z]+_)*\1(?:_[a-z]+)*_[0-9]+\b)")
ARTICLE = re.compile(r"\b(?:the|an|a) (?=(?:[a-z]+_)+[0-9]+\b)")


class WordedSecret(Struct, frozen=True):
    """What a secret of the release says (``told``), in its order, and the sentences that are not understood."""

    told: Told
    unread: tuple[str, ...]


def read_worded(text: str, you: str, names: Vocabulary = NO_NAMES) -> WordedSecret:
    """Reads a secret of agent ``you``. ``names`` lets it understand "the fridge" where the task has one only.

    Facts are in their positive form (not open is closed). Hedges, conditions, questions, advice, and past or possible
    states are not understood; an unread sentence that begins with a word such as "that" takes the one before it with it.
    Never raises.

    >>> secret = read_worded("You have 2 messages. Be kind. By the end, you must be confident a teammate knows cabinet_3 is open.", "agent_0")
    >>> secret.told[0], secret.unread
    (MessageBudget(agent='agent_0', messages=2), ('Be kind.',))
    >>> secret.told[1].agents
    ('agent_0', '?')
    """
    read = read_sentences(text, you, names)
    return WordedSecret(
        tuple(statement for _, content in read for statement in content),
        tuple(sentence for sentence, content in read if not content),
    )


@lru_cache(maxsize=4096)
def read_sentences(text: str, you: str, names: Vocabulary = NO_NAMES) -> tuple[tuple[str, Told], ...]:
    """Each sentence of a secret with what it says, as :func:`read_worded`; sentences that say nothing are left out."""
    sentences = split_sentences(text) if len(text) <= LONGEST else []
    if not sentences or len(sentences) > SENTENCES:
        return ((text, ()),) if text.strip() else ()
    read: list[tuple[str, Told]] = []
    for k, sentence in enumerate(sentences):
        content = _sentence(sentence, you, names)
        if not content and k and (antecedent := _only_thing(sentences[k - 1], you, names)):
            content = _sentence(IT.sub(antecedent, sentence), you, names)
        if not content and _says_nothing(sentence, you):
            continue
        if not content and read and _takes_back(sentence):
            read[-1] = (read[-1][0], ())
        read.append((sentence, content))
    return tuple(read)


def _only_thing(sentence: str, you: str, names: Vocabulary) -> str:
    """The thing that "it" in the next sentence is; empty if this sentence names none, or several."""
    mentioned = {
        token.text
        for token in _tokens(spell_names(sentence, you, names), you, names)
        if token.kind == "THING"
    }
    return mentioned.pop() if len(mentioned) == 1 else ""


def _list(name: str) -> frozenset[str]:
    return language_of("frames.txt").lists[name]


def _says_nothing(sentence: str, you: str) -> bool:
    tokens = _tokens(normalize_spelling(sentence), you, NO_NAMES)
    return 0 < len(tokens) <= MOST and bool(release_grammar().readings("Nothing", tokens))


def _takes_back(sentence: str) -> bool:
    tokens = [token_of(word) for word in WORD.findall(normalize_spelling(sentence))]
    return bool(tokens) and tokens[0].text in _list("TAKING_BACK") and not any(token.kind for token in tokens)


def _sentence(text: str, you: str, names: Vocabulary) -> Told:
    """The statements and hints of a sentence; empty if it is not understood or has several meanings."""
    statement = statement_of(text, Voice(you=you))
    if statement is not None:
        return () if isinstance(statement, Asks | Doing) else (statement,)
    spoken = spell_names(text, you, names).rstrip()
    if spoken.endswith(("..", "?", "?!")):
        return ()
    asides = [
        Fact(Atom("is_in_room", (aside["thing"], aside["room"])))
        for aside in ASIDE.finditer(spoken)
        if _classify_word(aside["room"], you, names).kind == "ROOM"
    ]
    tokens = _tokens(ASIDE.sub(r"\g<thing>", spoken) if asides else spoken, you, names)
    reader = _SentenceReader(you, names.furniture)
    content = _whole(tokens, reader) or read_plainly(
        spoken, lambda part: _whole(_tokens(part, you, names), reader)
    )
    return (
        (*content, *asides)
        if content and _agree(content) and all(_fits(statement, names) for statement in content)
        else ()
    )


def _fits(statement: Worded, names: Vocabulary) -> bool:
    """Whether what is said of a name can be so of a thing of its kind: no object is open, and nothing lies on one."""
    match statement:
        case Fact(formula) | Must(formula) | Private(formula):
            facts = [atom(claim.fact) for claim in claims(formula)]
        case KnowledgeGoal(_, fact):
            facts = [atom(fact)]
        case _:
            return True
    wrong = {"furniture": names.objects | names.rooms, "room": names.things, "object": names.rooms}
    return not any(
        name in wrong.get(kind, ())
        for fact in facts
        for kind, name in zip(PREDICATES[fact.predicate].kinds, fact.args, strict=True)
    )


def _whole(tokens: list[WordToken], reader: _SentenceReader) -> Told:
    return reader.read_tokens(tokens) if 0 < len(tokens) <= MOST else ()


class _SentenceReader(Struct, frozen=True):
    """The ways to read a sentence that is told to ``you``; each returns nothing if it finds no meaning, or several."""

    you: str
    furniture: frozenset[str]

    def read_tokens(self, tokens: list[WordToken]) -> Told:
        tokens = _before_contrast(tokens)
        for reading in (
            self._read_plain,
            self._read_supplied,
            self._read_reasoned,
            self._read_divided,
            self._read_framed,
        ):
            if content := reading(tokens):
                return content
        return ()

    def _read_plain(self, tokens: list[WordToken]) -> Told:
        """What the grammar reads."""
        readings = {
            _unwrap_known(reading, self.you)
            for reading in release_grammar().readings("Worded", tokens)
            if reading
        }
        return readings.pop() if len(readings) == 1 else ()

    def _read_supplied(self, tokens: list[WordToken]) -> Told:
        """What is read with a subject in front."""
        if tokens[0].kind in ("YOU", "YOUR", "AGENT"):
            return ()
        leads = [self._words(lead) for lead in SUPPLIED]
        readings = {content for lead in leads if (content := self._read_plain([*lead, *tokens]))}
        if tokens[0].text in FORBIDDING:
            content = self._read_plain([*self._words("you must"), *tokens])
            readings |= (
                {content}
                if content and all(isinstance(statement, Barred | Confined) for statement in content)
                else set()
            )
        return readings.pop() if len(readings) == 1 else ()

    def _read_reasoned(self, tokens: list[WordToken]) -> Told:
        """What is read without a reason or consequence that names nothing."""
        for at, token in enumerate(tokens[1:], 1):
            if not token.kind and token.text in (*REASONS, *CONCESSIONS):
                reason = tokens[at + 1 :]
                if reason and reason[0].text in ("is", "are", "do", "does"):
                    return ()  # "and so are you"
                if any(
                    word.kind not in ("", "YOU", "YOUR") or word.text in _list("CONDITIONS")
                    for word in reason
                ):
                    return ()
                before = tokens[: at - 1] if tokens[at - 1].text == "," else tokens[:at]
                content = self._read_plain(before) or self._read_divided(before)
                firm = token.text in REASONS or not any(isinstance(statement, Fact) for statement in content)
                return content if firm else ()
        return ()

    def _read_divided(self, tokens: list[WordToken]) -> Told:
        """What is read from two parts, each as a whole."""
        readings = {
            content
            for first, second, apart in _divisions(tokens)
            if (content := self._read_both(first, second, apart))
        }
        return readings.pop() if len(readings) == 1 else ()

    def _read_framed(self, tokens: list[WordToken]) -> Told:
        """What is read by its words, whatever their order."""
        return read_frames(tokens, self.you, self.furniture)

    def _read_both(self, first: list[WordToken], second: list[WordToken], apart: bool) -> Told:
        """What two parts say; ``apart``: the second has a meaning of its own, and is not governed by the first."""
        first_content = self._read_plain(first) or self._read_supplied(first) or self._read_framed(first)
        if not first_content:
            return ()
        if second[0].text in RELATIVE:
            return ()  # it may be about any name of the first part
        subject = first[0] if first[0].kind in ("YOU", "AGENT", "THING") else None
        if first[0].kind == "AGENT" and any(token.kind in ("YOU", "YOUR") for token in first):
            subject = None  # "agent_1 can be reached by you"
        thing_tokens = [token for token in first if token.kind == "THING"]
        referring = any(token == WordToken("it") for token in second[1:])
        if referring and not _texts_of(second, "THING") <= _texts_of(thing_tokens, "THING"):
            return ()  # "it" may be a thing of either part
        tries = [second]
        if second[0] == WordToken("it") and (first[0].kind == "THING" or len(thing_tokens) == 1):
            tries = [[thing_tokens[0], *second[1:]]]
        elif subject and second[0].kind not in ("YOU", "YOUR", "AGENT"):
            tries.append([subject, *second])
        if isinstance(first_content[-1], MessageBudget):
            tries = [[new for token in part for new in self._meant(token)] for part in tries]
        second_content = next(
            (content for part in tries if (content := self._read_plain(part) or self._read_divided(part))), ()
        )
        second_content = second_content or next(
            (content for part in tries if (content := self._read_framed(part))), ()
        )
        aims = isinstance(first_content[-1], Must | Private | KnowledgeGoal)
        if not second_content or (
            aims and not apart and any(isinstance(statement, Fact) for statement in second_content)
        ):
            return ()  # the second part may be a goal too
        return (*first_content, *second_content)

    def _meant(self, token: WordToken) -> list[WordToken]:
        """The messages, for "them" after a sentence about how many there are."""
        return self._words("your messages") if token == WordToken("them") else [token]

    def _words(self, text: str) -> list[WordToken]:
        return [_classify_word(word, self.you, NO_NAMES) for word in text.split()]


def _unwrap_known(content: Told, you: str) -> Told:
    """What "you know that" tells its reader: the fact itself."""

    def plain(statement: Worded) -> Worded:
        match statement:
            case Fact(Know(agent, inside)) if agent == you:
                return Fact(inside)
            case Aware(agent, goal) if agent == you:
                return goal
            case _:
                return statement

    return tuple(map(plain, content))


def _texts_of(tokens: list[WordToken], kind: str) -> set[str]:
    return {token.text for token in tokens if token.kind == kind}


def _before_contrast(tokens: list[WordToken]) -> list[WordToken]:
    """A sentence without its end ", not table_4" or "(not agent_2)", which says what is not meant."""
    texts = ["" if token.kind else token.text for token in tokens]
    for at in range(1, len(tokens) - 1):
        remaining_words = [
            text
            for text in texts[at + 2 :]
            if text not in ("on", "in", "inside", "the", "to", ")", "or", "and")
        ]
        kinds = {token.kind for token in tokens[at:]} - {""}
        if (
            texts[at] in (",", "(")
            and texts[at + 1] == "not"
            and len(kinds) == 1
            and remaining_words
            and not any(remaining_words)
        ):
            return tokens[:at]
    return tokens


def _divisions(tokens: list[WordToken]) -> Iterator[tuple[list[WordToken], list[WordToken], bool]]:
    """The two parts at each joint, and whether the joint separates them (";" or "but")."""
    texts = ["" if token.kind else token.text for token in tokens]
    for at in range(1, len(tokens) - 1):
        for joint in JOINTS:
            end = at + len(joint)
            if tuple(texts[at:end]) == joint and end < len(tokens):
                yield tokens[:at], tokens[end:], joint[-1] in (";", "but")


def _agree(content: Told) -> bool:
    """Whether no two hints about whom an agent can reach, or where it can go, contradict each other."""
    linked = {
        (statement.agent, to)
        for statement in content
        if isinstance(statement, Linked)
        for to in statement.targets
    }
    apart = {
        (statement.agent, to)
        for statement in content
        if isinstance(statement, Unreached)
        for to in statement.targets
    }
    return not linked & apart and sum(isinstance(statement, Confined) for statement in content) <= 1


def _tokens(spoken: str, you: str, names: Vocabulary) -> list[WordToken]:
    """The words, names, numbers and marks of a sentence in lower case, without its last stop."""
    spoken = ARTICLE.sub("", GENERIC.sub("", APPOSED.sub("", spoken)))
    return [_classify_word(word, you, names) for word in WORD.findall(spoken.rstrip(".! "))]


def _classify_word(word: str, you: str, names: Vocabulary) -> WordToken:
    if word in names.rooms or word in names.things:
        return WordToken(word, "ROOM" if word in names.rooms else "THING")
    return secret_token(word, you)
