"""The scaffold ``paper_prompts`` of the *in the matrix* substrates: it tells what the published prompts tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from msgspec.structs import replace as changed

from otherminds.core.data import Behaviour, Brief, Invalid, Moment, Seat
from otherminds.core.scaffold import Seen, Step
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.words import inventories, published, sightings
from otherminds.worlds.in_the_matrix.words.scaffold import InTheMatrixScaffold

NAME = "paper_prompts"


class PaperPrompts(InTheMatrixScaffold):
    """As :class:`InTheMatrixScaffold`, with the information of Cross et al. 2025, appendix G, and no more.

    Classes are called by their kind and colour (``rock/yellow``); inventories that the
    model infers, predicts or wants are told again with its own numbers; memory tells
    distances. The wording is in :mod:`.published`.
    """

    def __init__(self, substrate: Rules, seat: Seat, order: tuple[int, ...]) -> None:
        named = zip(substrate.classes, substrate.colours, strict=True)
        super().__init__(
            replace(substrate, classes=tuple(f"{kind}/{colour}" for kind, colour in named)), seat, order
        )
        self.manner = changed(self.manner, totals=True, afresh=True)
        self._behaviours = substrate.classes

    def system(self, brief: Brief) -> str:
        words = self._words
        paragraphs = [published.setting(words), published.committing(words)]
        if brief.game is not None:
            paragraphs.append(published.rewards(words, brief.game, self._order))
        paragraphs += [published.view(words), published.skills(words)]
        paragraphs += [f"You are told a secret: {words.named(secret)}." for secret in brief.secrets]
        return "\n".join(paragraphs)

    def written(self, behaviour: Behaviour, seat: Seat) -> Any:
        return inventories.holding(self._rules, self._behaviours.index(behaviour), inventories.STRONG)

    def read(self, value: Any, seat: Seat) -> Behaviour | Invalid:
        read = inventories.read(self._rules, value)
        return read if isinstance(read, Invalid) else self._behaviours[self._rules.classes.index(read)]

    def retold(self, value: Any, seat: Seat) -> Any:
        """With its own numbers: how strongly others commit matters."""
        return (
            inventories.counted(self._rules, value)
            if isinstance(value, dict)
            else super().retold(value, seat)
        )

    def key(self, name: str) -> str:
        return published.KEYS[published.game(self._rules)].get(name, name)

    def clues(self) -> str:
        return published.inferring(self._rules)

    def hints(self, step: Step) -> str:
        words, rules = self._words, self._rules
        if step == "hypothesise":
            return published.strategising(rules)
        if step == "predict":
            return published.predicting(rules, self._order)
        return published.choosing(words) if step == "choose" else published.planning(words)

    def strategies(self) -> tuple[str, ...]:
        return (published.hypothesis(self._rules, self._order[0]),)

    def recall(self, seen: Sequence[Seen], moment: Moment) -> str:
        return sightings.recall(self._words, seen, sightings.looked(self._rules, moment), distances=True)

    def skills(self) -> str:
        return published.skills(self._words)
