"""What the *in the matrix* substrates are called in words: their vocabulary, their rules, imagined duels, inventories.

The imagined duels are for few-shot prompts: courses of the stage game between players who commit alike. Behaviours
are written and read as inventories (Cross et al. 2025, appendices D.3 and G): the other inventory of a duel is never
observed; it is inferred from the own inventory and the reward."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from otherminds.core.data import Behaviour, Encounter, Game, Invalid, Moment, Seat
from otherminds.core.errors import InternalError
from otherminds.games.best_response import PLAYED, TOTAL, Example, imagine
from otherminds.gridworlds.grid.rules import player_of, seat_of
from otherminds.gridworlds.grid.words import MAP, number, stretches, window
from otherminds.gridworlds.in_the_matrix.rules import Rules
from otherminds.gridworlds.in_the_matrix.sight import Sight
from otherminds.gridworlds.in_the_matrix.skills import LEAD
from otherminds.gridworlds.in_the_matrix.world import leading
from otherminds.replies.answers import listed, several, unread

SEAT = re.compile(r"\bpartner_\d+\b")


@dataclass(frozen=True)
class SeatVocabulary:
    """The vocabulary of ``seat`` in ``substrate``."""

    substrate: Rules
    seat: Seat

    @property
    def player(self) -> int:
        """The number of the own avatar."""
        return player_of(self.seat)

    @property
    def crowd(self) -> bool:
        """Whether there are several others, which need names."""
        return self.substrate.players > 2

    def name(self, seat: Seat) -> str:
        """Another seat."""
        return f"player {player_of(seat)}" if self.crowd else "the other player"

    @property
    def another(self) -> str:
        """Any other seat."""
        return "another player" if self.crowd else "the other player"

    @property
    def others(self) -> dict[str, Seat]:
        """The other seats by what they are called."""
        seats = [seat_of(number) for number in range(self.substrate.players)]
        return {self.name(seat): seat for seat in seats if seat != self.seat}

    def name_seats(self, text: str) -> str:
        """``text`` with other seats called as they are here."""
        return SEAT.sub(lambda match: self.name(match[0]), text)

    def held(self, inventory: Sequence[int]) -> str:
        """An inventory, in the order of the classes."""
        counts = zip(self.substrate.classes, inventory, strict=True)
        return ", ".join(f"{name} {count:.0f}" for name, count in counts)

    def number(self, reward: float) -> str:
        """A reward; with its sign where some are negative."""
        rules = self.substrate
        return number(reward, signed=min(map(min, (*rules.row, *rules.column))) < 0)

    def played(self, encounter: Encounter) -> tuple[str, Seat, tuple[str, ...]]:
        """A duel: what the seat played, with whom, and what that one may have played."""
        other, did = next((seat, did) for seat, did in encounter.did.items() if seat != self.seat)
        return several(encounter.did[self.seat], "and"), other, did

    def duel(self, encounter: Encounter) -> str:
        """A duel in a sentence."""
        own, other, did = self.played(encounter)
        doubt = " (your reward fits each of these, the likeliest first)" if len(did) > 1 else ""
        return (
            f"A duel is over: you played {own}, {self.name(other)} played {several(did, 'or')}{doubt}, "
            f"and your reward is {self.number(encounter.reward)}."
        )

    def row(self, encounter: Encounter) -> str:
        """A duel in a row of a table: the step it was heard in, own play, the other's, reward."""
        own, other, did = self.played(encounter)
        who = f"{self.name(other)} " if self.crowd else ""
        return f"{encounter.step + 1}: {own}; {who}{several(did, 'or')}; {self.number(encounter.reward)}"


OUTDATED = "What you saw earlier may have changed since."


def paragraphs(words: SeatVocabulary) -> list[str]:
    """Who plays, where and for how long; places; boxes and when they come back; duels and what follows "
    "them."""
    rules = words.substrate
    width, height = rules.size
    player = f"You are player {words.player}, one of {rules.players} players,"
    if rules.one_shot:
        lasts = f"An episode ends when a duel was paid, and after {rules.maximum} steps at the latest."
    elif rules.minimum < rules.maximum:
        lasts = (
            f"An episode lasts at least {rules.minimum} steps; from then on it ends every {rules.interval} steps with "
            f"probability {rules.ending:g}, and after {rules.maximum} steps at the latest."
        )
    else:
        lasts = f"An episode lasts {rules.maximum} steps."
    kinds = zip(rules.colours, rules.classes, strict=True)
    back = (
        f"A place keeps its kind: from {rules.delay} steps after a box has gone, it comes back with "
        f"probability {rules.regrowth:g} a step."
        if rules.regrowth
        else "A box that has gone does not come back."
    )
    after = (
        "rewards, and the episode is over."
        if rules.one_shot
        else f"rewards, leave the map, and come back {rules.respawn + 1} steps later at a random place."
    )
    again = " When no player is on the map, all boxes come back at once." if rules.refill else ""
    return [
        f"{player if words.crowd else 'You and another player are'} on a map of {width} by {height} cells. "
        f"{lasts}",
        f"{MAP} These places are free of walls: {stretches(rules.open)}.",
        "Boxes lie on the map: "
        f"{several([f'{colour} ones stand for {name}' for colour, name in kinds], 'and')}. Whoever enters "
        "the place of a box collects it. Each player holds one box of each kind at the start and after each "
        f"duel. {back}{again}",
        "Who has collected a box since its last duel is ready, and carries a marker that others see. A player fires a "
        "beam at others near it: up to 3 cells ahead, and up to 2 cells ahead in the columns to its left and right; "
        "walls, boxes and players stop it. "
        f"If it hits a player and both are ready, the two duel{_name_rivals(words)}. What a player plays in a duel is the kind of which it "
        "holds most, and it plays it the more strongly, the larger the share of that kind in all that it holds. The "
        f"reward of each depends on what both hold. Both then stand still for {rules.freeze + 1} steps, get their {after}",
    ]


def _name_rivals(words: SeatVocabulary) -> str:
    """Who duels with whom, where players have roles."""
    rules = words.substrate
    if not rules.roles or not words.crowd:
        return ""
    kinds = [
        f"{several([f'player {i}' for i in range(rules.players) if rules.sides[i] == side], 'and')} are of "
        f"the {'first' if side == 0 else 'second'} kind"
        for side in (0, 1)
    ]
    return f", unless they are of one kind: {kinds[0]}, {kinds[1]}"


def view(rules: Rules) -> str:
    """What is seen, and what is not."""
    looks = " Each player looks different, so that you know who is who." if rules.distinct else ""
    if rules.roles and rules.players > 2:
        looks = " Players of one kind look alike."
    return (
        f"{window(rules.view)} It shows boxes, players and their markers; walls hide nothing.{looks} You never see what "
        "another player holds, nor which way it faces."
    )


def choice(labels: Sequence[str]) -> str:
    """What one decides."""
    return (
        "You do not steer single steps: you choose what to play next. A routine of yours then collects boxes of that "
        f"kind, until it holds {LEAD} more of it than of any other, and seeks a duel. You are asked again when it is done "
        f"or has failed. You may choose between {listed(labels, 'and')}."
    )


def pairs(words: SeatVocabulary, game: Game, order: Sequence[int]) -> list[str]:
    """What each pair of resources brings, a sentence a pair."""
    names = words.substrate.classes
    return [
        f"Your {names[i]} and its {names[j]} bring you {words.number(mine)} and the other player {words.number(theirs)}."
        for i in order
        for j in order
        for mine, theirs in [game.payoffs[i][j]]
    ]


def payoffs(words: SeatVocabulary, game: Game, order: Sequence[int]) -> str:
    """What duels bring, with an instance worked out."""
    kinds = len(words.substrate.classes)
    first, last = collect_boxes(order[0], kinds), collect_boxes(order[-1], kinds)
    own, other = (words.number(pay) for pay in pays(game, first, last))
    lines = [
        "In a duel each of your boxes meets each of the other player's, and you get the mean of what these pairs bring:",
        *pairs(words, game, order),
        f"If, for instance, you hold {words.held(first)} and the other player holds {words.held(last)}, you get {own} "
        f"and it gets {other}. Rewards are rounded to three decimals.",
    ]
    return "\n".join(lines)


COLLECTED = 5
"""Boxes of one kind that each imagined player collects: Melting Pot's bots mostly aim at this many."""
BETWEEN = 80  # Steps from one imagined duel to the next
ASKED = BETWEEN * PLAYED  # The step in which the imagined seat is asked


def collect_boxes(kind: int, kinds: int) -> tuple[int, ...]:
    """The inventory of who collected ``COLLECTED`` boxes of ``kind`` and nothing else.

    >>> collect_boxes(1, 3)
    (1, 6, 1)
    """
    return tuple(1 + COLLECTED * (k == kind) for k in range(kinds))


def pays(game: Game, own: Sequence[int], other: Sequence[int]) -> tuple[float, float]:
    """What the inventories ``own`` and ``other`` bring their two holders in a duel."""
    total = sum(own) * sum(other)
    own_pay, other_pay = (
        sum(own[i] * other[j] * game.payoffs[i][j][side] for i in range(len(own)) for j in range(len(other)))
        for side in (0, 1)
    )
    return own_pay / total, other_pay / total


def committing(game: Game) -> Game:
    """The game between players who commit to one kind: what each pair of such inventories really pays."""
    kinds = len(game.behaviours[0])
    payoffs = tuple(
        tuple(pays(game, collect_boxes(i, kinds), collect_boxes(j, kinds)) for j in range(kinds))
        for i in range(kinds)
    )
    return Game(game.name, game.behaviours, payoffs)


def imagine_duels(game: Game, order: Sequence[int]) -> tuple[Example, ...]:
    """Three courses of duels against a constant player, one that answers, and one that alternates."""
    return imagine(committing(game), order, order, copying=True)


def course(words: SeatVocabulary, game: Game, example: Example, other: Seat) -> list[str]:
    """The duels of ``example``, each as it would be told."""
    names, payoffs = words.substrate.classes, committing(game).payoffs
    lines: list[str] = []
    for step, i, j in zip(range(BETWEEN, ASKED + 1, BETWEEN), example.own, example.others, strict=True):
        did = {words.seat: (names[i],), other: (names[j],)}
        lines.append(f"Step {step}. {words.duel(Encounter(step - 1, did, payoffs[i][j][0]))}")
    return lines


def foreseen(words: SeatVocabulary, example: Example, other: Seat) -> str:
    """What the other player has been like, and so plays next."""
    names, who = words.substrate.classes, words.name(other)
    who = who[0].upper() + who[1:]
    coming, own, others = (
        names[example.coming],
        [names[i] for i in example.own],
        [names[j] for j in example.others],
    )
    if example.habit == "constant":
        return f"{who} played {coming} whatever I did, and should do so again."
    if example.habit == "alternates":
        return f"{who} goes back and forth between {others[0]} and {others[1]}, so {coming} comes next."
    how = (
        "it copies me"
        if example.habit == "copies"
        else "it plays what would have paid it most against my last play"
    )
    return (
        f"{who} answered my {own[0]} with {others[1]} and my {own[1]} with {others[2]}: {how}. "
        f"I played {own[2]} last, so {coming} comes next."
    )


def weigh_plays(words: SeatVocabulary, example: Example, order: Sequence[int]) -> str:
    """What each own play brings against that, and the best of them."""
    names = words.substrate.classes
    brings = ", ".join(
        f"{names[i]} {words.number(example.now[i])}"
        + (f" and {words.number(example.worth[i])}" if example.answers else "")
        for i in order
    )
    when = f"next, and at best in all duels from then to the {TOTAL}th" if example.answers else "next"
    best = "nothing is better than {}" if example.tied else "{} is best"
    return f"My reward {when}: {brings}; so {best.format(names[example.best])}."


STRONG = 5  # Boxes of the kind that is played in an inventory that commits to it strongly (appendix G)
DIGITS = re.compile(r"[0-9]{1,3}")
WORKED = ((0, 3, 1, 5), (1, 5, 0, 4), (2, 4, 2, 6))
"""Imagined duels: the place of the own kind in the order listed, boxes of it, and both of the other player."""

Inventory = dict[Behaviour, int]


def holding(rules: Rules, kind: int, count: int) -> Inventory:
    """``count`` boxes of class number ``kind`` and one of each other."""
    return {name: count if k == kind else 1 for k, name in enumerate(rules.classes)}


def read_inventory(rules: Rules, value: Any) -> Behaviour | Invalid:
    """The class of which an inventory has most; also a class by its bare name.

    Classes that an inventory leaves out count as none. A count may be written as a string of digits.
    """
    if isinstance(value, str) and value.strip() in rules.classes:
        return value.strip()
    form = f"an inventory, such as {holding(rules, 0, STRONG)}"
    if not isinstance(value, dict) or not value:
        return unread(f"it is not {form}", value)
    strange = [name for name in value if name not in rules.classes]
    if strange:
        return unread(f"{strange[0]!r} is none of {', '.join(rules.classes)}; give {form}", value)
    counts = [*order_counts(rules, value).values()]
    if not all(_counts(count) for count in counts):
        return unread(f"what is held must be finite numbers from 0 on; give {form}", value)
    most = leading(counts)
    if len(most) != 1:
        tied = " and ".join(rules.classes[k] for k in most)
        return unread(f"there is as much of {tied}, so that it plays no single one", value)
    return rules.classes[most[0]]


def order_counts(rules: Rules, value: Mapping[str, Any]) -> dict[Behaviour, Any]:
    """An inventory in the order of the classes, counts as numbers where they are written as digits."""
    return {name: _count(value.get(name, 0)) for name in rules.classes}


def fought_with(rules: Rules, encounter: Encounter, since: Sequence[Moment]) -> tuple[int, ...]:
    """The own inventory in the duel that was paid in ``encounter``.

    A duel is paid ``freeze`` + 1 steps after the beam. A zapper who does not lose has its inventory reset at
    once, so that it shows only before; it has not moved in that step. Anybody else keeps it until it is paid.
    It may have walked onto a box in that very step: that one counts if it lay there before, and not if it
    grew back after the beam.

    Raises:
        InternalError: ``since`` lacks the moments around the beam.
    """
    shot = encounter.step - rules.freeze - 1
    around = {moment.step: moment for moment in since if moment.step in (shot, shot + 1)}
    if len(around) < 2:
        paid_at = encounter.step
        raise InternalError(f"the moments {shot} and {shot + 1} of the duel heard at {paid_at} are missing")
    sight = Sight(rules)
    sight.see(around[shot].observation, shot)
    before = sight.inventory
    after = tuple(int(count) for count in around[shot + 1].observation["INVENTORY"])
    cell = tuple(int(v) for v in around[shot + 1].observation["POSITION"])
    if max(after) == 1 and rules.roles and sight.pose is not None and cell != sight.pose[:2]:
        # A row player that was hit can have walked onto a box before, and have lost it at once.
        n = rules.places.index(cell) if cell in rules.places else -1
        had = n >= 0 and sight.there[n] and sight.seen[n] == shot
        return tuple(count + int(had and k == sight.kind[n]) for k, count in enumerate(before))
    if max(after) == 1 or after == before:
        return before
    entered = rules.places.index(cell)
    return after if sight.there[entered] and sight.seen[entered] == shot else before


def clues(rules: Rules, order: Sequence[int]) -> str:
    """How to work out what the other held, with three duels worked out from the payoffs."""
    lines = [
        "Your inventory decides what each kind of the other player's boxes brings you: the mean of what the pairs with "
        "your boxes bring. Your reward is the mean of that over all boxes that the other player holds. Players mostly "
        "raise one kind and hold one box of each other kind: try each kind, with more or fewer boxes of it, until the "
        "mean is your reward. Nobody duels with one box of each kind, since that is what one has before one "
        "collects."
    ]
    kinds = len(rules.classes)
    for n, (own, count, other, others) in enumerate(WORKED, 1):
        mine = holding(rules, order[own % kinds], count)
        theirs = holding(rules, order[other % kinds], others)
        lines.append(f"Example {n}: {_work_out_duel(rules.game, mine, theirs)}")
    return "\n".join(lines)


def _work_out_duel(game: Game, mine: Inventory, theirs: Inventory) -> str:
    """A duel as it would be told, what each kind brings, the sum, and the answer in the form asked for."""
    names = game.behaviours[0]
    reward = pays(game, [*mine.values()], [*theirs.values()])[0]
    brings = {
        name: pays(game, [*mine.values()], [int(k == j) for k in range(len(names))])[0]
        for j, name in enumerate(names)
    }
    each = ", ".join(f"each {name} {number(pay, signed=True)}" for name, pay in brings.items())
    terms = " + ".join(f"{theirs[name]} * ({number(pay, signed=True)})" for name, pay in brings.items())
    reward_text = number(reward, signed=True)
    return (
        f"you played {mine}, your reward {reward_text}. Against that, boxes of the other player bring you: {each}. "
        f"({terms}) / {sum(theirs.values())} = {reward_text}, so this fits:\n"
        f"{{'they_played': {theirs}}}"
    )


def _count(count: Any) -> Any:
    return int(count) if isinstance(count, str) and DIGITS.fullmatch(count) else count


def _counts(count: Any) -> bool:
    if isinstance(count, bool) or not isinstance(count, int | float):
        return False
    return count >= 0 and (isinstance(count, int) or isfinite(count))
