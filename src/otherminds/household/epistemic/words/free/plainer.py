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
            left, _, right = line.partition(" =>")
            rules.append((left, right.strip()))
        else:
            name, _, phrases = line.partition(" = ")
            split = re.split(r"\s+\|\s+", phrases.strip()) if " | " in phrases else phrases.split()
            lists[name] = tuple(phrase.replace("<word>", PLAIN) for phrase in split)
    made = _Rules(lists, ())
    compiled = tuple(
        (re.compile(_expanded(left, made)), re.sub(r"\$(\d)", r"\\g<\1>", right)) for left, right in rules
    )
    return _Rules(lists, compiled)


def _expanded(pattern: str, rules: _Rules) -> str:
    known = {"name": NAME, "agent": f"(?:{AGENT})", "word": PLAIN}
    return re.sub(r"<([A-Za-z]+)>", lambda found: known.get(found[1]) or rules.any_of(found[1]), pattern)


def phrases(name: str) -> tuple[str, ...]:
    """The phrases of a list of ``plainer.txt``, as patterns."""
    return _rules().lists[name]


def read_plainly(spoken: str, read: Read) -> Told:
    """What a sentence says once it is in plainer words; ``spoken`` is in lower case with its names spelled.

    ``read`` reads a text as a whole, and returns nothing if it has no meaning or several.
    """
    return _Taking(read).read(spoken, DEPTH)


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
    return " ".join(_ordered(text).split())


def _ordered(text: str) -> str:
    """A sentence with its first two names for "the first" and "the second", or "the former" and "the latter"."""
    found = re.search(r"\bthe (?:first|second|former|latter)\b(?! \w+_\d)", text)
    names = list(dict.fromkeys(re.findall(rf"\b{NAME}\b", text[: found.start()]))) if found else []
    if len(names) == 2:
        text = re.sub(r"\bthe (?:first|former)\b", names[0], text)
        text = re.sub(r"\bthe (?:second|latter)\b", names[1], text)
    return text


@cache
def _fillers() -> tuple[tuple[re.Pattern[str], str], ...]:
    rules = _rules()
    some, tails = rules.any_of("FILLERS"), rules.any_of("TAILS")
    return (
        (re.compile(rf"^(?:{some},? )+(?=\S)"), ""),
        (re.compile(rf", {some},"), ""),
        (re.compile(rf",? {some}$"), ""),
        (re.compile(rf"(?:,|;| -) {tails}$"), ""),
        (re.compile(rf"(?<=\w)(?<!\bnot) (?:{some}) (?=\w)"), " "),
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

    def read(self, text: str, depth: int) -> Told:
        """What a text says, as a whole or in parts that are taken apart at most ``depth`` times."""
        text = in_plain_words(text)
        if told := self._whole(text):
            return told
        if depth:
            for way in (self._timed, self._circumstanced, self._caused, self._idle, self._divided):
                for told in way(text, depth - 1):
                    if told:
                        return told
        return ()

    def _timed(self, text: str, depth: int) -> Iterator[Told]:
        """Without the event that stands for the beginning, if facts are left, or for the end, if goals are."""
        rules = _rules()
        begun = rules.any_of("BEGUN")
        for pattern in (rf"^(?:{begun}),? (?P<rest>.+)$", rf"^(?P<rest>.+?),? {begun}$"):
            if found := re.match(pattern, text):
                told = self.read(found["rest"], depth)
                yield told if all(isinstance(one, Fact) for one in told) else ()
        for pattern in (
            rf"^(?P<lead>{LEADS}) (?P<event>[^,]+), (?P<rest>.+)$",
            rf"^(?P<rest>.+?),? (?P<lead>{LEADS}) (?P<event>[^,]+)$",
        ):
            if (found := re.match(pattern, text)) and _ends(found["lead"], found["event"]):
                if found["lead"] == "before" and re.search(r"\b(?:not|never)\b", found["rest"]):
                    continue  # "must not be closed before the end" speaks of the time before it
                told = self.read(found["rest"], depth)
                yield told if all(isinstance(one, AIMS) for one in told) else ()

    def _circumstanced(self, text: str, depth: int) -> Iterator[Told]:
        """Without a reason or circumstance that states nothing, or with the room that it names in place of "in"."""
        because = _rules().any_of("BECAUSE")
        for pattern in (
            rf"^{because} (?P<event>[^,]+), (?P<rest>.+)$",
            rf"^(?P<rest>.+),? {because} (?P<event>[^,]+)$",
        ):
            if (found := re.match(pattern, text)) and _states_nothing(found["event"]):
                yield self.read(found["rest"], depth)
        joint = r"(?:, (?:and|so|which means(?: that)?|meaning(?: that)?|hence|therefore)|;|:| -)"
        if found := re.match(
            rf"^(?P<event>.+?){joint} (?P<rest>.+? (?:in|inside|enter it|in there|go there))$", text
        ):
            rooms, rest = re.findall(rf"\b{NAME}\b", found["event"]), found["rest"]
            if len(rooms) == 1 and not re.search(rf"\b{NAME}\b", rest) and _colourless(found["event"]):
                end = re.sub(r"(?:in there|inside|in|enter it|go there)$", f"enter {rooms[0]}", rest)
                end = re.sub(r"\b(?:go|come|step|walk|get|be) (?=enter )", "", end)
                told = self.read(re.sub(r"\b(allowed|permitted) enter\b", r"\1 to enter", end), depth)
                yield told if all(isinstance(one, Barred) for one in told) else ()

    def _caused(self, text: str, depth: int) -> Iterator[Told]:
        """That something makes or keeps a room barred: the room is barred."""
        cause = rf"(?P<event>(?:an?|the|your|some|somebody's|someone's) (?:{PLAIN} ){{1,4}}?)(?:has |have |will )?"
        made = rf"^{cause}(?:makes?|made|keeps?|kept|turns?|turned|renders?|rendered) (?P<room>{NAME}) (?:into )?(?P<rest>.+)$"
        bars = rf"^{cause}(?:keeps?|kept|bars?|bans?|stops?|prevents?|locks?|shuts?|blocks?) (?P<who>{AGENT}) (?:from|out of|away from) (?P<rest>.+)$"
        if (found := re.match(made, text)) and _states_nothing(found["event"]):
            told = self.read(f"{found['room']} is {found['rest']}", depth)
            yield told if all(isinstance(one, Barred) for one in told) else ()
        if (found := re.match(bars, text)) and _states_nothing(found["event"]):
            told = self.read(f"{found['who']} is barred from {found['rest']}", depth)
            yield told if all(isinstance(one, Barred) for one in told) else ()

    def _idle(self, text: str, depth: int) -> Iterator[Told]:
        """A fact without the remark that the thing does not matter, or may stay."""
        if found := re.match(
            rf"^(?P<rest>.+?),? (?:though|although|and|but) (?P<remark>{_rules().any_of('IDLE')})$", text
        ):
            if not _states_nothing(found["remark"].replace("does not matter", "").replace("nobody", "")):
                return
            told = self.read(found["rest"], depth)
            yield told if all(isinstance(one, Fact) for one in told) else ()

    def _divided(self, text: str, depth: int) -> Iterator[Told]:
        """In clauses, each read by itself."""
        for clauses in _clauses(text):
            parts = [self.read(" ".join(clause.split()), depth) for clause in clauses]
            if all(parts) and not _set_each_other([one for told in parts for one in told]):
                yield tuple(dict.fromkeys(one for told in parts for one in told))


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
    if found := re.match(rf"^(?P<one>{NAME}), which (?P<two>[^,]+), (?P<rest>.+)$", text):
        yield f"{found['one']} {found['two']}", f"{found['one']} {found['rest']}"
    if found := re.match(rf"^(?P<one>{NAME}), (?:now |still )?(?P<two>{STATES}\b[^,]*), (?P<rest>.+)$", text):
        yield f"{found['one']} is {found['two']}", f"{found['one']} {found['rest']}"
    if found := re.match(rf"^(?P<left>.*\b(?P<one>{NAME})), (?:which|where) (?P<two>[^,]+)$", text):
        rest = found["two"]
        yield found["left"], f"{rest} {found['one']}" if re.match(AGENT, rest) else f"{found['one']} {rest}"
    if found := re.match(
        rf"^(?P<left>.*\b(?P<one>{NAME})), whose (?:doors?|lid|drawers?) (?P<two>[^,]+)$", text
    ):
        yield found["left"], f"{found['one']} {found['two']}"
    if found := re.match(
        rf"^(?P<one>{NAME}) (?P<at>in|inside|on|on top of|atop) (?P<two>{NAME}) (?P<rest>.+)$", text
    ):
        yield f"{found['one']} is {found['at']} {found['two']}", f"{found['one']} {found['rest']}"
    if found := re.match(
        rf"^(?P<one>{NAME}) (?P<said>.+?),? (?:and so (?:is|are|does|do)|(?:just |exactly )?like|as (?:is|are)) (?P<more>{LISTED})$",
        text,
    ):
        others = re.findall(rf"\b(?:{NAME}|you)\b", found["more"])
        if not set(re.findall(rf"\b{NAME}\b", found["said"])) & {found["one"], *others}:
            yield tuple(_predicated(name, found["said"]) for name in (found["one"], *others))
    if found := re.match(
        r"^(?P<left>.*\bmessages?\b.*), (?:and |but |while )?(?P<who>agent_\d+) (?:only |just )?(?P<count>[a-z]+|\d+)$",
        text,
    ):
        yield found["left"], f"{found['who']} has {found['count']} messages"
    if found := re.match(
        rf"^(?P<one>{AGENT}|{NAME}) (?P<said>\w+ (?P<at>in|on|inside)) (?P<here>{NAME}),? (?:and |but |while )?(?P<two>{AGENT}|{NAME}) (?:in|on|inside|from) (?P<there>{NAME})$",
        text,
    ):
        yield (
            f"{found['one']} {found['said']} {found['here']}",
            f"{found['two']} {found['said']} {found['there']}",
        )
    if found := re.match(r"^(?:although|though|while|whereas) (?P<left>[^,]+), (?P<right>.+)$", text):
        yield found["left"], _resumed(found["left"], found["right"])
    for joint in re.finditer(CONTRAST, text):
        left, right = text[: joint.start()].strip(), text[joint.end() :].strip()
        if left and right:
            right = _resumed(left, right)
            new = set(re.findall(rf"\b{NAME}\b", right)) - set(re.findall(rf"\b{NAME}\b", left))
            if not (new and re.search(r"\bit\b", right)):  # "it" may be a thing of either part
                yield left, right


def _set_each_other(told: list[Worded]) -> bool:
    """Whether a thing is said to set another, and that one to set the first."""
    pairs = {(one.trigger, one.target) for one in told if isinstance(one, Coupled | Controls)}
    return any((target, trigger) in pairs for trigger, target in pairs)


def _predicated(name: str, said: str) -> str:
    return f"you {re.sub(r'^is ', 'are ', said)}" if name == "you" else f"{name} {said}"


def _resumed(left: str, right: str) -> str:
    """The second part with the only name of the first in place of "it", and its subject where the second has none."""
    names = list(dict.fromkeys(re.findall(rf"\b{NAME}\b", left)))
    things = [name for name in names if not name.startswith("agent_")]
    subject = re.match(rf"^(?:{NAME}|you)\b", left)
    about = subject[0] if subject and subject[0] in things else things[0] if len(things) == 1 else ""
    if about:
        right = re.sub(r"^((?:[a-z]+ ){0,4})(?:it|that|this)\b(?! [a-z]+ that)", rf"\g<1>{about}", right)
    if subject and re.match(
        r"(?:is|are|must|can|may|should|has|have|needs?|will|start|starts|belongs?|ought)\b", right
    ):
        right = f"{subject[0]} {right}"
    return right
