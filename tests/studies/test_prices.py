"""Price files: read strictly, kept with the run."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from otherminds.core.disk import DiskError
from otherminds.core.errors import StudyError
from otherminds.core.model import Price, Usage
from otherminds.studies.access import SpentTokens, keep_prices, kept_prices, load_prices


def test_a_table_for_each_model(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        '["openai:a"]\ninput = 1\noutput = 2.5\n[smollm2]\ninput = 0\noutput = 0\ncached_input = 0\n'
    )
    prices = load_prices(path)
    assert prices == {"openai:a": Price(1.0, 2.5), "smollm2": Price(0, 0, 0)}
    keep_prices(tmp_path, prices)
    assert kept_prices(tmp_path) == prices


def test_a_run_without_prices_has_none(tmp_path: Path) -> None:
    keep_prices(tmp_path, {})
    assert list(tmp_path.iterdir()) == []
    assert kept_prices(tmp_path) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[a]\ninput = 1\n", r"missing required field `output`.*\$\[\.\.\.\].*write a table for each model"),
        ('[a]\ninput = "1"\noutput = 1\n', "Expected `float`, got `str`"),
        ("[a]\ninput = -1\noutput = 1\n", "a: a price is a finite number of at least 0, not -1"),
        ("[a]\ninput = nan\noutput = 1\n", "a: a price is a finite number of at least 0, not nan"),
        ("[a]\ninput = 1\noutput = inf\n", "a: a price is a finite number of at least 0, not inf"),
        ("[a]\ninput = 1\noutput = 1\ncached_imput = 1\n", "unknown field `cached_imput`"),
        ("a = 1\n", "Expected `object`, got `int`"),
        ("[a", "not TOML"),
    ],
)
def test_a_bad_file_is_named_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(StudyError, match=f"(?s)prices.toml: .*{said}"):
        load_prices(path)


def test_damaged_prices_of_a_run_are_named(tmp_path: Path) -> None:
    (tmp_path / "prices.json").write_text('{"a": {"input": null}}')
    with pytest.raises(StudyError, match=r"prices\.json: is damaged .*delete it, or give --prices"):
        kept_prices(tmp_path)


def test_a_missing_file_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no such price file; write one with"):
        load_prices(tmp_path / "none.toml")


def test_sums_are_exact_up_to_63_bits_and_refused_beyond(tmp_path: Path) -> None:
    """Of this run and of those that were merged into it; floating-point sums would lose the last bits."""
    spent = SpentTokens(tmp_path / "calls.sqlite")
    most = 2**63 - 1
    spent.pay("m", Usage(most // 2, 5, 0))
    spent.take("a", [("m", Usage(most // 2 - 12, 2, 3)), ("n", Usage(1, 0, 2))])
    assert dict(spent.totals()) == {"m": Usage(most - 13, 7, 3), "n": Usage(1, 0, 2)}
    spent.take("b", [("n", Usage(1, 0, 0))])
    with pytest.raises(DiskError, match="more tokens than can be counted"):
        dict(spent.totals())
    spent.close()


def test_a_reservation_counts_until_it_is_paid_also_if_its_process_is_killed(tmp_path: Path) -> None:
    """Each process pays its own reservations; those of a killed one count for good."""
    path, most, used = tmp_path / "calls.sqlite", Usage(100, 50, 0, 100, 50), Usage(90, 10, 80)
    killed = (
        "import os, pathlib, signal, sys\n"
        "from otherminds.core.model import Usage\n"
        "from otherminds.studies.access import SpentTokens\n"
        "spent = SpentTokens(pathlib.Path(sys.argv[1]))\n"
        "spent.pay('m', Usage(90, 10, 80), spent.reserve('m', Usage(100, 50, 0, 100, 50)))\n"
        "spent.reserve('m', Usage(100, 50, 0, 100, 50))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with closing(SpentTokens(path)) as first:
        running = first.reserve("m", most)
        assert dict(first.totals()) == {"m": most}
        done = subprocess.run([sys.executable, "-c", killed, str(path)], check=False)
        assert done.returncode == -signal.SIGKILL
        with closing(SpentTokens(path)) as second:
            number = second.reserve("n", most)
            second.pay("n", used, number)
            assert dict(second.totals()) == {"m": most + used + most, "n": used}
        first.pay("m", used, running)
        assert dict(first.totals()) == {"m": used + used + most, "n": used}
        first.pay("m", Usage(), first.reserve("m", most))
        assert dict(first.totals()) == {"m": used + used + most, "n": used}


def test_sums_of_an_earlier_version_go_on(tmp_path: Path) -> None:
    """Its tables have no columns of estimated tokens."""
    path = tmp_path / "calls.sqlite"
    counts = "prompt INTEGER NOT NULL, completion INTEGER NOT NULL, cached INTEGER NOT NULL"
    with closing(sqlite3.connect(path)) as old, old:
        old.execute(f"CREATE TABLE spent (model TEXT PRIMARY KEY, {counts}) STRICT")
        old.execute(
            f"CREATE TABLE taken (source TEXT NOT NULL, model TEXT NOT NULL, {counts}, PRIMARY KEY (source, model)) STRICT"
        )
        old.execute("INSERT INTO spent VALUES ('m', 10, 2, 3)")
        old.execute("INSERT INTO taken VALUES ('a', 'm', 1, 1, 1)")
    for more in (0, 1):
        spent = SpentTokens(path)
        assert dict(spent.totals()) == {"m": Usage(11 + 5 * more, 3 + 5 * more, 4, 5 * more, 5 * more)}
        if not more:
            spent.pay("m", Usage(5, 5, 0, 5, 5))
        spent.close()


@pytest.mark.parametrize(
    "price", ['{"input": -1, "output": 1}', '{"input": 1, "output": 1, "cached_input": -1}']
)
def test_negative_prices_of_a_run_are_refused(tmp_path: Path, price: str) -> None:
    (tmp_path / "prices.json").write_text(f'{{"a": {price}}}')
    with pytest.raises(StudyError, match=r"prices\.json: is damaged .*at least 0"):
        kept_prices(tmp_path)
