"""``otherminds selfcheck``: a table or a line of JSON, and an exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from otherminds.selfcheck import check
from otherminds.selfcheck.check import PromiseTrial
from tests.cli.running import otherminds


def test_the_table_has_the_promise_its_attack_and_its_figure() -> None:
    done = otherminds("selfcheck", "optima")
    assert done.returncode == 0, done
    words = " ".join(done.stdout.split())
    assert "Exact optima are those of" in words
    assert "largest" in words
    assert done.stdout.splitlines()[-1].startswith("holds: 1, fails: 0, not tried: 0 (")
    assert done.stderr.splitlines()[0] == "1/1 optima"


def test_json_has_each_promise() -> None:
    done = otherminds("selfcheck", "optima", "--json")
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    assert found["counts"] == {"holds": 1, "fails": 0, "not tried": 0}
    (promise,) = found["promises"]
    assert set(promise) == {"name", "promise", "tried", "figure", "verdict", "seconds"}
    assert (promise["name"], promise["verdict"]) == ("optima", "holds")


@pytest.mark.parametrize(("verdict", "code"), [("holds", 0), ("not tried", 0), ("fails", 1)])
def test_the_exit_code_says_whether_one_fails(
    verdict: Any, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def try_all(checks: Any, before: Any) -> Iterator[PromiseTrial]:
        yield PromiseTrial("optima", "p", "t", "f", "holds", 0.0)
        yield PromiseTrial("seeds", "p", "t", "a\x1b[31m \x07figure", verdict, 0.0)

    monkeypatch.setattr(check, "try_all", try_all)
    for words in ((), ("--json",)):
        done = otherminds("selfcheck", *words)
        assert done.returncode == code
        assert "\x1b" not in done.stdout
        assert "\x07" not in done.stdout


def test_an_unknown_name_is_refused() -> None:
    done = otherminds("selfcheck", "monney")
    assert done.returncode == 2
    assert done.stderr.startswith("otherminds: no promise is called 'monney'; did you mean money?")
    assert done.stderr.count("\n") == 1


def test_the_command_line_is_ready_before_any_check_is_imported() -> None:
    """The checks import all worlds, which takes longer than most commands."""
    code = (
        "import sys; from otherminds.cli.main import app; import otherminds.selfcheck.command\n"
        "print(*(name for name in sys.modules if name.startswith('otherminds.selfcheck')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["otherminds.selfcheck", "otherminds.selfcheck.command"]
