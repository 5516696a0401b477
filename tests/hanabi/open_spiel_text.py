"""A table as OpenSpiel 2.0.2 writes it, games for a comparison with it, and the digest of a whole game."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import blake2b
from random import Random
from typing import Any

from otherminds.hanabi.rules import LETTERS, Rules, Table, size_rules

SIZES = [(size, players) for size in ("full", "small", "very_small") for players in range(2, 6)]


def write_observation(table: Table, seat: int) -> str:
    """What ``seat`` sees, in the words of OpenSpiel's ``observation_string``, without the last line break."""
    rules = table.rules
    lines = [
        f"Life tokens: {table.lives}",
        f"Info tokens: {table.information}",
        "Fireworks: "
        + "".join(f"{LETTERS[colour]}{height} " for colour, height in enumerate(table.fireworks)),
        "Hands:",
    ]
    for offset in range(rules.players):
        player = (seat + offset) % rules.players
        lines += ["-----"] * (offset > 0) + ["Cur player"] * (player == table.player)
        hand = zip(table.hands[player], table.colours_of[player], table.ranks_of[player], strict=True)
        for card, colours, ranks in hand:
            face = rules.name_card(card) if offset else "XX"
            lines.append(f"{face} || {_write_knowledge(rules, colours, ranks)}")
    lines.append(f"Deck size: {table.in_deck}")
    lines.append("Discards:" + "".join(f" {rules.name_card(card)}" for card in table.discards))
    return "\n".join(lines)


def _write_knowledge(rules: Rules, colours: int, ranks: int) -> str:
    letters = [
        letter for colour, letter in enumerate(LETTERS) if colours >> colour & 1 and colour < rules.colours
    ]
    numbers = [str(rank + 1) for rank in range(rules.ranks) if ranks >> rank & 1]
    colour = letters[0] if colours >> rules.colours & 1 else "X"
    rank = numbers[0] if ranks >> rules.ranks & 1 else "X"
    return f"{colour}{rank}|{''.join(letters)}{''.join(numbers)}"


def choose_randomly(table: Table, rng: Random) -> int:
    """Any legal action."""
    return rng.choice(table.list_legal())


def choose_hints(table: Table, rng: Random) -> int:
    """Mostly the last legal hint, so that tokens run out."""
    legal = table.list_legal()
    return legal[-1] if rng.random() < 0.8 else rng.choice(legal)


def choose_discards(table: Table, rng: Random) -> int:
    """The first legal action: a discard wherever that is allowed, so that the deck runs out."""
    return table.list_legal()[0]


def choose_scoring(table: Table, rng: Random) -> int:
    """A play that scores, by looking at the own hand; so that fireworks are completed."""
    hand, legal = table.rules.hand, table.list_legal()
    plays = [action for action in legal if hand <= action < 2 * hand]
    scoring = [action for action in plays if _scores(table, action - hand)]
    return rng.choice(scoring or [action for action in legal if action not in plays] or legal)


def choose_losing(table: Table, rng: Random) -> int:
    """A play that costs a life, where there is one."""
    hand, legal = table.rules.hand, table.list_legal()
    losing = [action for action in legal if hand <= action < 2 * hand and not _scores(table, action - hand)]
    return rng.choice(losing or legal)


def _scores(table: Table, slot: int) -> bool:
    colour, rank = divmod(table.hands[table.player][slot], table.rules.ranks)
    return table.fireworks[colour] == rank


PLAYERS: tuple[Callable[[Table, Random], int], ...] = (
    choose_randomly,
    choose_hints,
    choose_discards,
    choose_scoring,
    choose_losing,
)


def list_games(each: int, first: int = 0) -> Iterator[tuple[Rules, int, Callable[[Table, Random], int]]]:
    """``each`` games of every size, number of players and way to play: the rules, a seed, and what plays."""
    for size, players in SIZES:
        for choose in PLAYERS:
            for seed in range(first, first + each):
                yield size_rules(size, players), seed, choose


def digest(turns: list[Any]) -> str:
    """A short digest of what was seen and legal in each turn of a game."""
    return blake2b(repr(turns).encode(), digest_size=12).hexdigest()
