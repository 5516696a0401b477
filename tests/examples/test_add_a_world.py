"""A world of another package is found by its entry points, and is played, scored, reported and shown as ours are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.cli.running import otherminds

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "examples" / "add_a_world"
PROMISES = Path(__file__).with_name("promises_of_hide_and_seek.py")
LONGEST = 250


def write_metadata(site: Path) -> None:
    """Writes the metadata of an installed distribution from the package's ``pyproject.toml``."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    folder = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    groups = (
        "\n".join([f"[{group}]", *(f"{name} = {value}" for name, value in points.items())])
        for group, points in project["entry-points"].items()
    )
    (folder / "entry_points.txt").write_text("\n\n".join(groups))


class Installed:
    """Runs Python where the package is importable and has its metadata."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        paths = [folder, PACKAGE, ROOT / "src", ROOT, os.environ.get("PYTHONPATH", "")]
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, map(str, paths)))}

    def run(self, *words: object) -> str:
        """What ``python WORDS`` prints; it must succeed."""
        done = subprocess.run(
            [sys.executable, *map(str, words)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "left out" not in done.stderr, "no entry point of the package is broken"
        return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    site = tmp_path_factory.mktemp("site")
    write_metadata(site)
    return Installed(site)


COMMANDS = {
    "run": (
        "run",
        ROOT / "examples" / "hide_and_seek.toml",
        "--episodes",
        8,
        "--out",
        "run",
        "--executor",
        "processes:1",
    ),
    "list": ("list", "scenarios"),
    "report as JSON": ("report", "run", "--json"),
    "report": ("report", "run"),
    "report as a page": ("report", "run", "--page"),
    "replay": ("replay", "run", 0, "--page", "episode.html", "--prompts"),
}
SCRIPT = """
import json, sys
from tests.cli.running import otherminds
if __name__ == "__main__":
    print(json.dumps({name: otherminds(*words) for name, words in json.loads(sys.argv[1]).items()}))
"""


@pytest.fixture(scope="module")
def printed(installed: Installed) -> dict[str, str]:
    """What each command prints, all in one process, which has the package."""
    script = installed.folder / "commands.py"
    script.write_text(SCRIPT)
    commands = {name: [*map(str, words)] for name, words in COMMANDS.items()}
    done = json.loads(installed.run(script, json.dumps(commands)))
    for name, (code, _, errors) in done.items():
        assert code == 0, (name, errors)
        assert "left out" not in errors, "no entry point of the package is broken"
    return {name: out for name, (_, out, _) in done.items()}


def test_the_package_is_small() -> None:
    files = [PACKAGE / "pyproject.toml", *(PACKAGE / "hide_and_seek").glob("*.py")]
    assert sum(len(file.read_text().splitlines()) for file in files) <= LONGEST
    written = {path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".toml", ".md")}
    assert {path for path in written if "build" not in path.parts} == set(files)


@pytest.mark.slow  # the gate runs them by themselves
def test_the_package_keeps_its_promises(installed: Installed) -> None:
    options = ("-n", "0", "-c", ROOT / "pyproject.toml", "--rootdir", ROOT)
    assert " passed" in installed.run("-m", "pytest", *options, PROMISES)


def test_its_names_are_listed_only_where_it_is_installed(printed: dict[str, str]) -> None:
    assert "hide_and_seek-all-v1" in printed["list"]
    assert "hide_and_seek" not in otherminds("list", "scenarios").stdout


def test_it_is_scored_as_matrix_games_are(printed: dict[str, str]) -> None:
    report = json.loads(printed["report as JSON"])
    cells = {(cell["scenario"], cell["mind"]): cell for cell in report["cells"]}
    assert len(cells) == 6
    for scenario in ("hide_and_seek-all-v1", "hide_and_seek-reacting-v1"):
        bayes, rmax, model = (cells[scenario, mind] for mind in ("bayes", "rmax", "cot@scripted:first"))
        for name in ("functional", "literal"):
            known, learnt, guessed = (cell["measures"][name]["mean"] for cell in (bayes, rmax, model))
            assert known > 0.8
            assert learnt < known
            assert guessed < learnt
    verdicts = {verdict["mind"]: verdict["literal"]["mean"] for verdict in report["verdicts"]}
    assert verdicts["bayes"] == pytest.approx(1)


def test_the_report_has_its_chapter(installed: Installed, printed: dict[str, str]) -> None:
    table = printed["report"]
    assert "Where the coin was hidden" in table
    assert "found_percent" in table
    assert "differ in length" not in table, "all episodes have the same number of rounds"
    rows = json.loads(printed["report as JSON"])["worlds"]
    assert len(rows["hide_and_seek"]) == 6 * 8
    page = (installed.folder / "run" / "report.html").read_text()
    assert "Where the coin was hidden" in page
    assert "Riemer" not in page, "the report has no row of that paper"


def test_the_replay_shows_where_the_coin_was(installed: Installed, printed: dict[str, str]) -> None:
    page = (installed.folder / "episode.html").read_text()
    rows = page.partition("<pre>")[2].partition("</pre>")[0].splitlines()
    assert "\n".join(rows) in printed["replay"]
    places = {row.split()[0]: row.split()[1:] for row in rows[1:]}
    assert set(places) == {"attic", "cellar", "garden"}
    for marks in zip(*places.values(), strict=True):
        together = "".join(marks).replace("@", "ox")
        assert (together.count("o"), together.count("x")) == (1, 1)
    assert {*places["cellar"], *places["garden"]} <= {".", "o"}, (
        "the first seeker looks in the attic each time"
    )


@pytest.mark.usefixtures("printed")
def test_records_are_read_where_the_package_is_missing(installed: Installed) -> None:
    """Measures and replays of what all worlds share need the records alone."""
    done = otherminds("report", installed.folder / "run", "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["cells"]) == 6
