"""The transcript of an episode: the rules, what happened, and what was asked and replied."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from otherminds.core.contracts import MindContext, Verbalizer
from otherminds.core.data import Brief, Message, Moment
from otherminds.core.model import Model

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
