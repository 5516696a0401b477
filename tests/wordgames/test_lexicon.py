"""Associations between words: the shipped ones, and those of a user's own file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from otherminds.core.errors import StudyError
from otherminds.wordgames.lexicon import Lexicon, add_swow, rank_pairs, read_lexicon
from tests.cases import for_each

HEAD = "\tcue\tresponse\tR123\tN\tR123.Strength\n"


def strongest(kind: str, word: str, count: int) -> list[str]:
    lexicon = read_lexicon()
    row = lexicon.associations[kind][lexicon.words.index(word)]
    return [lexicon.words[number] for number in np.argsort(-row)[:count]]


def test_there_are_400_words_and_three_symmetric_tables_with_values_from_0_to_1() -> None:
    lexicon = read_lexicon()
    assert len(lexicon.words) == len({*lexicon.words}) == 400
    assert {*lexicon.associations} == {"taxonomic", "thematic", "phonetic"}
    for table in lexicon.associations.values():
        assert table.shape == (400, 400)
        assert np.array_equal(table, table.T)
        assert not table.diagonal().any()
        assert table.min() == 0
        assert table.max() == 1


def test_pairs_of_a_table_are_spread_evenly_from_0_to_1() -> None:
    pairs = np.triu_indices(400, 1)
    for table in read_lexicon().associations.values():
        shares = np.arange(0.1, 1, 0.1)
        below = [np.mean(table[pairs] < share) for share in shares]
        assert np.allclose(below, shares, atol=0.07)


def test_no_table_can_be_told_from_another_one() -> None:
    pairs = np.triu_indices(400, 1)
    rows = [table[pairs] for table in read_lexicon().associations.values()]
    assert np.abs(np.corrcoef(rows) - np.eye(3)).max() < 0.05


@for_each(
    ("kind", "word", "near"),
    [
        ("taxonomic", "dog", "wolf"),
        ("taxonomic", "guitar", "violin"),
        ("thematic", "bread", "oven"),
        ("thematic", "doctor", "hospital"),
        ("phonetic", "dog", "duck"),
        ("phonetic", "rain", "train"),
    ],
)
def test_each_table_associates_what_its_name_says(kind: str, word: str, near: str) -> None:
    assert near in strongest(kind, word, 4)
    others = {"taxonomic", "thematic", "phonetic"} - {kind}
    assert all(near not in strongest(other, word, 4) for other in others)


def test_shipped_tables_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        read_lexicon().associations["taxonomic"][0, 1] = 1


@given(arrays(np.int8, (6, 6), elements=st.integers(0, 5)))
def test_a_rank_is_the_share_of_weaker_pairs(numbers: np.ndarray) -> None:
    table = (numbers + numbers.T).astype(float)
    pairs = [table[i, j] for i in range(6) for j in range(i)]
    ranks = rank_pairs(table)
    for i in range(6):
        for j in range(i):
            weaker = sum(value < table[i, j] for value in pairs)
            assert ranks[i, j] == ranks[j, i] == weaker / (len(pairs) - 1)


def write_strengths(folder: Path, rows: list[tuple[str, str, str]]) -> Path:
    path = folder / "strength.csv"
    path.write_text(
        HEAD + "".join(f"1\t{cue}\t{response}\t9\t90\t{value}\n" for cue, response, value in rows), "utf-8"
    )
    return path


def list_rows(count: int) -> list[tuple[str, str, str]]:
    words = read_lexicon().words
    return [(word, words[number + 1], "0.1") for number, word in enumerate(words[:count])]


def test_a_users_file_of_small_world_of_words_becomes_one_more_table(tmp_path: Path) -> None:
    lexicon = read_lexicon()
    first, second, third = lexicon.words[:3]
    rows = [*list_rows(60)[1:], (first, second, "0.5"), (second, first, "0.3"), (first, "unheard", "0.9")]
    added = add_swow(lexicon, write_strengths(tmp_path, rows))
    assert added.words == lexicon.words[:60]
    swow = added.associations["swow"]
    assert swow[0, 1] == 1
    assert swow[0, 2] == 0
    assert 0 < swow[1, 2] < 1
    place = [added.words.index(first), lexicon.words.index(third)]
    assert added.associations["taxonomic"][place[0], 2] == lexicon.associations["taxonomic"][0, place[1]]


@for_each(
    ("text", "message"),
    [
        ("", "the first line names no column 'cue'"),
        ("cue,response,R123.Strength\n", "the first line names no column 'cue'"),
        (HEAD, "only 0 of its cues"),
        (HEAD + "1\tdog\tcat\t9\t90\tmany\n", "line 2: the strength 'many'"),
        (HEAD + "1\tdog\tcat\t9\t90\tnan\n", "line 2: the strength 'nan'"),
        (HEAD + "1\tdog\tcat\t9\t90\t-1\n", "line 2: the strength '-1'"),
        (HEAD + "1\tdog\tcat\n", "line 2: the strength None"),
        (HEAD + '1\t"dog\n', "no file of Small World of Words"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "strength.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(StudyError) as caught:
        add_swow(read_lexicon(), path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@for_each("content", [b"\xff\xfe\x00", None])
def test_bytes_that_are_no_text_and_a_folder_are_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / f"strength-{content is None}"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(StudyError, match="no file of Small World of Words"):
        add_swow(Lexicon((), {}), path)
