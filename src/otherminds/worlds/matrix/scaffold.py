"""A repeated matrix game in words for minds that reason in steps: a round is an encounter.

Cross et al. 2025 do not play matrix games; their steps are kept, and what is chosen
is the decision. Options are called as the telling of the episode calls them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from otherminds.core.data import Behaviour, Brief, Encounter, Invalid, Moment, Seat
from otherminds.core.scaffold import Heard, Manner
from otherminds.worlds.asking import several, unread
from otherminds.worlds.matrix.telling import MatrixTelling
from otherminds.worlds.planless import Planless

OTHER = "the other player"
OPTION = "Option "


class MatrixScaffold(Planless):
    """The words of one episode for the seat of ``telling``: the same rules, the same labels in the same order.

    A behaviour is written as its option's label.
    """

    def __init__(self, telling: MatrixTelling) -> None:
        self.manner = Manner(joint=True)
        self._telling = telling
        own, others = telling.game.behaviours
        self._labels: dict[Seat, dict[Behaviour, str]] = {
            telling.seat: _ordered(telling, own, telling.own_names),
            telling.other: _ordered(telling, others, telling.other_names),
        }

    def system(self, brief: Brief) -> str:
        return (
            f"{self._telling.rules(brief)}After every round you are told what both of you chose. "
            "You want as much reward as you can get over all rounds."
        )

    def name(self, seat: Seat) -> str:
        return OTHER

    def seat(self, name: str) -> Seat | None:
        return self._telling.other if name.strip().casefold() == OTHER else None

    def choices(self, seat: Seat) -> tuple[Any, ...]:
        return tuple(self._labels[seat].values())

    def written(self, behaviour: Behaviour, seat: Seat) -> Any:
        return self._labels[seat][behaviour]

    def read(self, value: Any, seat: Seat) -> Behaviour | Invalid:
        """The behaviour of a label, exact or after the word ``Option``."""
        labels = self._labels[seat]
        if isinstance(value, str):
            said = value.strip().removeprefix(OPTION).strip()
            for behaviour, label in labels.items():
                if said == label:
                    return behaviour
        named = several([repr(label) for label in labels.values()], "or")
        return unread(f"it is none of the options; write {named}", value)

    def heard(self, encounter: Encounter, since: Sequence[Moment]) -> Heard:
        seat = self._telling.seat
        return Heard(f"round {encounter.step + 1}", self.written(encounter.did[seat][0], seat))

    def clues(self) -> str:
        return ""

    def strategies(self) -> tuple[str, ...]:
        labels = self.choices(self._telling.other)
        first, last = labels[0], labels[-1]
        return (
            f"They choose Option {first} five times, then Option {last} once, and begin again.",
            "They answer what I chose two rounds ago.",
            f"They choose at random each time, Option {last} more often than anything else.",
        )


def _ordered(
    telling: MatrixTelling, behaviours: Sequence[Behaviour], names: Sequence[str]
) -> dict[Behaviour, str]:
    return {behaviours[i]: names[i] for i in telling.order if i < len(names)}
