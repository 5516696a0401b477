"""The stored form of records, below any study."""

from __future__ import annotations

from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core import disk
from otherminds.core.errors import StudyError
from otherminds.core.record import EpisodeSpec, Record, SeatSpec, Timing
from otherminds.core.segments import hashed_line, lines_in, read_line, segment_lines

BLANK = st.sampled_from([b"\n", b" \n", b"\r\n", b"\t \n"])


def line(seed: int = 0) -> bytes:
    spec = EpisodeSpec("toy-v1", {"ego": SeatSpec("m")}, seed)
    record = Record(spec, ("ego",), {}, None, {}, None, [(0,), (1,)], [(1.0,), (0.5,)], {})
    return hashed_line(spec.hash, record, Timing(0.25))


@given(
    st.lists(
        st.one_of(BLANK, st.binary(min_size=1, max_size=40).map(lambda b: b.replace(b"\n", b"") + b"\n"))
    )
)
def test_rows_are_the_lines_that_are_not_blank(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes]
) -> None:
    """Numbers and offsets are those of the file, whatever the size of the pieces that are read."""
    path = tmp_path_factory.mktemp("rows") / "0.jsonl"
    whole = b"".join(parts)
    path.write_bytes(whole)
    expected = [(n, part) for n, part in enumerate(parts, 1) if part.strip()]
    for size in (1, 3, 2**20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(disk, "READ", size)
            found = list(segment_lines(path))
        assert [(row.number, row.raw) for row in found] == expected
        assert all(whole[row.offset :].startswith(row.raw) for row in found)


def test_a_line_has_a_maximal_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "LONGEST", 2**20)
    path = tmp_path / "0.jsonl"
    path.write_bytes(line() + b"\n" + b'{"episode":"' + b"x" * 2**21)
    with pytest.raises(StudyError, match=r"0\.jsonl: line 2 is damaged .it is longer than 1 MiB"):
        list(lines_in([path]))


@pytest.mark.parametrize("level", [1, 6, 19])
def test_a_segment_may_be_compressed_again(level: int, tmp_path: Path) -> None:
    path = tmp_path / "0.jsonl.zst"
    path.write_bytes(
        zstandard.ZstdCompressor(level=level).compress(b"".join(line(n) + b"\n" for n in range(3)))
    )
    assert [one.record().spec.seed for one in lines_in([path])] == [0, 1, 2]


def test_every_bit_of_a_line_counts() -> None:
    """All but the figures of the clock, which no hash covers, are damage."""
    whole = line()
    clock = whole.index(b'"timing":') + len(b'"timing":')
    for n in range(clock):
        for bit in (1, 32):
            with pytest.raises(StudyError):
                read_line(whole[:n] + bytes([whole[n] ^ bit]) + whole[n + 1 :])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"rewards":[[1.0],', b'"rewards":[', "rows of actions"),
        (b'"rewards":[[1.0],', b'"rewards":[[1.0,2.0],', "one entry a seat"),
        (b'"rewards":[[1.0],', b'"rewards":[[],', "one entry a seat"),
        (b'"seats":["ego"]', b'"seats":["other"]', "its seats are not those of its episode"),
        (b'"met":{}', b'"met":{"ego":[[2,{"ego":["a"]},0.0]]}', "at step 2 of 2"),
        (b'"met":{}', b'"met":{"ego":[[0,{"other":["a"]},0.0]]}', "not one of its seats"),
        (b'"asked":[]', b'"asked":[[0,0,1,1,null]]', "a question that it does not have"),
        (
            b'"notes":[]',
            b'"notes":[{"seat":"other","step":0,"kind":"k","data":1}]',
            "a seat that it does not have",
        ),
    ],
)
def test_parts_that_do_not_fit_together_are_named(old: bytes, new: bytes, said: str) -> None:
    from hashlib import sha256

    whole = line()
    start, end = whole.index(b'"body":') + 7, whole.index(b',"timing"')
    body = whole[start:end]
    assert old in body
    body = body.replace(old, new)
    digest = sha256(body).hexdigest().encode()
    head = whole[: whole.index(b'"hash":"') + 8]
    forged = read_line(head + digest + b'","body":' + body + whole[end:], "here: line 3")
    with pytest.raises(StudyError, match=f"here: line 3 is damaged .*{said}"):
        forged.record()
