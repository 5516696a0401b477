"""What a request of a language mind consists of: the transcript, the model's earlier texts, options, and instructions.

The transcript has the rules, what happened, and what was asked and replied. Texts of a model in its later prompts are quoted
and bounded. Instructions for written answers are in prompt packs (:mod:`otherminds.minds.language.wording`)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, Literal, TypeAlias

from msgspec import Struct, ValidationError, convert, structs
from msgspec.structs import replace

from otherminds.core.contracts import MindContext, Verbalizer
from otherminds.core.data import Ask, Brief, Message, Moment
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding, Effort, Model
from otherminds.core.text import quoted

LONGEST = 600
"""Characters kept of one text."""
LONGEST_REPLY = 2000
"""Characters kept of a whole reply."""
MARKUP = " \t*_`\"'"
STRAIGHT = str.maketrans("“”„", '"""')


def tame(line: str) -> str:
    """A line that the model wrote, without control tokens and invisible characters.

    >>> print(tame('They said "copy" <|im_end|>'))
    They said "copy" \\u003c|im_end|>
    """
    return quoted(line.translate(STRAIGHT))[1:-1].replace('\\"', '"')


def one_line(text: str) -> str:
    """``text`` in one line of at most :data:`LONGEST` characters; what is cut off ends with ``…``.

    One line cannot imitate a round of the history or a question.

    >>> one_line("Choose J.\\n\\n  Then   F.")
    'Choose J. Then F.'
    """
    line = tame(" ".join(text.split()))
    if len(line) <= LONGEST:
        return line
    return line[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def shorten_reply(reply: str) -> str:
    """A reply as a later prompt shows it: its lines, at most :data:`LONGEST_REPLY` characters.

    A longer one loses its beginning, since the answer is at the end.

    >>> shorten_reply("They know. \\nAction: Wait[]\\n")
    'They know.\\nAction: Wait[]'
    """
    text = "\n".join(tame(line.rstrip()) for line in reply.strip().splitlines())
    return text if len(text) <= LONGEST_REPLY else "…" + text[1 - LONGEST_REPLY :]


def fields(reply: str, names: Sequence[str], ask: Ask) -> dict[str, str]:
    """The text of each field of ``reply`` in ``names``, without empty ones.

    A field begins at a line with its name and a colon (``**My updated plans:**`` begins
    ``Plans``) and ends at the next field or answer. The last of a name counts.
    """
    heading = re.compile(rf"^\W*(?:\w+\s+){{0,2}}({'|'.join(map(re.escape, names))})\b\W*?:", re.IGNORECASE)
    answer = re.compile(r"^\W*" + r"\s*".join(map(re.escape, ask.cue.split())) + r"(?!\w)", re.IGNORECASE)
    by_name: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in reply.splitlines():
        begins = heading.match(line)
        if begins:
            name = next(name for name in names if name.lower() == begins[1].lower())
            lines = by_name[name] = [line[begins.end() :]]
        elif ask.cue and answer.match(line):
            lines = []
        else:
            lines.append(line)
    texts = {name: one_line(" ".join(lines).strip(MARKUP)) for name, lines in by_name.items()}
    return {name: text for name, text in texts.items() if text}


Guided: TypeAlias = Literal["", "schema", "choice"]
"""What a server guarantees about answers: nothing, the JSON schema of the question, or one of the listed answers."""


class RequestOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """What every request asks for beside the sampling of its strategy.

    They change answers, so they are parameters of a mind and part of an episode's identity.

    Attributes:
        stop: Texts at which a reply ends. OpenAI takes four at most.
        effort: How much the model reasons, where it takes that.
        guided: What the server guarantees about replies that answer a question.
    """

    stop: tuple[str, ...] = ()
    effort: Effort = ""
    guided: Guided = ""

    def applied(self, decoding: Decoding) -> Decoding:
        """``decoding`` of a free text, with these options."""
        return replace(decoding, stop=self.stop, effort=self.effort)

    def guiding(self, ask: Ask, decoding: Decoding, count: Callable[[str], int]) -> Decoding:
        """``decoding`` of an answer to ``ask``; with a schema, long enough for the longest listed answer.

        The text of a schema has as many tokens as any object with its listed values, or more.
        """
        applied = self.applied(decoding)
        if self.guided == "choice":
            return replace(applied, choice=tuple(ask.template.format(label) for label in ask.labels))
        if self.guided == "schema" and ask.schema is not None:
            longest = max(applied.max_tokens, count(json.dumps(ask.schema)))
            return replace(applied, schema=ask.schema, max_tokens=longest)
        return applied

    def unfit(self, ask: Ask) -> str | None:
        """Why answers to ``ask`` cannot be guided in this way; ``None`` if they can."""
        if self.guided == "choice" and not ask.labels:
            return "its answers are open here, and guided = 'choice' needs listed ones; use guided = 'schema'"
        if self.guided == "schema" and ask.schema is None:
            return "this world has no JSON schema of answers; use guided = 'choice'"
        return None


DEFAULTS = RequestOptions()


def check_options(params: Mapping[str, Any]) -> RequestOptions:
    """The options among the parameters of a strategy.

    Raises:
        StudyError: a value of another type, or an empty text to stop at.
    """
    try:
        options = convert(params, RequestOptions)
    except ValidationError as error:
        raise StudyError(
            f"options of requests: {error}; stop is a list of texts, effort none, minimal, low, medium or high, "
            "guided schema or choice"
        ) from None
    if not all(options.stop):
        raise StudyError("options of requests: a reply cannot stop at an empty text; leave it out of stop")
    return options


MARGIN = 4
"""Tokens of a reply beyond its longest answer."""
SHORT, OPEN_ANSWER = 24, 128
"""Default tokens of a reply without reasoning: where answers are listed, and where they are open."""


class Instruction(Struct, frozen=True):
    """The text between a question and the list of valid answers.

    ``{consider}`` in ``words`` is the subject of reasoning: that of the ask, else ``consider``. ``listed``
    and ``open`` end it, before valid answers and before the forms of open ones.
    """

    words: str
    consider: str
    listed: str
    open: str

    def put(self, ask: Ask) -> str:
        words = self.words.format(consider=ask.consider or self.consider)
        return f"{words} {self.open if ask.forms else self.listed}"


class TemplateSampling(Struct, frozen=True):
    """How an answer in a template is drawn: until one fits, at most ``tries`` times.

    The paper draws without limit; here the default is 3, and 20 follows the paper. Every
    try is recorded; after the last the reply is invalid. The paper does not state its
    temperature and top-p. ``opened`` is the decoding of open answers.
    """

    decoding: Decoding
    tries: int
    opened: Decoding

    def drawing(self, ask: Ask, count: Callable[[str], int]) -> Decoding:
        """The decoding of a reply to ``ask``: long enough for its longest answer, in tokens by ``count``."""
        if ask.forms:
            return self.opened
        longest = max((count(ask.template.format(label)) for label in ask.labels), default=0) + MARGIN
        return structs.replace(self.decoding, max_tokens=max(self.decoding.max_tokens, longest))


def template_sampling(
    tries: int, temperature: float, top_p: float, max_tokens: int | None
) -> TemplateSampling:
    """A :class:`TemplateSampling` from the parameters of a strategy, checked.

    Without ``max_tokens`` a reply has at most ``SHORT`` tokens, an open answer ``OPEN_ANSWER``.

    Raises:
        StudyError: fewer than one try, or an invalid decoding.
    """
    if not _whole(tries):
        raise StudyError(f"a written answer needs at least 1 try, not {tries!r}")
    decoding = reply_decoding(temperature, top_p, SHORT if max_tokens is None else max_tokens)
    opened = structs.replace(decoding, max_tokens=OPEN_ANSWER) if max_tokens is None else decoding
    return TemplateSampling(decoding, tries, opened)


def reply_decoding(temperature: float, top_p: float, max_tokens: int) -> Decoding:
    """A decoding for replies, checked.

    Raises:
        StudyError: it is invalid.
    """
    shares = all(isinstance(x, int | float) and isfinite(x) for x in (temperature, top_p))
    if not (shares and temperature >= 0 and 0 < top_p <= 1 and _whole(max_tokens)):
        raise StudyError(
            "a reply is drawn with temperature ≥ 0, 0 < top_p ≤ 1 and at least 1 token, "
            f"not {temperature!r}, {top_p!r} and {max_tokens!r}"
        )
    return Decoding(temperature, top_p, max_tokens)


def _whole(number: Any) -> bool:
    """Whether a parameter of a study file is a whole number of at least 1."""
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1


RESERVE = 512
"""Tokens of the context kept free for the question and a short reply."""


class TranscriptEntry(Struct, frozen=True):
    """One entry: text about ``moment``, else a question, or the own reply to it."""

    role: Literal["user", "assistant"]
    text: str
    tokens: int
    moment: Moment | None = None


class Transcript:
    """The episode as a prompt or a conversation, which only grows at its end.

    It has the rules, then a text about each moment; for strategies that converse, questions
    and own replies too. When the model's context is full, the verbalizer's exact summary
    replaces the older half, and the record has a note. Without ``history`` it is the rules alone.
    """

    def __init__(self, brief: Brief, verbalizer: Verbalizer, model: Model, history: bool = True) -> None:
        self._verbalizer = verbalizer
        self._model = model
        self._rules = verbalizer.rules(brief)
        self._folded: list[Moment] = []
        self._summary = ""
        self._entries: list[TranscriptEntry] = []
        self._history = history
        self._room = model.context - RESERVE - model.count(self._rules)

    def reserve(self, tokens: int) -> None:
        """Keeps ``tokens`` more of the context free, for other parts of prompts and for replies."""
        self._room -= tokens

    def hear(self, moment: Moment, context: MindContext) -> None:
        """Adds what is new in ``moment``; folds the older half when the context is full."""
        line = self._verbalizer.tell(moment) if self._history else ""
        if not line:
            return
        self._add("user", line, moment)
        tokens = sum(entry.tokens for entry in self._entries) + self._model.count(self._summary)
        if tokens > self._room and len(self._entries) > 1:
            cut = self._cut()
            self._folded += [entry.moment for entry in self._entries[:cut] if entry.moment]
            self._entries = self._entries[cut:]
            self._summary = self._verbalizer.summary(self._folded)
            context.note("context_folded", {"moments": len(self._folded)})

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The moments that have a text of their own, in order."""
        return tuple(entry.moment for entry in self._entries if entry.moment)

    def keep(self, question: str, replied: str) -> None:
        """Adds a question and the own reply to it, which only :meth:`messages` shows."""
        if self._history:
            self._add("user", question)
            self._add("assistant", replied)

    def text(self, preface: str = "") -> str:
        """Rules, ``preface`` and history, ending with a line break."""
        history = (entry.text for entry in self._entries if entry.moment)
        return "".join(f"{part}\n" for part in (self._rules, preface, self._summary, *history) if part)

    def messages(self) -> list[Message]:
        """The rules as the system message, then user messages and the own replies."""
        messages = [Message("system", self._rules)]
        unanswered = [self._summary] if self._summary else []
        for entry in self._entries:
            if entry.role == "user":
                unanswered.append(entry.text)
                continue
            messages += [Message("user", "\n".join(unanswered)), Message("assistant", entry.text)]
            unanswered = []
        return [*messages, Message("user", "\n".join(unanswered))] if unanswered else messages

    def _add(self, role: Literal["user", "assistant"], text: str, moment: Moment | None = None) -> None:
        self._entries.append(TranscriptEntry(role, text, self._model.count(text) + 1, moment))

    def _cut(self) -> int:
        """Where the newer half begins: at a moment, never between a question and what led to it."""
        entries = self._entries
        later = range(len(entries) // 2, len(entries))
        return next(
            i for i in later if entries[i].moment and (entries[i - 1].moment or entries[i - 1].role != "user")
        )
