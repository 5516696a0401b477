"""Reads logs of repeated matrix games: Axelrod-Python's table of interactions, and episodes as JSON lines (docs/logs.md)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.core.data import Game
from otherminds.core.disk import Log, LogEntry
from otherminds.core.errors import StudyError
from otherminds.core.text import quote_name, show_value
from otherminds.core.user_files import json_value
from otherminds.games.registry import check_game, games

ILLEGAL = -1
"""The act of a player that made no legal move."""
SILENT = -1
"""The prediction in a round without one."""
MOST_BEHAVIOURS = 8
"""Behaviours of a player."""
MOST_ROUNDS = 100_000
"""Rounds of an episode."""
LONGEST_NAME = 200
"""Characters of a player's name."""
AXELROD = ("Interaction index", "Player index", "Opponent index", "Player name", "Opponent name", "Actions")
"""Columns that Axelrod-Python's table has in every version; some have others too."""
SCORE = "Score"


class LoggedEpisode(Struct, frozen=True):
    """One match: who played, and for each seat what it did.

    ``acts[seat]`` int8[rounds] are behaviours by index, or :data:`ILLEGAL`. ``rewards`` is float64[2, rounds].
    ``predictions[seat]`` int8[rounds] are what a seat said that the other would do, or :data:`SILENT`.
    """

    game: Game
    players: tuple[str, str]
    acts: tuple[NDArray[np.int8], NDArray[np.int8]]
    rewards: NDArray[np.float64]
    predictions: tuple[NDArray[np.int8], NDArray[np.int8]]


class EpisodeLine(Struct, frozen=True, forbid_unknown_fields=True):
    """A line of JSON: see docs/logs.md."""

    game: str | dict[str, Any]
    players: tuple[str, str]
    acts: tuple[list[str | None], list[str | None]]
    predictions: tuple[list[str | None] | None, list[str | None] | None] = (None, None)
    rewards: tuple[list[float], list[float]] | None = None
    episode: str | int | None = None


@cache
def axelrod_game() -> Game:
    """Axelrod's Prisoner's Dilemma, with the payoffs that Axelrod-Python uses: 3, 0, 5, 1."""
    moves = ("C", "D")
    return Game("axelrod", (moves, moves), (((3.0, 3.0), (0.0, 5.0)), ((5.0, 0.0), (1.0, 1.0))))


def read_log(path: Path) -> Iterator[LoggedEpisode]:
    """The episodes of a log, in its order.

    Raises:
        StudyError: it cannot be read, or a line is not of its format; the text names the file and the line.
    """
    lines = Log(path).lines(torn=True)
    head = next(lines, None)
    if head is None:
        raise StudyError(f"{path}: is empty; a log has an episode on each line")
    text = _decode(path, head)
    if text.startswith("{"):
        yield from _read_json_lines(path, head, lines)
    elif "Interaction index" in (heads := _split(path, head)):
        yield from _read_interactions(path, heads, lines)
    else:
        raise StudyError(
            f"{path}: line {head.number}: is neither an episode in JSON nor the head of Axelrod-Python's table of interactions"
        )


def _decode(path: Path, line: LogEntry) -> str:
    try:
        text = line.raw.decode("utf-8-sig" if line.number == 1 else "utf-8").strip()
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: line {line.number}: is not UTF-8 (byte {error.start + 1})") from None
    if "\0" in text:
        raise StudyError(f"{path}: line {line.number}: has a NUL character; restore the file")
    return text


def _read_json_lines(path: Path, head: LogEntry, lines: Iterator[LogEntry]) -> Iterator[LoggedEpisode]:
    places: dict[str | int, int] = {}
    for line in chain((head,), lines):
        where = f"{path}: line {line.number}"
        value = json_value(_decode(path, line).encode(), where, StudyError)
        try:
            episode = msgspec.convert(value, EpisodeLine)
        except msgspec.ValidationError as error:
            raise StudyError(f"{where}: {error}") from None
        if episode.episode is not None:
            first = places.setdefault(episode.episode, line.number)
            if first != line.number:
                raise StudyError(
                    f"{where}: episode {quote_name(str(episode.episode))} is on line {first} already"
                )
        yield _check_episode(where, episode)


def _check_episode(where: str, line: EpisodeLine) -> LoggedEpisode:
    game = _find_game(where, line.game)
    _check_players(where, line.players)
    lengths = [len(acts) for acts in line.acts]
    if lengths[0] != lengths[1] or not 0 < lengths[0] <= MOST_ROUNDS:
        raise StudyError(
            f"{where}: acts has {lengths[0]} and {lengths[1]} rounds; both players have the same, 1 to {MOST_ROUNDS}"
        )
    acts = [
        _number_behaviours(where, f"acts[{seat}]", line.acts[seat], game.behaviours[seat]) for seat in (0, 1)
    ]
    predictions: list[NDArray[np.int8]] = []
    for seat, stated in enumerate(line.predictions):
        if stated is not None and len(stated) != lengths[0]:
            raise StudyError(f"{where}: predictions[{seat}] has {len(stated)} rounds, and acts {lengths[0]}")
        of = stated if stated is not None else [None] * lengths[0]
        predictions.append(_number_behaviours(where, f"predictions[{seat}]", of, game.behaviours[1 - seat]))
    legal = (acts[0] != ILLEGAL) & (acts[1] != ILLEGAL)
    if line.rewards is None:
        rewards = np.where(legal, pay(game, acts[0], acts[1]), 0.0)
    elif any(len(row) != lengths[0] for row in line.rewards):
        raise StudyError(f"{where}: rewards must have {lengths[0]} numbers for each player, as acts have")
    else:
        rewards = np.array(line.rewards)
        if not (np.abs(rewards) <= 1e9).all():
            raise StudyError(f"{where}: rewards must be finite numbers of at most 1e9")
    return LoggedEpisode(game, line.players, (acts[0], acts[1]), rewards, (predictions[0], predictions[1]))


def pay(game: Game, rows: NDArray[np.int8], columns: NDArray[np.int8]) -> NDArray[np.float64]:
    """The payoffs of both seats, float64[2, rounds]; of any behaviour where one is not legal."""
    table = np.array(game.payoffs)
    return table[rows, columns].T


def _find_game(where: str, given: str | dict[str, Any]) -> Game:
    if isinstance(given, str):
        return axelrod_game() if given == "axelrod" else _named_game(where, given)
    try:
        game = check_game(msgspec.convert({"name": "logged", **given}, Game))
    except (msgspec.ValidationError, StudyError) as error:
        raise StudyError(f"{where}: {error}") from None
    if max(map(len, game.behaviours)) > MOST_BEHAVIOURS:
        raise StudyError(
            f"{where}: a player of game {quote_name(game.name)} has over {MOST_BEHAVIOURS} behaviours"
        )
    return game


def _named_game(where: str, name: str) -> Game:
    try:
        return games.get(name)()
    except StudyError as error:
        raise StudyError(f"{where}: {error}; or give its behaviours and payoffs") from None


def _check_players(where: str, players: Sequence[str]) -> None:
    for name in players:
        if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            raise StudyError(
                f"{where}: a player's name has 1 to {LONGEST_NAME} printable characters, not {quote_name(name)}"
            )


def _number_behaviours(
    where: str, place: str, acts: Sequence[str | None], behaviours: Sequence[str]
) -> NDArray[np.int8]:
    number: dict[str | None, int] = {name: i for i, name in enumerate(behaviours)}
    number[None] = -1
    try:
        return np.array([number[act] for act in acts], np.int8)
    except KeyError as error:
        t = next(t for t, act in enumerate(acts) if act not in number)
        raise StudyError(
            f"{where}: {place}[{t}] is {show_value(error.args[0])}, and the behaviours are {', '.join(behaviours)}"
        ) from None


def _split(path: Path, line: LogEntry) -> list[str]:
    try:
        return next(csv.reader([_decode(path, line)], strict=True), [])
    except csv.Error as error:
        raise StudyError(f"{path}: line {line.number}: is not CSV ({error})") from None


class _Row(Struct, frozen=True):
    """A row of Axelrod-Python's table: one player of one interaction."""

    number: int
    interaction: str
    indices: tuple[str, str]
    names: tuple[str, str]
    actions: str
    score: str


def _read_interactions(
    path: Path, heads: Sequence[str], lines: Iterator[LogEntry]
) -> Iterator[LoggedEpisode]:
    """Pairs the two rows of each interaction, which stand one after the other or apart."""
    if lacking := [head for head in AXELROD if head not in heads]:
        raise StudyError(f"{path}: line 1: has no column {', '.join(lacking)}")
    columns = [heads.index(head) for head in AXELROD]
    score = heads.index(SCORE) if SCORE in heads else None
    waiting: dict[str, _Row] = {}
    paired: set[str] = set()
    for line in lines:
        where = f"{path}: line {line.number}"
        cells = _split(path, line)
        if len(cells) != len(heads):
            raise StudyError(f"{where}: has {len(cells)} cells, and the head {len(heads)}")
        interaction, own, other, name, opponent, actions = (cells[column] for column in columns)
        row = _Row(
            line.number,
            interaction,
            (own, other),
            (name, opponent),
            actions,
            "" if score is None else cells[score],
        )
        _check_row(where, row)
        if interaction in paired:
            raise StudyError(f"{where}: interaction {quote_name(interaction)} has two rows already")
        first = waiting.pop(interaction, None)
        if first is None:
            waiting[interaction] = row
            continue
        paired.add(interaction)
        yield _pair_rows(where, first, row)
    for row in waiting.values():
        raise StudyError(
            f"{path}: line {row.number}: interaction {quote_name(row.interaction)} has no second row"
        )


def _check_row(where: str, row: _Row) -> None:
    _check_players(where, row.names)
    if not 0 < len(row.actions) <= MOST_ROUNDS:
        raise StudyError(f"{where}: Actions has {len(row.actions)} rounds; there are 1 to {MOST_ROUNDS}")
    if strange := set(row.actions) - {"C", "D"}:
        raise StudyError(f"{where}: Actions has {show_value(min(strange))}; every action is C or D")


def _pair_rows(where: str, first: _Row, second: _Row) -> LoggedEpisode:
    if first.indices != second.indices[::-1] or first.names != second.names[::-1]:
        raise StudyError(f"{where}: does not have the players of line {first.number}, the same interaction")
    if len(first.actions) != len(second.actions):
        raise StudyError(
            f"{where}: has {len(second.actions)} actions, and line {first.number}, the same interaction, {len(first.actions)}"
        )
    game = axelrod_game()
    acts = [
        (np.frombuffer(row.actions.encode(), np.uint8) == ord("D")).astype(np.int8) for row in (first, second)
    ]
    rewards = pay(game, acts[0], acts[1])
    for row, earned in zip((first, second), rewards.sum(1).tolist(), strict=True):
        if row.score and row.score != f"{earned:.0f}" and not _is_number(row.score, earned):
            raise StudyError(
                f"{where}: the score of line {row.number} is {show_value(row.score)}, and {earned:g} by the payoffs 3, 0, 5, 1; "
                "write games with other payoffs as JSON lines (docs/logs.md)"
            )
    silent = np.full(len(acts[0]), SILENT, np.int8)
    return LoggedEpisode(game, first.names, (acts[0], acts[1]), rewards, (silent, silent))


def _is_number(text: str, number: float) -> bool:
    try:
        return float(text) == number
    except ValueError:
        return False
