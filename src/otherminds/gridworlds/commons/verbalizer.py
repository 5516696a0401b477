"""The text interface: the rules for a newcomer, what happened to the seat, what it sees.

A seat receives text when it has to decide or can learn: at the start, when a skill has ended, when it took or did something
that concerns others, and at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Ask, Brief, Encounter, Invalid, Moment, Question, Seat, SkillChoice, Turn
from otherminds.gridworlds.commons.acts import BEHAVIOURS, NONE, OTHERS
from otherminds.gridworlds.commons.forager import SPARED
from otherminds.gridworlds.commons.rules import APPLE, COIN, COLOURS, DIRT, DRY_APPLE, Rules
from otherminds.gridworlds.commons.skills import PATIENCE, PAUSE, SPARE, WAIT
from otherminds.gridworlds.commons.views import AVATAR, OTHER, SELF, THING
from otherminds.gridworlds.grid.paths import Cell, Pose
from otherminds.gridworlds.grid.words import MAP, ask, number, outcome, places, pose, window
from otherminds.replies.answers import read

TEXTS = {
    "chance": (
        "You and one other player walk in a walled room. Coins of two colours appear by chance; one colour is yours, the other "
        "is the other player's. Who steps on a coin takes it and gets 1, whatever its colour. If you take a coin of the "
        "other player's colour, it loses {harm}, and you lose {harm} if it takes one of yours."
    ),
    "density": (
        "{players} players walk among patches of apples. Who steps on an apple eats it and gets 1. An apple grows again "
        "where one was eaten, the sooner the more apples are left within two cells of the place. Where none is left "
        "within two cells, none grows: a patch that is eaten up is lost."
    ),
    "cleanness": (
        "{players} players share an orchard and a river. Who steps on an apple in the orchard eats it and gets 1. Apples grow the sooner "
        "the cleaner the river is, and not at all while {depletion} percent of it or more are dirty. The river gets dirty with time. "
        "Whoever stands in front of dirt can clean it with a beam. This pays nothing."
    ),
}
BEAM = (
    " A player can also fire a beam at others in front of it. Who is hit is off the map for {respawn} steps; nobody gains "
    "or loses by that directly."
)
CHOICES = {
    "took a coin of its own colour": "go to the nearest coin of your own colour and take it",
    "took a coin of the other's colour": "go to the nearest coin of the other player's colour and take it",
    "ate an apple": "go to the nearest apple and eat it",
    "cleaned the river": "go to the nearest dirt and clean it",
    "hit a player with its beam": "go to the nearest player and fire at it",
    SPARE: f"go to the nearest apple that has at least {SPARED} others within two cells and eat it, past those that have fewer",
    NONE: f"do nothing for {PAUSE} steps",
    WAIT: f"do nothing for {PAUSE} steps",
}
"""What each option does."""
LABELS = {
    "took a coin of its own colour": "own",
    "took a coin of the other's colour": "other",
    "ate an apple": "eat",
    "cleaned the river": "clean",
    "hit a player with its beam": "fire",
    SPARE: SPARE,
    NONE: WAIT,
    WAIT: WAIT,
}
"""The name of each option."""


class CommonsSight(NamedTuple):
    """What a seat is told that it sees: its place, the colour of its coins (empty elsewhere), things and players with their places.

    ``window`` are the cells that it sees, also those beyond the map.
    """

    pose: Pose
    colour: str
    things: tuple[tuple[str, tuple[Cell, ...]], ...]
    people: tuple[tuple[str, Cell], ...]
    window: tuple[Cell, ...]


@dataclass(frozen=True)
class CommonsVerbalizer(Verbalizer):
    """The words of one episode for ``seat`` of ``substrate``; ``order`` is that in which behaviours are listed; other options follow them."""

    substrate: Rules
    seat: Seat
    order: tuple[int, ...]

    def rules(self, brief: Brief) -> str:
        rules = self.substrate
        text = TEXTS[rules.law] + (BEAM if rules.zap else "")
        numbers = {
            "harm": number(-rules.harm),
            "players": rules.players,
            "depletion": number(100 * rules.depletion),
            "respawn": rules.respawn,
        }
        options = "; ".join(f"{LABELS[name]}: {CHOICES[name]}" for name in self._options)
        return "\n".join(
            [
                text.format(**numbers),
                f"{MAP} {window(rules.view)}",
                f"Each choice is carried out step by step; it ends when it is done, or after {PATIENCE} steps. "
                f"Options: {options}.",
                f"An episode has at most {rules.maximum} steps and may end by chance from step {rules.minimum} on. Your score is the sum of what you get.\n",
            ]
        )

    def tell(self, moment: Moment) -> str:
        lines = [self._say(encounter) for encounter in moment.encounters]
        if moment.ended is not None and not (moment.ended.ok and moment.encounters):
            lines.append(outcome(self._label(moment.ended)))
        if moment.last:
            lines.append("The episode is over.")
        elif lines or not moment.step:
            lines.append(self._scene(moment))
        return " ".join([f"Step {moment.step}.", *lines]) if lines else ""

    def summary(self, moments: Sequence[Moment]) -> str:
        """How often each thing happened, and what it paid in all."""
        met = [encounter for moment in moments for encounter in moment.encounters]
        counts = [(name, sum(name in e.did.get(self.seat, ()) for e in met)) for name in self._behaviours]
        harmed = sum(OTHERS in acts for e in met for seat, acts in e.did.items() if seat != self.seat)
        parts = [f"{LABELS[name]}: {count}" for name, count in counts]
        if self.substrate.law == "chance":
            parts.append(f"coins of yours that the other player took: {harmed}")
        total = number(sum(moment.reward for moment in moments), signed=True)
        return f"Up to step {moments[-1].step} you did ({'; '.join(parts)}) and got {total} in all."

    def ask(self, about: Turn | Question, moment: Moment, own: Any = None) -> Ask:
        names = self._options if isinstance(about, Turn) else self._behaviours
        labels = {name: LABELS[name] for name in names}
        return ask(about, moment, own, self.seat, labels, "What do you do next", self._ahead)

    def read(self, ask: Ask, reply: str) -> Any | Invalid:
        return read(ask, reply)

    def _ahead(self, seat: Seat) -> str:
        return f"What does {self._name(seat)} do next of these"

    def _label(self, ended: Any) -> Any:
        """The end of a skill with the name of its option."""
        if isinstance(ended.made, SkillChoice) and ended.made.name in LABELS:
            from msgspec.structs import replace

            return replace(ended, made=SkillChoice(LABELS[ended.made.name], ended.made.args))
        return ended

    def _say(self, encounter: Encounter) -> str:
        parts = [
            f"You {' and '.join(acts).replace('its', 'your')}."
            if seat == self.seat
            else f"The other player {' and '.join(acts).replace(OTHERS, 'took a coin of your colour')}."
            for seat, acts in encounter.did.items()
        ]
        return f"{' '.join(parts)} You get {number(encounter.reward, signed=True)}."

    def _name(self, seat: Seat) -> str:
        if self.substrate.players == 2:
            return "the other player"
        return f"player {1 if seat == 'ego' else int(seat.removeprefix('partner_')) + 2}"

    def _scene(self, moment: Moment) -> str:
        sight = self.read_sight(moment)
        if sight is None:
            return "You are off the map until you come back."
        colour = f" and your coins are {sight.colour}" if sight.colour else ""
        return f"You are at {pose(sight.pose)}{colour}. {self.tell_sight(sight)}"

    def tell_sight(self, sight: CommonsSight) -> str:
        """What is in view."""
        if self.substrate.law == "chance":
            things = [f"{name} at {places(cells)}" for name, cells in sight.things if cells] or ["no coins"]
        else:
            things = [f"{name} at {places(cells)}" for name, cells in sight.things]
        people = [f"{name} at {places([cell])}" for name, cell in sight.people]
        return f"In view: {'; '.join([*things, *(people or ['no other player'])])}."

    def read_sight(self, moment: Moment) -> CommonsSight | None:
        """What the seat is told of what it sees; ``None`` while it is off the map."""
        observation = moment.observation
        x, y = observation["POSITION"].tolist()
        if x < 0:
            return None
        facing = int(observation["ORIENTATION"])
        rows = observation["WINDOW"]
        seen: dict[int, list[Cell]] = {}
        others: list[tuple[int, Cell]] = []
        own = -1
        window = tuple(self.substrate.view.cells((x, y, facing)))
        for row, column, cell in window:
            code = rows[row, column]
            seen.setdefault(int(code[THING]), []).append(cell)
            if cell == (x, y):
                own = int(code[AVATAR]) - OTHER
            elif code[AVATAR] > SELF:
                others.append((int(code[AVATAR]) - OTHER, cell))
        coins = self.substrate.law == "chance"
        if coins:
            things = [(f"{name} coins", seen.get(COIN + k, [])) for k, name in enumerate(COLOURS)]
        else:
            things = [("apples", sorted(seen.get(APPLE, []) + seen.get(DRY_APPLE, [])))]
            if self.substrate.law == "cleanness":
                things.append(("dirt", sorted(seen.get(DIRT, []))))
        names = [
            ("the other player" if self.substrate.players == 2 else f"player {n + 1}", cell)
            for n, cell in sorted(others)
        ]
        return CommonsSight(
            (x, y, facing),
            COLOURS[own] if coins and own >= 0 else "",
            tuple((name, tuple(cells)) for name, cells in things),
            tuple(names),
            tuple(cell for _, _, cell in window),
        )

    @property
    def _behaviours(self) -> list[str]:
        names = BEHAVIOURS[self.substrate.law]
        return [names[i] for i in self.order]

    @property
    def _options(self) -> list[str]:
        more = {"chance": [], "density": [SPARE, WAIT], "cleanness": [WAIT]}
        return [*self._behaviours, *more[self.substrate.law]]
