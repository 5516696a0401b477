"""A check plays in a process of its own: whatever ends it is one row."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherminds.core.errors import StudyError, UnknownNameError
from otherminds.selfcheck.check import Check, NotTriedError, try_all, try_apart, try_here
from otherminds.selfcheck.promises import CHECKS, choose


def add(folder: Path) -> str:
    assert folder.is_dir()
    assert not [*folder.iterdir()]
    return "4"


QUICK = Check("Two and two are four.", "They are added.", add)


def raising(error: Exception) -> Check:
    def attempt(folder: Path) -> str:
        raise error

    return Check("A promise.", "An error.", attempt)


def test_a_figure_comes_with_the_promise_and_how_it_was_tried(tmp_path: Path) -> None:
    trial = try_here("sum", QUICK, tmp_path)
    assert (trial.promise, trial.tried, trial.figure) == ("Two and two are four.", "They are added.", "4")
    assert trial.verdict == "holds"


@pytest.mark.parametrize(
    ("error", "verdict", "figure"),
    [
        (AssertionError("promised: 4; happened: 5"), "fails", "promised: 4; happened: 5"),
        (StudyError("a study is wrong"), "fails", "StudyError: a study is wrong"),
        (NotTriedError("no machine"), "not tried", "no machine"),
    ],
)
def test_errors_decide(error: Exception, verdict: str, figure: str, tmp_path: Path) -> None:
    trial = try_here("raising", raising(error), tmp_path)
    assert (trial.verdict, trial.figure) == (verdict, figure)


def test_a_check_in_a_process_of_its_own() -> None:
    trial = try_apart("optima", CHECKS["optima"])
    assert trial.verdict == "holds", trial


def test_a_check_that_ends_with_another_error_fails() -> None:
    """Here, its process knows no check of that name."""
    trial = try_apart("nothing", QUICK)
    assert (trial.verdict, trial.promise) == ("fails", "Two and two are four.")
    assert trial.figure == "KeyError: 'nothing'"


def test_a_check_that_hangs_fails_and_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands of the check would begin a study after its end."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    trial = try_apart("resume", CHECKS["resume"], seconds=0.5)
    assert (trial.verdict, trial.figure) == ("fails", "it had not ended after 0.5 s")
    assert not [*tmp_path.iterdir()]


def test_all_are_tried_in_their_order() -> None:
    said: list[str] = []
    trials = [*try_all(choose(["import", "optima"]), said.append)]
    assert said == [trial.name for trial in trials] == ["optima", "import"]


def test_names_choose_promises() -> None:
    assert choose([]) == CHECKS
    assert list(choose(["runner", "hidden"])) == ["hidden", "runner"]
    with pytest.raises(
        UnknownNameError, match=r"no promise is called 'optimum'; did you mean optima.*the names are hidden"
    ):
        choose(["optimum"])
    with pytest.raises(UnknownNameError) as refused:
        choose(["zzz"])
    assert str(refused.value) == f"no promise is called 'zzz'; the names are {', '.join(CHECKS)}"
