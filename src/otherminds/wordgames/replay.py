"""Replay of a word game: for each round the board, what was done, what ego said of its partner and what is true, and what could be known.

Everything is in the record; for the page the boards and rewards are played again and compared."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace
from rich.box import SIMPLE_HEAD
from rich.table import Table

from otherminds.core.encoding import encode
from otherminds.core.record import Record
from otherminds.core.scenario import World
from otherminds.measures.weighed_acts import name_partner
from otherminds.reports.markup import PageKind
from otherminds.reports.replay.general import as_numbered_page, list_seats, renumber_steps
from otherminds.reports.replay.replays import (
    RIGHT,
    WRONG,
    Again,
    Playback,
    describe_arm,
    find_stop,
    replays,
)
from otherminds.wordgames.evidence import read_rounds
from otherminds.wordgames.exact import GameTables, PartnerModels
from otherminds.wordgames.game import EGO, PARTNER, TABLE, Board, Moves
from otherminds.wordgames.rules import FACT, read_rules

SPEED = 1.0
"""Rounds a second."""
PACKAGE = "otherminds.wordgames"
WORD_GAMES = PageKind(f"{PACKAGE}:replay.html", (f"{PACKAGE}:replay.js", "stops.js"))
LITTLE = 0.005
"""Losses below this are not shown."""


class ShownAnswer(Struct, frozen=True):
    """A question about the partner, ego's answer (empty if it could not be read), and what is true (empty if unknown)."""

    question: str
    answer: str
    truth: str

    @property
    def mark(self) -> str:
        """Whether the answer is right: a sign, or nothing where that is not known."""
        return "" if not self.truth else RIGHT if self.answer == self.truth else WRONG


class ShownRound(Struct, frozen=True):
    """One finished round.

    ``board`` is what the giver of clues saw, ``events`` are its moves as sentences, and ``chances`` is what the rounds before tell an exact
    observer: the probability of each association. ``lost`` is what ego's choices gave away against the best ones of that observer.
    """

    number: int
    step: int
    board: str
    events: tuple[str, ...]
    answers: tuple[ShownAnswer, ...]
    chances: dict[str, float]
    earned: float
    lost: float


class GameReplay(Struct, frozen=True):
    """The rounds of ``record``; ``partner`` says who the partner is, ``stopped`` what stopped the episode."""

    record: Record
    rules: str
    partner: str
    rounds: tuple[ShownRound, ...]
    stopped: str
    fault: str = ""

    @property
    def summary(self) -> list[str]:
        """Who the partner is, and what answers and choices come to, in sentences."""
        answers = [answer for shown in self.rounds for answer in shown.answers if answer.truth]
        lines = [line for line in (describe_arm(self.record), self.partner) if line]
        if answers:
            right = sum(answer.mark == RIGHT for answer in answers)
            lines.append(f"{right} of {len(answers)} answers about it were right.")
        earned, lost = (sum(getattr(shown, name) for shown in self.rounds) for name in ("earned", "lost"))
        lines.append(
            f"{earned:g} points in {len(self.rounds)} rounds; to somebody who infers the partner exactly, ego's choices gave away "
            f"{lost:.1f}."
        )
        return [*lines, self.stopped] if self.stopped else lines


def replay_game(record: Record) -> GameReplay:
    """The rounds of a record of a word game, by the record alone."""
    rules = read_rules(record)
    assert rules is not None, "the caller has checked it"
    tables, game = rules.tables, rules.rules
    entry, stopped = record.partners.get(PARTNER), find_stop(record, EGO)
    models = PartnerModels(tables, tables.weights)
    rounds: list[ShownRound] = []
    step = 0
    for number, (board, played) in enumerate(zip(rules.boards, read_rounds(record, rules), strict=False)):
        name = name_partner(record, PARTNER, step)
        partner = tables.names.index(name) if name in tables.names else None
        names = [tables.lexicon.words[word] for word in board.words]
        rounds.append(
            ShownRound(
                number=number,
                step=step,
                board=game.show_board(names, board),
                events=tuple(_tell_moves(tables, names, played.moves)),
                answers=tuple(_show_answers(tables, board, names, played.moves, played.answers, partner)),
                chances=_sum_groups(tables, models),
                earned=game.score(board, played.moves),
                lost=_weigh_losses(tables, board, played.moves, models),
            )
        )
        models.learn(board, played.moves)
        step += sum(mover != TABLE for mover, _, _ in game.unfold(played.moves))
    listener = next((kind for kind in tables.listeners if entry and kind.name == entry.name), None)
    return GameReplay(
        record=record,
        rules=game.explain(gives=game.gives),
        partner=f"The partner is {listener.name}: {listener.about}."
        if listener
        else "The partner is a mind.",
        rounds=tuple(rounds),
        stopped=f"Round {len(rounds) + 1} was not played to its end: {stopped.reason}" if stopped else "",
    )


def _tell_moves(tables: GameTables, names: list[str], moves: Moves) -> Iterator[str]:
    for mover, choice, before in tables.game.unfold(moves):
        yield tables.game.tell_move(names, mover.capitalize(), mover, choice, before)


def _show_answers(
    tables: GameTables,
    board: Board,
    names: list[str],
    moves: Moves,
    answers: tuple[int | None, ...],
    partner: int | None,
) -> Iterator[ShownAnswer]:
    game = tables.game
    opening = moves[: len(tables.list_openings()[0])]
    truths = tables.tree(tables.hide_secret(board)).list_truths(opening)
    for slot, answer in enumerate(answers):
        yield ShownAnswer(
            question=game.ask_about(names, slot, opening),
            answer="" if answer is None else game.label_answer(names, answer),
            truth="" if partner is None else game.label_answer(names, truths[partner][slot]),
        )


def _sum_groups(tables: GameTables, models: PartnerModels) -> dict[str, float]:
    """The posterior of each association."""
    chances = dict.fromkeys(tables.groups, 0.0)
    for group, weight in zip(tables.groups, models.weights.tolist(), strict=True):
        chances[group] += weight
    return chances


def _weigh_losses(tables: GameTables, board: Board, moves: Moves, models: PartnerModels) -> float:
    """What ego's choices of a round give away under the posterior."""
    tree = tables.tree(tables.hide_secret(board))
    weighed = tree.weigh_moves(moves, tree.spread(models.weights))
    return sum(max(worths.values()) - worths[choice] for _, choice, worths in weighed)


def print_rounds(replay: GameReplay) -> Iterator[str | Table]:
    """A row for each round, and what they come to."""
    yield replay.rules
    table = Table("", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for head in ("board", "moves", "answers"):
        table.add_column(head, overflow="fold")
    for head in ("likely", "earned", "gave away"):
        table.add_column(head, justify="right" if head != "likely" else "left")
    for shown in replay.rounds:
        likely = max(shown.chances, key=lambda group: shown.chances[group])
        table.add_row(
            str(shown.number + 1),
            shown.board,
            " ".join(shown.events),
            ", ".join(f"{answer.answer or 'unread'} {answer.mark}".strip() for answer in shown.answers),
            f"{likely} {shown.chances[likely]:.0%}",
            f"{shown.earned:g}",
            f"{shown.lost:.2f}" if shown.lost > LITTLE else "",
        )
    yield table
    yield from replay.summary


def as_game_page(replay: GameReplay, speed: float = SPEED) -> str:
    """The page of an episode; it plays ``speed`` rounds a second. Rounds are counted from 1, as ego is told them."""
    starts = [shown.step for shown in replay.rounds]

    def find_round(step: int) -> int:
        return max(1, sum(start <= step for start in starts))

    return as_numbered_page(
        WORD_GAMES,
        # The list of calls counts what comes before a round, so that the first is 0.
        renumber_steps(replay.record, lambda step: find_round(step) - 1),
        [shown.number + 1 for shown in replay.rounds],
        [shown.number + 1 for shown in replay.rounds if shown.lost > LITTLE],
        {"replay": replay, "little": LITTLE},
        unit="round",
        stop="loss",
        speed=speed,
        thinking=renumber_steps(replay.record, find_round),
    )


def find_departure(record: Record) -> str:
    """Where the episode, played again in its world, departs from the record; empty if nowhere."""
    again = Again(record)
    if encode(again.world.facts()[FACT]) != encode(record.facts[FACT]):
        again.found("the boards are not those that are drawn")
    for _ in again.steps():
        pass
    return again.fault


class WordGameReplay:
    """Word games: a table by the record alone, and a page."""

    def shows(self, record: Record, world: World | None) -> bool:
        return FACT in record.facts

    def text(self, record: Record) -> Iterator[str | Table]:
        yield list_seats(record)
        yield from print_rounds(replay_game(record))

    def play(self, record: Record) -> Playback:
        fault = find_departure(record)
        replay = replace(replay_game(record), fault=fault)
        return Playback(lambda speed: as_game_page(replay, speed or SPEED), fault)


replays.add("wordgames", WordGameReplay())
