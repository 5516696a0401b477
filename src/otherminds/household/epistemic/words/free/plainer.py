"""Colloquial sentences of secrets in plainer words, and in parts: what is said around and between the clauses that state something.

The phrases and rules are in ``plainer.txt``. A sentence that no grammar reads is put in plain words by rules, without
phrases that change nothing; then without an event that stands for the beginning or the end, or a circumstance that states
nothing; then in clauses, each read by itself. All of them must be read, or the sentence stays unread.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from msgspec import Struct

from otherminds.household.epistemic.words import Fact, Must, Private
from otherminds.household.epistemic.words.free.grammar import lines_of
from otherminds.household.epistemic.words.free.release import Coupled, KnowledgeGoal, Told, Worded
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.room_restriction import Barred

Read = Callable[[str], Told]
NAME = r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*_[0-9]+"
AGENT = r"agent_[0-9]+|you"
PLAIN = r"[a-z][a-z'-]*"
DEPTH = 3
"""How often a part of a sentence is taken apart again."""
READS = 40
"""How many texts are read for one sentence."""
EVENT_WORDS = 8
"""The largest number of words of an event or circumstance."""
LEADS = r"by the time|at the end of|by the end of|when|once|before|by|for"
"""What begins an event that stands for the end."""
AIMS = (Must, Private, KnowledgeGoal)
SHORT = (
    *((r"\b(you|they|we)'ve\b", r"\1 have"), (r"\b(you|they|we)'re\b", r"\1 are"), (r"'ll\b", " will")),
    *(
        (r"\b(it|that|there|here|he|she|what|who)'s\b", r"\1 is"),
        (r"\byou'd (?=love|like|prefer)", "you would "),
    ),
)
"""Contractions, besides those of "not"."""


class _Rules(Struct, frozen=True):
    """The content of ``plainer.txt``: lists of phrases, and rules in their order."""

    lists: dict[str, tuple[str, ...]]
    rewriting: tuple[tuple[re.Pattern[str], str], ...]

    def any_of(self, name: str) -> str:
        """A pattern for any phrase of a list, the longest first."""
        phrases = sorted(self.lists[name], key=lambda phrase: -len(phrase))
        return "(?:" + "|".join(phrases) + ")"


@cache
def _rules() -> _Rules:
    lists: dict[str, tuple[str, ...]] = {}
    rules: list[tuple[str, str]] = []
    for line in lines_of("plainer.txt"):
        if " =>" in line:
            pattern, _, replacement = line.partition(" =>")
            rules.append((pattern, replacement.strip()))
        else:
            name, _, phrases = line.partition(" = ")
            split = re.split(r"\s+\|\s+", phrases.strip()) if " | " in phrases else phrases.split()
            lists[name] = tuple(phrase.replace("<word>", PLAIN) for phrase in split)
    uncompiled = _Rules(lists, ())
    compiled = tuple(
        (re.compile(_expand_pattern(pattern, uncompiled)), re.sub(r"\$(\d)", r"\\g<\1>", replacement))
        for pattern, replacement in rules
    )
    return _Rules(lists, compiled)


def _expand_pattern(pattern: str, rules: _Rules) -> str:
    classes = {"name": NAME, "agent": f"(?:{AGENT})", "word": PLAIN}
    return re.sub(r"<([A-Za-z]+)>", lambda match: classes.get(match[1]) or rules.any_of(match[1]), pattern)


def phrases(name: str) -> tuple[str, ...]:
    """The phrases of a list of ``plainer.txt``, as patterns."""
    return _rules().lists[name]


def read_plainly(spoken: str, read: Read) -> Told:
    """What a sentence says once it is in plainer words; ``spoken`` is in lower case with its names spelled.

    ``read`` reads a text as a whole, and returns nothing if it has no meaning or several.
    """
    return _Taking(read).read_part(spoken, DEPTH)


def in_plain_words(spoken: str) -> str:
    """A sentence without contractions and phrases that change nothing, by the rules of ``plainer.txt``.

    >>> in_plain_words("oddly, kitchen_1 is not yours to walk into today")
    'kitchen_1 is closed to you'
    """
    text = spoken.strip().rstrip(".! ")
    for pattern, plain in SHORT:
        text = re.sub(pattern, plain, text)
    text = _without_fillers(text)
    for pattern, plain in _rules().rewriting:
        text = pattern.sub(plain, text)
    return " ".join(_name_ordinals(text).split())


def _name_ordinals(text: str) -> str:
    """A sentence with its first two names for "the first" and "the second", or "the former" and "the latter"."""
    mention = re.search(r"\bthe (?:first|second|former|latter)\b(?! \w+_\d)", text)
    names = list(dict.fromkeys(re.findall(rf"\b{NAME}\b", text[: mention.start()]))) if mention else []
    if len(names) == 2:
        text = re.sub(r"\bthe (?:first|former)\b", names[0], text)
        text = re.sub(r"\bthe (?:second|latter)\b", names[1], text)
    return text


@cache
def _fillers() -> tuple[tuple[re.Pattern[str], str], ...]:
    rules = _rules()
    fillers, tails = rules.any_of("FILLERS"), rules.any_of("TAILS")
    return (
        (re.compile(rf"^(?:{fillers},? )+(?=\S)"), ""),
        (re.compile(rf", {fillers},"), ""),
        (re.compile(rf",? {fillers}$"), ""),
        (re.compile(rf"(?:,|;| -) {tails}$"), ""),
        (re.compile(rf"(?<=\w)(?<!\bnot) (?:{fillers}) (?=\w)"), " "),
    )


def _without_fillers(text: str) -> str:
    for pattern, plain in _fillers():
        text = pattern.sub(plain, text)
    return text


class _Taking:
    """The ways to take a sentence apart; each yields ways to read it, of which the first that says something counts.

    At most :data:`READS` texts are read; further ones count as unread.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: dict[str, Told] = {}

    def _whole(self, text: str) -> Told:
        if text not in self._known:
            self._known[text] = self._read(text) if len(self._known) < READS else ()
        return self._known[text]

    def read_part(self, text: str, depth: int) -> Told:
        """What a text says, as a whole or in parts that are taken apart at most ``depth`` times."""
        text = in_plain_words(text)
        if content := self._whole(text):
            return content
        if depth:
            for way in (
                self._read_timed,
                self._read_circumstanced,
                self._read_caused,
                self._read_idle,
                self._read_divided,
            ):
                for content in way(text, depth - 1):
                    if content:
                        return content
        return ()

    def _read_timed(self, text: str, depth: int) -> Iterator[Told]:
        """Without the event that stands for the beginning, if facts are left, or for the end, if goals are."""
        rules = _rules()
        begun = rules.any_of("BEGUN")
        for pattern in (rf"^(?:{begun}),? (?P<rest>.+)$", rf"^(?P<rest>.+?),? {begun}$"):
            if match := re.match(pattern, text):
                content = self.read_part(match["rest"], depth)
                yield content if all(isinstance(statement, Fact) for statement in content) else ()
        for pattern in (
            rf"^(?P<lead>{LEADS}) (?P<event>[^,]+), (?P<rest>.+)$",
            rf"^(?P<rest>.+?),? (?P<lead>{LEADS}) (?P<event>[^,]+)$",
        ):
            if (match := re.match(pattern, text)) and _ends(match["lead"], match["event"]):
                if match["lead"] == "before" and re.search(r"\b(?:not|never)\b", match["rest"]):
                    continue  # "must not be closed before the end" speaks of the time before it
                content = self.read_part(match["rest"], depth)
                yield content if all(isinstance(statement, AIMS) for statement in content) else ()

    def _read_circumstanced(self, text: str, depth: int) -> Iterator[Told]:
        """Without a reason or circumstance that states nothing, or with the room that it names in place of "in"."""
        because = _rules().any_of("BECAUSE")
        for pattern in (
            rf"^{because} (?P<event>[^,]+), (?P<rest>.+)$",
            rf"^(?P<rest>.+),? {because} (?P<event>[^,]+)$",
        ):
            if (match := re.match(pattern, text)) and _states_nothing(match["event"]):
                yield self.read_part(match["rest"], depth)
        joint = r"(?:, (?:and|so|which means(?: that)?|meaning(?: that)?|hence|therefore)|;|:| -)"
        if match := re.match(
            rf"^(?P<event>.+?){joint} (?P<rest>.+? (?:in|inside|enter it|in there|go there))$", text
        ):
            rooms, clause = re.findall(rf"\b{NAME}\b", match["event"]), match["rest"]
            if len(rooms) == 1 and not re.search(rf"\b{NAME}\b", clause) and _colourless(match["event"]):
                end = re.sub(r"(?:in there|inside|in|enter it|go there)$", f"enter {rooms[0]}", clause)
                end = re.sub(r"\b(?:go|come|step|walk|get|be) (?=enter )", "", end)
                content = self.read_part(re.sub(r"\b(allowed|permitted) enter\b", r"\1 to enter", end), depth)
                yield content if all(isinstance(statement, Barred) for statement in content) else ()

    def _read_caused(self, text: str, depth: int) -> Iterator[Told]:
        """That something makes or keeps a room barred: the room is barred."""
        cause = rf"(?P<event>(?:an?|the|your|some|somebody's|someone's) (?:{PLAIN} ){{1,4}}?)(?:has |have |will )?"
        making = rf"^{cause}(?:makes?|made|keeps?|kept|turns?|turned|renders?|rendered) (?P<room>{NAME}) (?:into )?(?P<rest>.+)$"
        bars = rf"^{cause}(?:keeps?|kept|bars?|bans?|stops?|prevents?|locks?|shuts?|blocks?) (?P<who>{AGENT}) (?:from|out of|away from) (?P<rest>.+)$"
        if (match := re.match(making, text)) and _states_nothing(match["event"]):
            content = self.read_part(f"{match['room']} is {match['rest']}", depth)
            yield content if all(isinstance(statement, Barred) for statement in content) else ()
        if (match := re.match(bars, text)) and _states_nothing(match["event"]):
            content = self.read_part(f"{match['who']} is barred from {match['rest']}", depth)
            yield content if all(isinstance(statement, Barred) for statement in content) else ()

    def _read_idle(self, text: str, depth: int) -> Iterator[Told]:
        """A fact without the remark that the thing does not matter, or may stay."""
        if match := re.match(
            rf"^(?P<rest>.+?),? (?:though|although|and|but) (?P<remark>{_rules().any_of('IDLE')})$", text
        ):
            if not _states_nothing(match["remark"].replace("does not matter", "").replace("nobody", "")):
                return
            content = self.read_part(match["rest"], depth)
            yield content if all(isinstance(statement, Fact) for statement in content) else ()

    def _read_divided(self, text: str, depth: int) -> Iterator[Told]:
        """In clauses, each read by itself."""
        for clauses in _clauses(text):
            parts = [self.read_part(" ".join(clause.split()), depth) for clause in clauses]
            if all(parts) and not _set_each_other([statement for content in parts for statement in content]):
                yield tuple(dict.fromkeys(statement for content in parts for statement in content))


def _ends(lead: str, event: str) -> bool:
    """Whether an event stands for the end of the task: it states nothing, and happens once."""
    if not _states_nothing(event):
        return False
    words = event.split()
    if lead in ("by", "for", "at the end of", "by the end of"):
        return len(words) <= 3 and (lead == "by" or words[0] in ("the", "this", "our", "your"))
    return lead in ("before", "by the time") or not set(words).isdisjoint(phrases("HAPPENING"))


def _states_nothing(event: str) -> bool:
    return _colourless(event) and not re.search(rf"\b{NAME}\b|[0-9]", event)


def _colourless(event: str) -> bool:
    """Whether words neither hedge nor quote nor make a condition; "not" tells no hedge, as in a reason."""
    words = re.findall(r"[a-z']+", re.sub(rf"\b{NAME}\b|\b(?:does|do|is|are|can|will) not\b", " ", event))
    return len(words) <= EVENT_WORDS and set(words).isdisjoint(phrases("OPERATORS"))


CONTRAST = r"(?: whereas|:| and(?= (?:is|are|must|can|may|should|has|have|needs?|ought|belongs?|will)\b)|, (?:whereas|while|yet|although|though|even though|and|but)|;|;? (?:whereas|although|though)|,)"
STATES = r"(?:open|closed|shut|full|empty|switched on|switched off)"
LISTED = rf"(?:{NAME}|you)(?:, {NAME})*(?:,? and {NAME})?"


def _clauses(text: str) -> Iterator[tuple[str, ...]]:
    """The ways to take a sentence apart in clauses of their own."""
    if match := re.match(rf"^(?P<one>{NAME}), which (?P<two>[^,]+), (?P<rest>.+)$", text):
        yield f"{match['one']} {match['two']}", f"{match['one']} {match['rest']}"
    if match := re.match(rf"^(?P<one>{NAME}), (?:now |still )?(?P<two>{STATES}\b[^,]*), (?P<rest>.+)$", text):
        yield f"{match['one']} is {match['two']}", f"{match['one']} {match['rest']}"
    if match := re.match(rf"^(?P<left>.*\b(?P<one>{NAME})), (?:which|where) (?P<two>[^,]+)$", text):
        clause = match["two"]
        yield (
            match["left"],
            f"{clause} {match['one']}" if re.match(AGENT, clause) else f"{match['one']} {clause}",
        )
    if match := re.match(
        rf"^(?P<left>.*\b(?P<one>{NAME})), whose (?:doors?|lid|drawers?) (?P<two>[^,]+)$", text
    ):
        yield match["left"], f"{match['one']} {match['two']}"
    if match := re.match(
        rf"^(?P<one>{NAME}) (?P<at>in|inside|on|on top of|atop) (?P<two>{NAME}) (?P<rest>.+)$", text
    ):
        yield f"{match['one']} is {match['at']} {match['two']}", f"{match['one']} {match['rest']}"
    if match := re.match(
        rf"^(?P<one>{NAME}) (?P<said>.+?),? (?:and so (?:is|are|does|do)|(?:just |exactly )?like|as (?:is|are)) (?P<more>{LISTED})$",
        text,
    ):
        others = re.findall(rf"\b(?:{NAME}|you)\b", match["more"])
        if not set(re.findall(rf"\b{NAME}\b", match["said"])) & {match["one"], *others}:
            yield tuple(_join_predicate(name, match["said"]) for name in (match["one"], *others))
    if match := re.match(
        r"^(?P<left>.*\bmessages?\b.*), (?:and |but |while )?(?P<who>agent_\d+) (?:only |just )?(?P<count>[a-z]+|\d+)$",
        text,
    ):
        yield match["left"], f"{match['who']} has {match['count']} messages"
    if match := re.match(
        rf"^(?P<one>{AGENT}|{NAME}) (?P<said>\w+ (?P<at>in|on|inside)) (?P<here>{NAME}),? (?:and |but |while )?(?P<two>{AGENT}|{NAME}) (?:in|on|inside|from) (?P<there>{NAME})$",
        text,
    ):
        yield (
            f"{match['one']} {match['said']} {match['here']}",
            f"{match['two']} {match['said']} {match['there']}",
        )
    if match := re.match(r"^(?:although|though|while|whereas) (?P<left>[^,]+), (?P<right>.+)$", text):
        yield match["left"], _resolve_it(match["left"], match["right"])
    for joint in re.finditer(CONTRAST, text):
        first, second = text[: joint.start()].strip(), text[joint.end() :].strip()
        if first and second:
            second = _resolve_it(first, second)
            new = set(re.findall(rf"\b{NAME}\b", second)) - set(re.findall(rf"\b{NAME}\b", first))
            if not (new and re.search(r"\bit\b", second)):  # "it" may be a thing of either part
                yield first, second


def _set_each_other(statements: list[Worded]) -> bool:
    """Whether a thing is said to set another, and that one to set the first."""
    pairs = {
        (statement.trigger, statement.target)
        for statement in statements
        if isinstance(statement, Coupled | Controls)
    }
    return any((target, trigger) in pairs for trigger, target in pairs)


def _join_predicate(name: str, predicate: str) -> str:
    return f"you {re.sub(r'^is ', 'are ', predicate)}" if name == "you" else f"{name} {predicate}"


def _resolve_it(first: str, second: str) -> str:
    """The second part with the only name of the first in place of "it", and its subject where the second has none."""
    names = list(dict.fromkeys(re.findall(rf"\b{NAME}\b", first)))
    candidates = [name for name in names if not name.startswith("agent_")]
    subject = re.match(rf"^(?:{NAME}|you)\b", first)
    about = (
        subject[0] if subject and subject[0] in candidates else candidates[0] if len(candidates) == 1 else ""
    )
    if about:
        second = re.sub(r"^((?:[a-z]+ ){0,4})(?:it|that|this)\b(?! [a-z]+ that)", rf"\g<1>{about}", second)
    if subject and re.match(
        r"(?:is|are|must|can|may|should|has|have|needs?|will|start|starts|belongs?|ought)\b", second
    ):
        second = f"{subject[0]} {second}"
    return second
