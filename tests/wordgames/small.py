"""A small lexicon of made-up associations, in which a plain computation is quick."""

from functools import cache
from random import Random

import numpy as np

from otherminds.wordgames.exact import GameTables
from otherminds.wordgames.lexicon import Lexicon
from otherminds.wordgames.rules import GAMES


def make_lexicon(seed: int, size: int = 24) -> Lexicon:
    """Words without meaning, with random associations; some of them are equal, so that ties occur."""
    rng = Random(f"lexicon {seed}")
    tables: dict[str, np.ndarray] = {}
    for kind in ("taxonomic", "thematic", "phonetic"):
        table = np.zeros((size, size))
        for i in range(size):
            for j in range(i):
                table[i, j] = table[j, i] = round(rng.random(), 1)
        tables[kind] = table
    return Lexicon(tuple(f"word{number}" for number in range(size)), tables)


@cache
def make_tables(game: str, seed: int, population: str = "mixed", slip: float = 0.05) -> GameTables:
    """The tables of a game with such a lexicon."""
    return GameTables(GAMES[game], make_lexicon(seed), population, slip)
