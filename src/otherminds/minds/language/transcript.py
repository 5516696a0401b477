"""The story of an episode as a prompt: it only ever grows at its end."""

from __future__ import annotations

from otherminds.core.bench import Bench
from otherminds.core.contracts import Model, Telling
from otherminds.core.data import Brief, Moment

RESERVE = 512
"""Tokens kept free for the question and a short reply."""


class Transcript:
    """Rules, then what was told, in order.

    When the model's context is full, the older half of the moments gives way to
    the telling's exact summary; the record's notes say that it happened. Without
    ``history`` it is the rules alone.
    """

    def __init__(self, brief: Brief, telling: Telling, model: Model, history: bool = True) -> None:
        self._telling = telling
        self._model = model
        self._rules = telling.rules(brief)
        self._folded: list[Moment] = []
        self._summary = ""
        self._moments: list[tuple[Moment, str, int]] = []
        self._history = history
        self._room = model.context - RESERVE - model.count(self._rules)

    def reserve(self, tokens: int) -> None:
        """Keeps ``tokens`` more of the context free, for what else stands in prompts and for replies."""
        self._room -= tokens

    def hear(self, moment: Moment, bench: Bench) -> None:
        """Adds what is new in ``moment``; folds the oldest part when there is no room left."""
        if not self._history:
            return
        line = self._telling.tell(moment)
        if not line:
            return
        self._moments.append((moment, line, self._model.count(line) + 1))
        used = sum(tokens for _, _, tokens in self._moments) + self._model.count(self._summary)
        if used > self._room and len(self._moments) > 1:
            half = len(self._moments) // 2
            self._folded += [moment for moment, _, _ in self._moments[:half]]
            self._moments = self._moments[half:]
            self._summary = self._telling.summary(self._folded)
            bench.note("context_folded", {"moments": len(self._folded)})

    def text(self, preface: str = "") -> str:
        """Everything so far, ending with a line break; ``preface`` stands between rules and history."""
        parts = [self._rules, preface, self._summary, *(line for _, line, _ in self._moments)]
        return "".join(f"{part}\n" for part in parts if part)
