"""The story of an episode as a prompt, or as a conversation: it only ever grows at its end."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from otherminds.core.contracts import MindContext, Verbalizer
from otherminds.core.data import Brief, Message, Moment
from otherminds.core.model import Model

RESERVE = 512
"""Tokens kept free for the question and a short reply."""


class TranscriptEntry(Struct, frozen=True):
    """A part of the story: told in ``moment``, else a question that was put, or the own reply to it."""

    role: Literal["user", "assistant"]
    text: str
    tokens: int
    moment: Moment | None = None


class Transcript:
    """Rules, then what was told, in order; for strategies that converse, what was asked and replied as well.

    When the model's context is full, the older half of the moments gives way to
    the telling's exact summary; the record's notes say that it happened. Without
    ``history`` it is the rules alone.
    """

    def __init__(self, brief: Brief, telling: Verbalizer, model: Model, history: bool = True) -> None:
        self._telling = telling
        self._model = model
        self._rules = telling.rules(brief)
        self._folded: list[Moment] = []
        self._summary = ""
        self._entries: list[TranscriptEntry] = []
        self._history = history
        self._room = model.context - RESERVE - model.count(self._rules)

    def reserve(self, tokens: int) -> None:
        """Keeps ``tokens`` more of the context free, for what else stands in prompts and for replies."""
        self._room -= tokens

    def hear(self, moment: Moment, context: MindContext) -> None:
        """Adds what is new in ``moment``; folds the oldest part when there is no room left."""
        line = self._telling.tell(moment) if self._history else ""
        if not line:
            return
        self._add("user", line, moment)
        used = sum(entry.tokens for entry in self._entries) + self._model.count(self._summary)
        if used > self._room and len(self._entries) > 1:
            cut = self._cut()
            self._folded += [entry.moment for entry in self._entries[:cut] if entry.moment]
            self._entries = self._entries[cut:]
            self._summary = self._telling.summary(self._folded)
            context.note("context_folded", {"moments": len(self._folded)})

    def keep(self, asked: str, replied: str) -> None:
        """Adds a question and the seat's own reply to it. Only :meth:`messages` show them."""
        if self._history:
            self._add("user", asked)
            self._add("assistant", replied)

    def text(self, preface: str = "") -> str:
        """All that was told, ending with a line break; ``preface`` stands between rules and history."""
        told = (entry.text for entry in self._entries if entry.moment)
        return "".join(f"{part}\n" for part in (self._rules, preface, self._summary, *told) if part)

    def messages(self) -> list[Message]:
        """All that was told, asked and replied: the rules, then the user's messages and the own replies."""
        found = [Message("system", self._rules)]
        heard = [self._summary] if self._summary else []
        for entry in self._entries:
            if entry.role == "user":
                heard.append(entry.text)
                continue
            found += [Message("user", "\n".join(heard)), Message("assistant", entry.text)]
            heard = []
        return [*found, Message("user", "\n".join(heard))] if heard else found

    def _add(self, role: Literal["user", "assistant"], text: str, moment: Moment | None = None) -> None:
        self._entries.append(TranscriptEntry(role, text, self._model.count(text) + 1, moment))

    def _cut(self) -> int:
        """Where the newer half begins: with something told, never between a question and what led to it."""
        half = len(self._entries) // 2
        return next(
            i
            for i in range(half, len(self._entries))
            if self._entries[i].moment
            and (self._entries[i - 1].moment or self._entries[i - 1].role == "assistant")
        )
