"""Puts known errors into a copy of the package, one at a time, and runs the tests that must notice each.

    python tools/mutants.py [NAME ...]     # all mutants of tests/mutants/mutants.toml by default

The named tests run once on an unchanged copy, which they must pass, and then on a copy with each mutant. Progress goes to
the standard error stream and a table to the standard output. Exit code 1 unless every mutant is killed. All of them need
the packages of ``requirements/extras.txt``.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Literal, NamedTuple

ROOT = Path(__file__).parent.parent
FILE = Path("tests/mutants/mutants.toml")
PACKAGE = Path("src/otherminds")
MOST_AT_ONCE = 2
LONGEST = 300.0
"""Seconds for the tests of a mutant. One that ends in no time is killed: its tests end on the unchanged package."""
PASSED, FAILED = 0, 1
"""Exit codes of pytest. All others mean that the tests did not run."""

Verdict = Literal["killed", "survived", "stale", "broken"]
"""``stale``: its text is not found in exactly one place. ``broken``: its tests cannot be run, as where a module cannot be imported."""


class StaleError(Exception):
    """The text of a mutant or the name of a test is not found in exactly one place."""


class Mutant(NamedTuple):
    """An error: ``old`` becomes ``new`` in ``module``, which breaks ``promise``; one of ``tests`` must fail.

    ``module`` and the files of ``tests`` say where to look first. A text that has moved is found where it is now.
    """

    name: str
    module: str
    old: str
    new: str
    promise: str
    tests: tuple[str, ...]


class Outcome(NamedTuple):
    """What became of one mutant, after how many seconds; ``detail`` is the end of pytest's output or the reason."""

    mutant: Mutant
    verdict: Verdict
    seconds: float
    detail: str


def read_mutants(root: Path = ROOT) -> list[Mutant]:
    """The mutants of :data:`FILE`, in its order."""
    with (root / FILE).open("rb") as file:
        tables = tomllib.load(file)
    return [Mutant(name=name, **{**table, "tests": tuple(table["tests"])}) for name, table in tables.items()]


def find_file(texts: Sequence[str], first: Path, folder: Path) -> Path:
    """The file with one of ``texts``: ``first`` if it has one, else the only one below ``folder``.

    Raises:
        StaleError: none is there, or not in exactly one place.
    """
    for paths in ([first] if first.is_file() else [], sorted(folder.rglob("*.py"))):
        sources = {path: path.read_text(encoding="utf-8") for path in paths}
        places = [
            path for path, source in sources.items() for text in texts for _ in range(source.count(text))
        ]
        if len(places) == 1:
            return places[0]
        if places:
            break
    raise StaleError(f"{len(places)} times below {folder.name}: {texts[0].strip()}")


def find_source(mutant: Mutant, root: Path) -> Path:
    """The file that ``mutant`` changes.

    Raises:
        StaleError: its text is not there exactly once.
    """
    path = (root / "src").joinpath(*mutant.module.split("."))
    module = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return find_file([mutant.old], module, root / PACKAGE)


def find_test(test: str, root: Path) -> str:
    """``test``, a pytest node such as ``tests/core/test_log.py::test_tails``, with the file in which it is now.

    Raises:
        StaleError: there is no such test, or there are several.
    """
    file, _, names = test.partition("::")
    name = names.partition("::")[0].partition("[")[0]
    definitions = [
        f"\n{kind} {name}{end}"
        for kind, end in (("def", "("), ("async def", "("), ("class", "("), ("class", ":"))
    ]
    return f"{find_file(definitions, root / file, root / 'tests').relative_to(root)}::{names}"


def try_mutant(mutant: Mutant, root: Path) -> Outcome:
    """Runs the tests of ``mutant`` on a copy of the package that has its error."""
    started = monotonic()
    try:
        tests = [find_test(test, root) for test in mutant.tests]
        source = find_source(mutant, root)
    except StaleError as error:
        return Outcome(mutant, "stale", monotonic() - started, str(error))
    with TemporaryDirectory() as folder:
        path = copy_package(root, Path(folder)) / source.relative_to(root / "src")
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
        started = monotonic()
        code, output = run_tests(tests, root, Path(folder), LONGEST)
    verdicts: dict[int | None, Verdict] = {PASSED: "survived", FAILED: "killed", None: "killed"}
    return Outcome(mutant, verdicts.get(code, "broken"), monotonic() - started, output[-1500:])


def copy_package(root: Path, folder: Path) -> Path:
    """Copies ``src`` of ``root`` into ``folder``, without the compiled kernels: numba does not see what they import change."""
    return Path(
        shutil.copytree(root / "src", folder / "src", ignore=shutil.ignore_patterns("*.nbi", "*.nbc"))
    )


def run_tests(tests: Iterable[str], root: Path, folder: Path, seconds: float) -> tuple[int | None, str]:
    """The exit code and the output of pytest for the package in ``folder``; no code if it did not end in time."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--tb=short", *tests]
    path = os.pathsep.join((str(folder / "src"), str(root)))
    process = subprocess.Popen(
        command,
        cwd=root,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, f"no end after {seconds:g} s"
    else:
        return process.returncode, output
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)  # with the processes that it started
            process.wait()


def try_mutants(mutants: Sequence[Mutant], root: Path) -> Iterator[Outcome]:
    """The outcomes as they come, :data:`MOST_AT_ONCE` mutants at a time and no more than there are processors."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with ThreadPoolExecutor(min(MOST_AT_ONCE, processors)) as pool:
        for done in as_completed([pool.submit(try_mutant, mutant, root) for mutant in mutants]):
            yield done.result()


def check_unchanged(mutants: Iterable[Mutant], root: Path) -> str:
    """What goes wrong with the tests of ``mutants`` without any mutant; empty if they pass. Stale tests are left out."""
    tests: dict[str, None] = {}
    for mutant in mutants:
        try:
            tests |= dict.fromkeys([find_test(test, root) for test in mutant.tests])
        except StaleError:
            continue
    if not tests:
        return ""
    with TemporaryDirectory() as folder:
        copy_package(root, Path(folder))
        code, output = run_tests(tests, root, Path(folder), 3 * LONGEST)
    return "" if code == PASSED else output[-3000:]


def format_table(mutants: Sequence[Mutant], outcomes: Iterable[Outcome]) -> str:
    """A table in Markdown of all mutants in their order, and a sentence that counts them."""
    by_name = {outcome.mutant.name: outcome for outcome in outcomes}
    rows = ["| mutant | module | the promise that it breaks | verdict | s |", "|---|---|---|---|---:|"]
    rows += [
        f"| {mutant.name} | {mutant.module.removeprefix('otherminds.')} | {mutant.promise} | "
        f"{by_name[mutant.name].verdict} | {by_name[mutant.name].seconds:.1f} |"
        for mutant in mutants
    ]
    verdicts = [outcome.verdict for outcome in by_name.values()]
    counts = ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts))
    seconds = sum(outcome.seconds for outcome in by_name.values())
    return "\n".join([*rows, "", f"{len(verdicts)} mutants: {counts}. {seconds:.0f} s of tests."])


def main(names: Sequence[str], root: Path = ROOT) -> int:
    """Tries the mutants called ``names``, all if there are none; 1 if one is not killed."""
    mutants = read_mutants(root)
    if unknown := {*names} - {mutant.name for mutant in mutants}:
        print(f"no mutant {', '.join(sorted(unknown))} in {FILE}", file=sys.stderr)
        return 1
    mutants = [mutant for mutant in mutants if not names or mutant.name in names]
    if fault := check_unchanged(mutants, root):
        print(f"{fault}\nthe tests fail without any mutant", file=sys.stderr)
        return 1
    outcomes: list[Outcome] = []
    for outcome in try_mutants(mutants, root):
        outcomes.append(outcome)
        progress = f"[{len(outcomes)}/{len(mutants)}] {outcome.verdict:8} {outcome.seconds:5.1f} s {outcome.mutant.name}"
        print(progress, file=sys.stderr, flush=True)
        if outcome.verdict != "killed":
            print(outcome.detail, file=sys.stderr, flush=True)
    print(format_table(mutants, outcomes))
    return int(any(outcome.verdict != "killed" for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
