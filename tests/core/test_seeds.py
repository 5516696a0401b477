import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.encoding import derive, stream
from tests.cases import for_each

PATHS: tuple[tuple[str | int, ...], ...] = (
    ("mind", "ego"),
    ("mind", "partner_0"),
    ("call", "ego", 3, "act", 0),
    (),
)
CODE = f"""
from otherminds.core.encoding import derive, stream
for path in {PATHS!r}:
    print(derive(7, *path), stream(7, *path).random())
"""

SEPARATOR = "\x1f"
"""Keeps the parts of a path apart; no name of a seat, mind or purpose holds it."""

parts = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters=SEPARATOR), max_size=6), st.integers(0, 20)
)
paths = st.lists(parts, max_size=4).map(tuple)


@for_each("hashseed", ["0", "1", "random"])
def test_the_same_in_every_process_and_under_every_hash_seed(hashseed: str) -> None:
    said = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, "PYTHONHASHSEED": hashseed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    here = "".join(f"{derive(7, *path)} {stream(7, *path).random()}\n" for path in PATHS)
    assert said == here


def test_values_do_not_change_between_versions() -> None:
    """Records name only a seed, so a changed derivation would make them unrepeatable."""
    assert derive(7, "mind", "ego") == 11856156101808798590
    assert stream(7, "mind", "ego").random() == 0.38187448083072717


@given(seed=st.integers(0, 2**40), one=paths, two=paths)
def test_different_paths_have_different_seeds(
    seed: int, one: tuple[str | int, ...], two: tuple[str | int, ...]
) -> None:
    same = [(type(x), x) for x in one] == [(type(x), x) for x in two]
    assert (derive(seed, *one) == derive(seed, *two)) == same


def test_a_number_is_not_its_digits_and_parts_do_not_run_together() -> None:
    assert derive(1, 2) != derive(1, "2")
    assert derive(1, "ab", "c") != derive(1, "a", "bc")
    assert derive(1, "a") != derive(2, "a")
    assert derive(12, "3") != derive(1, "23")


def test_a_stream_does_not_hang_on_what_was_drawn_elsewhere() -> None:
    alone = stream(5, "mind", "partner_0").random()
    other = stream(5, "mind", "ego")
    for _ in range(10):
        other.random()
    assert stream(5, "mind", "partner_0").random() == alone


@given(seed=st.integers(), path=paths)
def test_seeds_have_64_bits(seed: int, path: tuple[str | int, ...]) -> None:
    assert 0 <= derive(seed, *path) < 2**64
