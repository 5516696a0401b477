"""The text interface of cooking, with the facts of Hypothetical Minds' prompts (Cross et al. 2025, appendix G.4).

The wording is our own. A seat receives text when it has to decide or can learn: at the
start, when a skill has ended, after a delivery and at the end. Which side of the kitchen
it is on is random: the text says so at the start, and the options are valid on both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Ask, Behaviour, Brief, Encounter, Invalid, Moment, Question, Seat, Turn
from otherminds.core.scaffold import OWN, Scaffold
from otherminds.gridworlds.cooking import acts
from otherminds.gridworlds.cooking import sightings as told_rules
from otherminds.gridworlds.cooking.kitchen import FULL_BAR
from otherminds.gridworlds.cooking.paper_prompts import NAME, PaperPrompts
from otherminds.gridworlds.cooking.rules import EMPTY, ITEMS, Rules
from otherminds.gridworlds.cooking.scaffold import CookingScaffold
from otherminds.gridworlds.cooking.sightings import LABELS, THINGS, UNSEEN, Mate, ParsedObservation, see, side
from otherminds.gridworlds.grid.actions import COMPASS, player_of, seat_of
from otherminds.gridworlds.grid.paths import Cell
from otherminds.gridworlds.grid.words import ask, number, outcome, places, pose, stretches
from otherminds.replies.asking import listed, several
from otherminds.replies.strict import read


@dataclass(frozen=True)
class CookingVerbalizer(Verbalizer):
    """The words of one episode for ``seat`` of ``substrate``.

    Options are the behaviours, each chosen as the skill of that name. ``order`` is the order in which they
    are listed, fixed within an episode and balanced over the episodes with each partner.
    """

    substrate: Rules
    seat: Seat
    order: tuple[int, ...]

    @property
    def scaffolds(self) -> Mapping[str, Scaffold]:
        kinds = {OWN: CookingScaffold, NAME: PaperPrompts}
        return {name: kind(self.substrate, self.seat, self.order) for name, kind in kinds.items()}

    def rules(self, brief: Brief) -> str:
        lines = [
            *told_rules.paragraphs(self.substrate),
            "You do not steer single steps: you choose what to do next, a routine of yours does it, fetching "
            "first what it takes if your hands are empty, and waiting for a pot where it must. You are asked again when "
            f"it is done or has failed. You may choose between {listed([*self._labels.values()], 'and')}. Whoever does "
            f"none of the others for {acts.PATIENCE} steps stands around.",
            *(f"You are told a secret: {secret}." for secret in brief.secrets),
        ]
        return "\n".join(lines) + "\n"

    def tell(self, moment: Moment) -> str:
        lines: list[str] = []
        for encounter in moment.encounters:
            own, others = self._did(encounter)
            paid = number(encounter.reward)
            lines.append(f"Soup was delivered, and paid you {paid}. Until then you {own}; {others}.")
        if moment.ended is not None:
            lines.append(outcome(moment.ended))
        if moment.last:
            lines.append("The episode is over.")
        elif lines or not moment.step:
            sight = see(self.substrate, moment.observation, player_of(self.seat))
            if not moment.step:
                lines.append(self._own_side(sight.pose[:2]))
            lines.append(self._scene(sight))
        return " ".join([f"Step {moment.step}.", *lines]) if lines else ""

    def summary(self, moments: Sequence[Moment]) -> str:
        """The own side, and every delivery in a line, with what was done since the one before."""
        if not moments:
            return ""
        lines = [self._own_side(see(self.substrate, moments[0].observation, player_of(self.seat)).pose[:2])]
        met = [encounter for moment in moments for encounter in moment.encounters]
        until = f"Up to step {moments[-1].step}"
        if met:
            lines.append(f"{until} soup was delivered (step: what it paid you; what you did before):")
            for encounter in met:
                own, others = self._did(encounter)
                lines.append(f"{encounter.step + 1}: {number(encounter.reward)}; you {own}; {others}")
        else:
            lines.append(f"{until} no soup was delivered.")
        return "\n".join(lines)

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        def ahead(seat: Seat) -> str:
            return f"What does {self._name(seat)} do next"

        return ask(about, moment, own, self.seat, self._labels, "What do you do next", ahead)

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read(ask, reply)

    def _own_side(self, cell: Cell) -> str:
        own = side(self.substrate, cell)
        fixtures = "; ".join(f"{name}: {places(own.things[kind])}" for kind, name in THINGS.items())
        return f"On your side one can stand at {stretches(own.floor)}. Around it stand: {fixtures}."

    def _scene(self, sight: ParsedObservation) -> str:
        pots = [f"pot {places([cell])} with {self._inside(inside, bar)}" for cell, inside, bar in sight.pots]
        items = [f"{ITEMS[item]} on counter {places([cell])}" for cell, item in sight.items]
        mates = [f"{self._name(seat_of(mate.player))} {self._mate(mate)}" for mate in sight.mates]
        unseen = [] if mates or self.substrate.players > 2 else ["your teammate not seen"]
        return (
            f"You are at {pose(sight.pose)} and hold {self._item(sight.held)}. "
            f"{'In the whole kitchen' if sight.whole else 'In view'}: {'; '.join([*pots, *items, *mates, *unseen]) or 'nothing'}."
        )

    def _inside(self, inside: int, bar: int) -> str:
        tomatoes = f"{inside} tomato{'es' * (inside != 1)}"
        return f"{tomatoes}, bar {bar} of {FULL_BAR}" if inside == self.substrate.capacity else tomatoes

    def _mate(self, mate: Mate) -> str:
        where = places([mate.cell]) + ("" if mate.facing == UNSEEN else f" facing {COMPASS[mate.facing]}")
        return f"at {where}, holding {self._item(mate.held)}"

    def _item(self, item: int) -> str:
        return ITEMS[item] if item == EMPTY else f"a {ITEMS[item]}"

    def _did(self, encounter: Encounter) -> tuple[str, str]:
        """What the seat did since the delivery before, and what it knows of others."""
        others = {seat: did for seat, did in encounter.did.items() if seat != self.seat}
        accounts = [f"{self._name(seat)} {self._name_acts(did)}" for seat, did in others.items()]
        return several(encounter.did[self.seat], "and"), "; ".join(accounts)

    def _name_acts(self, did: tuple[Behaviour, ...]) -> str:
        """The acts of another seat. If none are known, even standing around is possible."""
        if acts.STOOD not in did or len(did) == 1:
            return ("" if did == (acts.STOOD,) else "as far as you know ") + several(did, "and")
        return "did what you did not see" + (", perhaps the delivery" if acts.DELIVERED in did else "")

    def _name(self, seat: Seat) -> str:
        return told_rules.name_player(self.substrate, player_of(seat))

    @property
    def _labels(self) -> dict[Behaviour, str]:
        return {(behaviour := acts.BEHAVIOURS[i]): LABELS[behaviour] for i in self.order}
