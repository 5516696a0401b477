"""Replays of Hanabi and of tiny Hanabi: each turn, or game, with all cards, what was done and said, and what could be known.

The record has the deck, or the deals, and the actions, with which all is laid again."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Struct
from rich.box import SIMPLE_HEAD
from rich.table import Table as Grid

from otherminds.core.data import Seat
from otherminds.core.record import Asked, Record
from otherminds.core.scenario import World
from otherminds.hanabi.rules import COLOURS, Rules, Table
from otherminds.hanabi.tiny.evidence import read_games
from otherminds.hanabi.tiny.game import ACTIONS, CARDS, PAYOFFS, Posterior, list_worths
from otherminds.hanabi.tiny.minds import SPEAKER
from otherminds.hanabi.tiny.world import FACT as TINY
from otherminds.hanabi.view import find_playable, look, share_cards
from otherminds.hanabi.words import call_card, tell_hints, tell_move
from otherminds.hanabi.world import EGO, FACT, SCORES, find_topic
from otherminds.reports.markup import PageKind
from otherminds.reports.replay.general import as_numbered_page, list_seats
from otherminds.reports.replay.replays import RIGHT, WRONG, Playback, replays

SPEED = 1.0
"""Turns a second."""
PACKAGE = "otherminds.hanabi"
HANABI = PageKind(f"{PACKAGE}:replay.html", (f"{PACKAGE}:replay.js", "stops.js"))


class ShownCard(Struct, frozen=True):
    """A card, a pile or a choice: what stands on it in large and in small, its colour, and ``notes`` below."""

    face: str
    label: str
    colour: str
    notes: tuple[str, ...]


class ShownTurn(Struct, frozen=True):
    """A turn, or a game of tiny Hanabi, once it is over: what was done, the ``state`` then, rows of cards by their names, and the
    answers that were given before the next turn. A ``slip`` is a lost life, or a choice that gave something away."""

    number: int
    move: str
    state: str
    rows: dict[str, tuple[ShownCard, ...]]
    answers: tuple[str, ...]
    slip: bool


class Story(Struct, frozen=True):
    """All turns of an episode, what they come to in sentences, what a turn and a slip are called, and what the cards show."""

    turns: list[ShownTurn]
    summary: list[str]
    unit: str
    stop: str
    about_cards: str


def call_seats(record: Record) -> dict[Seat, str]:
    """What the players are called: ``ego``, and ``partner``, which has a number where there are several."""
    several = len(record.seats) > 2
    return {
        seat: "ego" if seat == EGO else f"partner{f' {number}' if several else ''}"
        for number, seat in enumerate(record.seats)
    }


def replay_turns(record: Record) -> Story:
    """A game of Hanabi: the table as it was dealt and after each turn."""
    fact = record.facts[FACT]
    table = Table(msgspec.convert(fact["rules"], Rules), fact["deck"])
    turns = [_show_table(record, table)]
    for row in record.actions:
        action, legal = row[table.player], table.list_legal()
        table.act(action if action in legal else legal[0])
        turns.append(_show_table(record, table))
    score = f"{fact['points']} points on the table after {len(record.actions)} turns; the score is {fact['score']}."
    about = (
        "what hints leave open of it, how many cards its holder cannot exclude by hints and by what it sees, and the probability that it "
        "would score, by the copies that the holder does not see. What conventions add to that is not counted"
    )
    return Story(
        turns, [*_introduce_partners(record, "plays by the convention"), score], "turn", "lost life", about
    )


def _introduce_partners(record: Record, how: str) -> Iterator[str]:
    names = call_seats(record)
    for seat, partner in record.partners.items():
        yield f"{names[seat].capitalize()} {how} {partner.name}."


def _label_rows(record: Record) -> dict[Seat, str]:
    return {seat: f"{name} ({record.spec.seats[seat].called})" for seat, name in call_seats(record).items()}


def _show_table(record: Record, table: Table) -> ShownTurn:
    rules, names = table.rules, call_seats(record)
    playable = find_playable(rules, tuple(table.fireworks))
    rows = {"piles": tuple(_show_face(str(height), COLOURS[n]) for n, height in enumerate(table.fireworks))}
    for player, label in enumerate(_label_rows(record).values()):
        view = look(table, player)
        unseen, cards = view.count_unseen(), []
        for slot, (card, possible) in enumerate(zip(table.hands[player], view.list_own(), strict=True)):
            scoring = share_cards(unseen, possible, playable)
            colour, number = call_card(rules, card).split()
            count = possible.bit_count()
            could = f"can be {count} card{'s' * (count > 1)}", f"scores: {100 * scoring:.0f} %"
            cards.append(_show_face(number, colour, f"told: {tell_hints(view, player, slot)}", *could))
        rows[label] = tuple(cards)
    topic = find_topic(look(table, record.seats.index(EGO))) + 1
    last = table.moves[-1] if table.moves else None
    lost = ", ".join(call_card(rules, card) for card in sorted(table.discards)) or "none"
    told = tell_move(rules, last, [*names.values()]) if last else "The cards are dealt."
    return ShownTurn(
        number=len(table.moves),
        move=told[0].upper() + told[1:],
        state=f"{table.information} hint tokens, {table.lives} lives, {table.in_deck} cards in the deck. Lost cards: {lost}.",
        rows=rows,
        answers=tuple(
            f"Will ego's card {topic} score? {_mark_answer(answer)}"
            if record.questions[answer.question].id == SCORES
            else f"What does {names[record.questions[answer.question].about]} do next? {_mark_answer(answer)}"
            for answer in record.asked
            if answer.step == len(table.moves)
        ),
        slip=last is not None and last.action >= rules.hand and last.card >= 0 and not last.scored,
    )


def _show_face(face: str, colour: str, *notes: str) -> ShownCard:
    return ShownCard(face, colour, colour, notes)


def _mark_answer(answer: Asked) -> str:
    said = "unread" if answer.answer is None else str(answer.answer)
    if answer.truth is None:
        return said
    return f"{said} {RIGHT}" if answer.answer == answer.truth else f"{said} {WRONG} (true: {answer.truth})"


def replay_games(record: Record) -> Story:
    """The games of tiny Hanabi, numbered from 1; what is known of a convention is told by the games before."""
    games = read_games(record)
    assert games is not None, "the caller has checked it"
    rows, posterior, turns, most = _label_rows(record), Posterior(), [], 0
    answers = {answer.step: answer for answer in record.asked}
    for number, (deal, played) in enumerate(zip(*games, strict=False), 1):
        signal, chances = ACTIONS[played.signal], posterior.read(played.signal)
        pays = [PAYOFFS[card][deal.own][played.signal] for card in range(len(CARDS))]
        worths = list_worths(deal.own, played.signal, chances)
        earned, most = pays[deal.theirs][played.action], most + max(pays[deal.theirs])
        choices = [
            ShownCard(
                name,
                "chosen" * (action == played.action),
                name,
                tuple(f"earns {row[action]} if {card}" for card, row in zip(CARDS, pays, strict=True)),
            )
            for action, name in enumerate(ACTIONS)
        ]
        meaning = ", ".join(
            f"{card} {100 * chance:.0f} %" for card, chance in zip(CARDS, chances, strict=True)
        )
        answer = answers.get(2 * number - 1)
        turns.append(
            ShownTurn(
                number=number,
                move=f"Partner has {CARDS[deal.theirs]} and chooses {signal}; ego has {CARDS[deal.own]} and chooses "
                f"{ACTIONS[played.action]}: both earn {earned}.",
                state=f"After the games before, {signal} says of partner's card: {meaning}. Partner never knows ego's card.",
                rows={
                    rows[SPEAKER]: (ShownCard(CARDS[deal.theirs], "", "", (f"chooses {signal}",)),),
                    rows[EGO]: (ShownCard(CARDS[deal.own], "", "", (f"chooses {ACTIONS[played.action]}",)),),
                    "ego's choices": tuple(choices),
                },
                answers=(f"Which card does partner have? {_mark_answer(answer)}",) if answer else (),
                slip=worths[played.action] < max(worths),
            )
        )
        posterior.learn(deal.theirs, played.signal)
    score = f"{record.total(EGO):g} points in {len(turns)} games; who knows the convention earns {most}."
    about = "what its holder chose; below each choice of ego: what it earns if partner has moon, or sun"
    return Story(turns, [*_introduce_partners(record, "has the convention"), score], "game", "loss", about)


def as_page(record: Record, story: Story, speed: float = SPEED) -> str:
    """The page of an episode; it plays ``speed`` turns a second."""
    numbers = [turn.number for turn in story.turns]
    slips = [turn.number for turn in story.turns if turn.slip]
    return as_numbered_page(
        HANABI, record, numbers, slips, {"story": story}, unit=story.unit, stop=story.stop, speed=speed
    )


class HanabiReplay:
    """Hanabi and tiny Hanabi: a row for each turn or game, and a page with all cards."""

    def shows(self, record: Record, world: World | None) -> bool:
        return FACT in record.facts or TINY in record.facts

    def _replay(self, record: Record) -> Story:
        return replay_turns(record) if FACT in record.facts else replay_games(record)

    def text(self, record: Record) -> Iterator[str | Grid]:
        story = self._replay(record)
        yield list_seats(record)
        grid = Grid(story.unit, "what happened", "then", "answers", box=SIMPLE_HEAD)
        for turn in story.turns:
            grid.add_row(str(turn.number), turn.move, turn.state, "\n".join(turn.answers))
        yield grid
        yield from story.summary

    def play(self, record: Record) -> Playback:
        story = self._replay(record)
        return Playback(lambda speed: as_page(record, story, speed or SPEED))


replays.add("hanabi", HanabiReplay())
