"""Replay of a game of Hanabi: turn by turn the table, the hands with what hints tell of each card, and what its holder can know.

The record has the deck and the actions, with which the table is laid again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid

from otherminds.core.record import Record
from otherminds.core.scenario import World
from otherminds.hanabi.rules import COLOURS, Rules, Table
from otherminds.hanabi.view import find_playable, list_cards, look
from otherminds.hanabi.words import HanabiVerbalizer
from otherminds.hanabi.world import FACT
from otherminds.reports.markup import PageKind, standalone
from otherminds.reports.replay.general import list_seats
from otherminds.reports.replay.replays import RIGHT, WRONG, Playback, ended, minds, replays

SPEED = 1.0
"""Turns a second."""
SPEEDS = (0.5, 1, 2, 5, 10)
PACKAGE = "otherminds.hanabi"
HANABI = PageKind(f"{PACKAGE}:replay.html", (f"{PACKAGE}:replay.js", "stops.js"))


class ShownCard(Struct, frozen=True):
    """A card in a hand. ``hinted`` is what hints leave open; of the ``possible`` cards that its holder cannot exclude by hints and
    eyes, weighted by their copies, the share ``scoring`` would score now."""

    colour: str
    number: int
    hinted: str
    possible: int
    scoring: float


class ShownTurn(Struct, frozen=True):
    """The table after ``number`` turns: the last ``move`` in words, the answers that were given before the next one, and all hands."""

    number: int
    move: str
    fireworks: dict[str, int]
    information: int
    lives: int
    in_deck: int
    lost: str
    hands: dict[str, tuple[ShownCard, ...]]
    answers: tuple[str, ...]
    misplayed: bool


def replay_turns(record: Record) -> list[ShownTurn]:
    """The table before each turn and at the end, of a record of this world."""
    fact = record.facts[FACT]
    rules = msgspec.convert(fact["rules"], Rules)
    table = Table(rules, fact["deck"])
    words = HanabiVerbalizer(rules, "")
    turns = [_show(record, table, words)]
    for row in record.actions:
        action, legal = row[table.player], table.list_legal()
        table.act(action if action in legal else legal[0])
        turns.append(_show(record, table, words))
    return turns


def _show(record: Record, table: Table, words: HanabiVerbalizer) -> ShownTurn:
    number, rules = len(table.moves), table.rules
    playable = find_playable(rules, tuple(table.fireworks))
    hands: dict[str, tuple[ShownCard, ...]] = {}
    for player, seat in enumerate(record.seats):
        view = look(table, player)
        unseen, cards = view.count_unseen(), []
        for slot, (card, possible) in enumerate(zip(table.hands[player], view.list_own(), strict=True)):
            copies = sum(unseen[other] for other in list_cards(possible))
            scoring = sum(unseen[other] for other in list_cards(possible & playable))
            colour, rank = divmod(card, rules.ranks)
            hinted = words.tell_hints(view, player, slot)
            cards.append(ShownCard(COLOURS[colour], rank + 1, hinted, possible.bit_count(), scoring / copies))
        hands[seat] = tuple(cards)
    asked = [answer for answer in record.asked if answer.step == number]
    last = table.moves[-1] if table.moves else None
    return ShownTurn(
        number=number,
        move=words.tell_move(last) if last else "The cards are dealt.",
        fireworks={COLOURS[colour]: height for colour, height in enumerate(table.fireworks)},
        information=table.information,
        lives=table.lives,
        in_deck=table.in_deck,
        lost=" ".join(rules.name_card(card) for card in sorted(table.discards)) or "none",
        hands=hands,
        answers=tuple(
            f"{record.questions[one.question].id}: {one.answer or 'unread'} {RIGHT if one.answer == one.truth else WRONG}"
            for one in asked
        ),
        misplayed=last is not None and last.action >= rules.hand and last.card >= 0 and not last.scored,
    )


def summarise(record: Record) -> list[str]:
    """Who played, and what the game came to, in sentences."""
    fact = record.facts[FACT]
    partners = ", ".join(f"{seat} plays {partner.name}" for seat, partner in record.partners.items())
    score = f"{fact['points']} points on the table after {len(record.actions)} turns; the score is {fact['score']}."
    return [f"{partners}." if partners else "", score]


def as_page(record: Record, speed: float = SPEED) -> str:
    """The page of an episode; it plays ``speed`` turns a second."""
    turns = replay_turns(record)
    about = f"{list_seats(record)}; {len(record.actions)} turns, {ended(record)}; episode {record.spec.hash}, body {record.hash[:16]}"
    story: dict[str, Any] = {
        "first": 0,
        "last": len(turns) - 1,
        "speed": speed,
        "unit": "turn",
        "seats": list(record.seats),
        "stops": [turn.number for turn in turns if turn.misplayed],
        "minds": minds(record),
    }
    parts = {
        "turns": turns,
        "summary": summarise(record),
        "unit": "turn",
        "stop": "lost life",
        "speed": speed,
    }
    parts["speeds"] = sorted({*SPEEDS, speed})
    return standalone(HANABI, record, about, parts, {"story": story})


class HanabiReplay:
    """A game of Hanabi: a row for each turn, and a page with all hands."""

    def shows(self, record: Record, world: World | None) -> bool:
        return FACT in record.facts

    def text(self, record: Record) -> Iterator[str | Grid]:
        yield list_seats(record)
        grid = Grid("", "what happened", "fireworks", "tokens", "lives", "answers", box=SIMPLE_HEAD)
        for turn in replay_turns(record):
            piles = " ".join(f"{colour[0].upper()}{height}" for colour, height in turn.fireworks.items())
            grid.add_row(
                str(turn.number),
                turn.move,
                piles,
                str(turn.information),
                str(turn.lives),
                ", ".join(turn.answers),
            )
        yield grid
        yield from summarise(record)

    def play(self, record: Record) -> Playback:
        return Playback(lambda speed: as_page(record, speed or SPEED))


replays.add("hanabi", HanabiReplay())
