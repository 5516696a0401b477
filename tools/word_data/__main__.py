"""``python -m tools.word_data WORDNET VECTORS CMUDICT OUT``: makes the associations between 400 words that word games use.

WORDNET is the folder ``dict`` of WordNet 3.1, VECTORS the file of word vectors, CMUDICT the folder of the pronouncing dictionary, and OUT
the file ``associations.npz``. ``src/otherminds/wordgames/words/sources.md`` names the archives they come from. The same
files give the same bytes.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from otherminds.wordgames.lexicon import rank_pairs

WORDS = tuple((Path(__file__).parent / "words.txt").read_text("utf-8").split())
TIE = 1e-6
"""Weight of a second similarity, which orders pairs that are equal by the first: the cosine of the vectors where two pairs are equally
far apart in WordNet, the spelling where they sound equally alike."""
LEVELS = 50


class Hypernyms:
    """The tree of hypernyms above the first noun sense of words."""

    def __init__(self, folder: Path) -> None:
        self._parents: dict[int, tuple[int, ...]] = {}
        for line in _list_rows(folder / "data.noun"):
            fields = line.split(" | ")[0].split()
            first = 4 + 2 * int(fields[3], 16)
            pointers = [
                fields[first + 1 + 4 * number : first + 5 + 4 * number]
                for number in range(int(fields[first]))
            ]
            self._parents[int(fields[0])] = tuple(
                int(place) for kind, place, part, _ in pointers if kind in ("@", "@i") and part == "n"
            )
        # A row ends in the places of the synsets of a word, the most frequent sense first.
        self._senses = {
            row[0]: int(row[-int(row[2])]) for row in map(str.split, _list_rows(folder / "index.noun"))
        }

    @cache  # noqa: B019 - one object lives as long as the process
    def heights(self, synset: int) -> Mapping[int, int]:
        """The synsets above ``synset`` and itself, each with the least number of steps to it."""
        steps = {synset: 0}
        for parent in self._parents[synset]:
            for above, height in self.heights(parent).items():
                steps[above] = min(height + 1, steps.get(above, height + 1))
        return steps

    @cache  # noqa: B019 - see above
    def depth(self, synset: int) -> int:
        """The number of synsets on the shortest way up to the root, with both ends."""
        return (
            1 + max(self.heights(synset).values())
            if not self._parents[synset]
            else 1 + min(self.depth(parent) for parent in self._parents[synset])
        )

    def similarity(self, first: str, second: str) -> float:
        """Wu and Palmer (1994): twice the depth of the deepest common hypernym over the lengths of both ways through it."""
        one, other = (self.heights(self._senses[word]) for word in (first, second))
        return max(
            2 * self.depth(above) / (2 * self.depth(above) + one[above] + other[above])
            for above in one.keys() & other.keys()
        )


def _list_rows(path: Path) -> list[str]:
    """The rows of a file of WordNet, whose licence stands in the rows that begin with spaces."""
    return [line for line in path.read_text("utf-8").splitlines() if not line.startswith("  ")]


def read_vectors(path: Path) -> NDArray[np.float64]:
    """The vectors of :data:`WORDS`, (words, 100), of length 1."""
    heads = re.compile('"(' + "|".join(WORDS) + r')":\s*(?=\[)')
    text = path.read_text("utf-8")
    rows: dict[str, list[float]] = {}
    for head in heads.finditer(text, text.index('"vectors":{')):
        row, _ = json.JSONDecoder().raw_decode(text, head.end())
        rows[head[1]] = row[:100]
    if missing := [word for word in WORDS if word not in rows]:
        raise SystemExit(f"{path} has no vectors of {', '.join(missing)}")
    vectors = np.array([rows[word] for word in WORDS])
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def read_sounds(path: Path) -> dict[str, tuple[str, ...]]:
    """The first pronunciation of every word, without stress, from ``cmudict.dict``."""
    sounds: dict[str, tuple[str, ...]] = {}
    for line in path.read_text("utf-8").splitlines():
        word, *phonemes = line.split("#")[0].split()
        sounds[word] = tuple(phoneme.rstrip("012") for phoneme in phonemes)
    return sounds


def read_manners(path: Path) -> dict[str, str]:
    """The manner of articulation of every phoneme, from ``cmudict.phones``: vowel, stop, nasal, …"""
    return dict(line.split() for line in path.read_text("utf-8").splitlines())


def compare(first: Sequence[str], second: Sequence[str], manners: Mapping[str, str]) -> float:
    """1 less Levenshtein's distance between two rows of phonemes or letters, over the length of the longer one.

    To replace one by another of the same manner counts as half an edit.
    """
    row: list[float] = [*range(len(second) + 1)]
    for place, sound in enumerate(first, 1):
        before, row[0] = row[0], place
        for number, other in enumerate(second, 1):
            alike = sound in manners and manners[sound] == manners[other]
            edit = 0.0 if sound == other else 0.5 if alike else 1.0
            before, row[number] = row[number], min(row[number] + 1, row[number - 1] + 1, before + edit)
    return 1 - row[-1] / max(len(first), len(second))


def fill(similarity: Callable[[str, str], float]) -> NDArray[np.float64]:
    """The symmetric table of a similarity of all pairs of words."""
    table = np.zeros((len(WORDS), len(WORDS)))
    for i, first in enumerate(WORDS):
        for j in range(i):
            table[i, j] = table[j, i] = similarity(first, WORDS[j])
    return table


def subtract_level(table: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """A table less its mean over the pairs that are about equally high, in :data:`LEVELS` parts, in another table."""
    levels = np.minimum((rank_pairs(other) * LEVELS).astype(int), LEVELS - 1)
    pairs = np.triu_indices(len(table), 1)
    counts = np.bincount(levels[pairs], minlength=LEVELS)
    means = np.bincount(levels[pairs], table[pairs], LEVELS) / np.maximum(counts, 1)
    return table - means[levels]


def main() -> None:
    """Reads the four paths and writes the file."""
    parser = argparse.ArgumentParser(prog="python -m tools.word_data", description=__doc__)
    for name in ("wordnet", "vectors", "cmudict", "out"):
        parser.add_argument(name, type=Path)
    given = parser.parse_args()
    hypernyms, vectors = Hypernyms(given.wordnet), read_vectors(given.vectors)
    sounds = read_sounds(given.cmudict / "cmudict.dict")
    manners = read_manners(given.cmudict / "cmudict.phones")
    cosines = vectors @ vectors.T
    tables = {"taxonomic": fill(hypernyms.similarity) + TIE * cosines}
    tables["thematic"] = subtract_level(cosines, tables["taxonomic"])
    sounding = fill(lambda first, second: compare(sounds[first], sounds[second], manners))
    spelling = fill(lambda first, second: compare(first, second, {}))
    tables["phonetic"] = sounding + TIE * spelling
    pairs = np.triu_indices(len(WORDS), 1)
    arrays = {
        name: np.round(65535 * rank_pairs(table)[pairs]).astype(np.uint16) for name, table in tables.items()
    }
    with zipfile.ZipFile(given.out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in ({"words": np.array(WORDS)} | arrays).items():
            stream = io.BytesIO()
            np.lib.format.write_array(stream, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), stream.getvalue(), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
