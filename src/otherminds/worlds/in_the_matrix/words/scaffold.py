"""The words of the *in the matrix* substrates for minds that reason in steps and plan with skills.

Cross et al. 2025, appendices D and G; the wording is our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from otherminds.core.data import Behaviour, Brief, Encounter, Invalid, Moment, Seat, SkillChoice
from otherminds.core.scaffold import Heard, Manner, PlanningScaffold, Seen, Sighting
from otherminds.worlds.in_the_matrix.rules import Rules
from otherminds.worlds.in_the_matrix.words import inventories, planning, sightings, told_rules
from otherminds.worlds.in_the_matrix.words.naming import SeatVocabulary

JOINT = frozenset({"rws-repeated-v1"})
"""Where the call that predicts chooses too; in the others these are two calls (appendix D.3)."""
INFERRING = "What another player played in a duel you have to infer from what you held and from your reward."


class InTheMatrixScaffold(PlanningScaffold):
    """The words of one episode for ``seat`` of ``substrate``; ``order`` is that in which classes are listed.

    A behaviour is written as an inventory that commits to it strongly, with the classes
    under their own names and in their own order. Of a duel only the own part is told.
    """

    def __init__(self, substrate: Rules, seat: Seat, order: tuple[int, ...]) -> None:
        self.manner = Manner(hidden=True, joint=substrate.name in JOINT)
        self._rules = substrate
        self._words = SeatVocabulary(substrate, seat)
        self._order = order

    def system(self, brief: Brief) -> str:
        words, rules = self._words, self._rules
        paragraphs = [
            told_rules.episode(words),
            told_rules.floor(rules),
            told_rules.boxes(rules),
            told_rules.duels(rules),
            f"{told_rules.view(rules)} {INFERRING} {told_rules.OUTDATED}",
            planning.skills(words),
        ]
        if brief.game is not None:
            paragraphs.append(told_rules.payoffs(words, brief.game, self._order))
        paragraphs += [f"You are told a secret: {words.named(secret)}." for secret in brief.secrets]
        paragraphs.append("You want as much reward as you can get over the whole episode.")
        return "\n".join(paragraphs)

    def name(self, seat: Seat) -> str:
        return self._words.name(seat)

    def seat(self, name: str) -> Seat | None:
        return self._words.others.get(name.strip().casefold())

    def choices(self, seat: Seat) -> tuple[Any, ...]:
        return tuple(inventories.holding(self._rules, k, inventories.STRONG) for k in self._order)

    def written(self, behaviour: Behaviour, seat: Seat) -> Any:
        return inventories.holding(self._rules, self._rules.classes.index(behaviour), inventories.STRONG)

    def read(self, value: Any, seat: Seat) -> Behaviour | Invalid:
        return inventories.read(self._rules, value)

    def heard(self, encounter: Encounter, since: Sequence[Moment]) -> Heard:
        own = inventories.fought_with(self._rules, encounter, since)
        # The step in which it is heard.
        return Heard(f"step {encounter.step + 1}", dict(zip(self._rules.classes, own, strict=True)))

    def clues(self) -> str:
        return inventories.clues(self._rules, self._order)

    def strategies(self) -> tuple[str, ...]:
        first, second, *_ = (self._rules.classes[k] for k in self._order)
        return (
            f"They play {first} twice, then {second} once, and begin again.",
            "They repeat what I played two duels ago.",
            f"They choose at random each time, {second} more often than anything else.",
        )

    def scene(self, moment: Moment) -> str:
        return sightings.scene(self._words, sightings.looked(self._rules, moment))

    def state(self, moment: Moment) -> str:
        return sightings.state(self._words, sightings.looked(self._rules, moment))

    def sightings(self, moment: Moment) -> tuple[Sighting, ...]:
        return sightings.sightings(self._words, sightings.looked(self._rules, moment))

    def recall(self, seen: Sequence[Seen], moment: Moment) -> str:
        return sightings.recall(self._words, seen, sightings.looked(self._rules, moment))

    def skills(self) -> str:
        return planning.skills(self._words)

    def plans(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return planning.plans(self._words, self._order)

    def plan(self, calls: Sequence[str]) -> tuple[SkillChoice, ...] | Invalid:
        return planning.plan(self._rules, calls)
