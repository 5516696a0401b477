"""Words and how strongly people of several kinds associate them.

An association is the share of all pairs of words that are associated less: 0 for the weakest pair of a table, 1 for the strongest. So
tables of different origin have the same scale, and all values between two words occur equally often. ``words/sources.md`` says what the shipped ones are made
from, and ``tools/word_data`` makes them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from otherminds.core.errors import StudyError

_SHIPPED = Path(__file__).parent / "words" / "associations.npz"
_COLUMNS = ("cue", "response", "R123.Strength")
_LEAST_WORDS = 40


class Lexicon(Struct, frozen=True):
    """``associations[kind]`` is a symmetric table (words, words) of values from 0 to 1, with zeros on its diagonal."""

    words: tuple[str, ...]
    associations: Mapping[str, NDArray[np.float64]]


def rank_pairs(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of pairs with a smaller value in a symmetric table, for each pair; equal values have equal shares."""
    # Only a user's own file needs it, and it is slow to import.
    from scipy.stats import rankdata

    pairs = np.triu_indices(len(table), 1)
    shares = np.zeros(table.shape)
    ranks = rankdata(table[pairs], "min")
    shares[pairs] = (ranks - 1) / max(1, len(ranks) - 1)
    return shares + shares.T


@cache
def read_lexicon() -> Lexicon:
    """The shipped 400 words: ``taxonomic`` (the same kind of thing), ``thematic`` (used or found together), ``phonetic`` (sound
    alike)."""
    with np.load(_SHIPPED, allow_pickle=False) as arrays:
        words = tuple(arrays["words"].tolist())
        pairs = np.triu_indices(len(words), 1)
        tables: dict[str, NDArray[np.float64]] = {}
        for kind in sorted({*arrays.files} - {"words"}):
            table = np.zeros((len(words), len(words)))
            table[pairs] = arrays[kind] / 65535
            tables[kind] = table + table.T
    for table in tables.values():
        table.flags.writeable = False
    return Lexicon(words, tables)


def add_swow(lexicon: Lexicon, path: str | Path) -> Lexicon:
    """The words of ``lexicon`` that are cues in a file of *Small World of Words*, with one more table, ``swow``.

    Its licence forbids that we ship the file (``strength.SWOW-EN.R123…csv``; De Deyne et al. 2019); users may have it. The two
    directions of a pair are averaged. Pairs that nobody named have the association 0.

    Raises:
        StudyError: the file cannot be read, lacks a column, has a strength that is no share, or shares too few words.
    """
    number_of = {word: number for number, word in enumerate(lexicon.words)}
    table = np.zeros((len(number_of), len(number_of)))
    cues: set[int] = set()
    try:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines, delimiter="\t", strict=True)
            if lacking := [name for name in _COLUMNS if name not in (rows.fieldnames or ())]:
                raise StudyError(
                    f"{path}: the first line names no column {lacking[0]!r}; columns are separated by tabs"
                )
            for row in rows:
                cue, response, strength = (row[name] for name in _COLUMNS)
                if cue not in number_of or response not in number_of or cue == response:
                    continue
                try:
                    share = float(strength)
                except (TypeError, ValueError):
                    share = -1.0
                if not 0 <= share <= 1:
                    raise StudyError(
                        f"{path}, line {rows.line_num}: the strength {strength!r} is no number from 0 to 1"
                    )
                cues.add(number_of[cue])
                table[number_of[cue], number_of[response]] = share
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StudyError(f"{path}: no file of Small World of Words ({error})") from None
    if len(cues) < _LEAST_WORDS:
        raise StudyError(
            f"{path}: only {len(cues)} of its cues are words of these games; {_LEAST_WORDS} are needed"
        )
    kept = np.array(sorted(cues))
    cut = np.ix_(kept, kept)
    tables = {kind: table[cut] for kind, table in lexicon.associations.items()}
    return replace(
        lexicon,
        words=tuple(lexicon.words[number] for number in kept),
        associations=tables | {"swow": rank_pairs(((table + table.T) / 2)[cut])},
    )
