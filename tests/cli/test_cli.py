"""The command line, as people type it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from time import sleep

import pytest

from otherminds.cli import commands
from otherminds.core.record import SCHEMA
from otherminds.play.interventions import INTERVENTIONS
from otherminds.studies.store import Store
from tests.cli.running import otherminds

SMALL = """
name = "small"
episodes = 6
rounds = 10
[[cells]]
scenarios = ["rps-single-v1"]
minds = ["rmax", "nash"]
"""


COMMANDS = ("demo", "run", "evaluate", "compare", "report", "list", "replay", "models")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output folder of a small study."""
    folder = tmp_path_factory.mktemp("cli")
    (folder / "small.toml").write_text(SMALL)
    done = otherminds("run", str(folder / "small.toml"), "--out", str(folder / "out"))
    assert done.returncode == 0, done.stderr
    assert "planned 12" in done.stdout.replace("=", " ").replace("  ", " ")
    return folder / "out"


def test_help_names_every_command() -> None:
    """In a process of its own: the way in is there."""
    said = subprocess.run(
        [sys.executable, "-m", "otherminds", "--help"], capture_output=True, text=True, check=True
    )
    text = said.stdout
    assert all(command in text for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    done = otherminds(command, "--help")
    assert done.returncode == 0
    assert "--help" in done.stdout


def test_json_holds_every_cell_with_every_number(ran: Path) -> None:
    cells = json.loads(otherminds("report", str(ran), "--json").stdout)["cells"]
    assert [(cell["scenario"], cell["mind"]) for cell in cells] == [
        ("rps-single-v1", "rmax"),
        ("rps-single-v1", "nash"),
    ]
    numbers = ("delta_functional", "delta_tom", "tom_percent", "functional", "literal", "gap")
    for cell in cells:
        assert (cell["planned"], cell["scored"], cell["invalid"], cell["failed"]) == (6, 6, 0, 0)
        for name in (*numbers, "paper_delta_functional", "paper_delta_tom"):
            number = cell["measures"][name]
            assert number["low"] <= number["mean"] <= number["high"]


def test_a_page_is_written_and_its_path_printed(ran: Path) -> None:
    done = otherminds("report", str(ran), "--page")
    assert str(ran / "report.html") in done.stdout
    page = (ran / "report.html").read_text()
    assert "<svg" in page
    assert "src=" not in page, "nothing is fetched"
    assert list((ran / "figures").glob("*.svg"))


def test_replay_shows_an_episode_by_number_and_by_hash(ran: Path) -> None:
    by_number = otherminds("replay", str(ran), "0")
    assert by_number.returncode == 0
    episode = by_number.stdout.split("episode ")[1].split()[0]
    assert otherminds("replay", str(ran), episode).stdout == by_number.stdout
    assert by_number.stdout.count("rock") + by_number.stdout.count("paper") > 5


def test_the_executor_changes_no_record(ran: Path, tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL)
    words = ("--out", tmp_path / "out", "--executor", "processes:1")
    assert otherminds("run", tmp_path / "small.toml", *words).returncode == 0
    here, there = (
        {line.episode: line.hash for line in Store(folder).lines()} for folder in (ran, tmp_path / "out")
    )
    assert here == there


def test_every_intervention_is_listed_with_what_it_does() -> None:
    listed = otherminds("list", "interventions").stdout
    assert [line.split(None, 1) for line in listed.splitlines()] == [
        list(arm) for arm in INTERVENTIONS.items()
    ]


def test_every_executor_is_listed() -> None:
    listed = otherminds("list", "executors").stdout
    assert [line.split()[0] for line in listed.splitlines()] == [
        "dask",
        "parsl",
        "processes",
        "ray",
        "submitit",
    ]


def test_the_dry_run_runs_nothing(ran: Path, tmp_path: Path) -> None:
    study = tmp_path / "s.toml"
    study.write_text(SMALL)
    done = otherminds("run", str(study), "--out", str(tmp_path / "o"), "--dry-run")
    assert done.returncode == 0
    assert "12 episodes" in done.stdout
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["run", "gone.toml", "--out", "x"], "gone.toml: no such study file"),
        (
            ["run", "demo", "--out", "x", "--executor", "rai"],
            "no executor is called 'rai'; did you mean ray?",
        ),
        (["run", "demo", "--out", "x", "--executor", "processes:0"], "needs a whole number from 1, not '0'"),
        (["report", "nowhere"], "nowhere: holds no study"),
        (["replay", "nowhere", "0"], "nowhere: holds no study"),
        (["evaluate", "scripted:first", "--suite", "cores"], "no suite 'cores'; did you mean core?"),
        (["evaluate", "scripted:first", "--size", "huge"], "no size 'huge'; there are glance, quick"),
        (["evaluate", "scripted:first", "--mind", "qq", "--dry-run"], "no strategy is called 'qq'"),
        (["compare", "nowhere", "here"], "nowhere: holds no evaluation and no run"),
        (["models", "pull", "gpt-17"], "gpt-17"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(words: list[str], expected: str) -> None:
    done = otherminds(*words)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert expected in done.stderr


@pytest.mark.parametrize(
    "words", [[], ["frob"], ["run"], ["list", "aliens"], ["report", "x", "--format", "pdf"]]
)
def test_bad_usage_is_exit_code_2(words: list[str]) -> None:
    assert otherminds(*words).returncode == 2


def test_an_episode_that_is_not_there_is_said(ran: Path) -> None:
    done = otherminds("replay", str(ran), "zzz")
    assert done.returncode == 2
    assert "none of 12 episodes" in done.stderr


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("worlds", "matrix"),
        ("scenarios", "rps-mixed-v1"),
        ("minds", "factored_rmax"),
        ("partners", "win_stay_lose_shift"),
        ("strategies", "qa"),
        ("models", "smollm2"),
        ("suites", "core"),
    ],
)
def test_lists_name_what_there_is(kind: str, expected: str) -> None:
    done = otherminds("list", kind)
    assert done.returncode == 0
    assert expected in done.stdout
    assert all(len(line.split()) > 1 for line in done.stdout.splitlines()), "each with a word about it"


@pytest.mark.parametrize(
    ("content", "expected"),
    [(None, "No such file"), (b"not a model at all", "GGUF"), (b"GGUF\x03\x00\x00\x00", "cut short")],
)
def test_a_model_file_that_cannot_be_used_is_bad_input(
    tmp_path: Path, content: bytes | None, expected: str
) -> None:
    file = tmp_path / "weights.gguf"
    if content is not None:
        file.write_bytes(content)
    study = tmp_path / "s.toml"
    study.write_text(SMALL.replace('"rmax", "nash"', f'"lm@gguf:{file}"'))
    done = otherminds("run", str(study), "--out", str(tmp_path / "o"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "weights.gguf" in done.stderr
    assert expected in done.stderr
    assert not (tmp_path / "o").exists(), "nothing half-written"


@pytest.mark.parametrize(
    ("number", "send"),
    [(signal.SIGINT, os.killpg), (signal.SIGTERM, os.kill)],
    ids=["Ctrl-C, sent to all processes", "a request to terminate, sent to one"],
)
def test_an_interrupted_run_says_how_to_go_on_and_leaves_nothing_behind(
    tmp_path: Path, number: signal.Signals, send: Callable[[int, int], None]
) -> None:
    """No process is left, and the tracker of resources has nothing to clean up."""
    study = tmp_path / "s.toml"
    study.write_text(SMALL.replace("episodes = 6", "episodes = 1000").replace("rounds = 10", "rounds = 100"))
    process = subprocess.Popen(
        [sys.executable, "-m", "otherminds", "run", str(study), "--out", str(tmp_path / "o")],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - shells start background jobs with Ctrl-C ignored
    )
    while not list((tmp_path / "o").glob("records/*")) and process.poll() is None:
        sleep(0.05)
    send(process.pid, number)
    try:
        _, said = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    assert process.returncode == 1
    assert [line for line in said.splitlines() if not re.match(r"\d+/2000 episodes", line)] == [
        "stopped; the same command goes on from here"
    ]
    for _ in range(600):
        if not _has_processes(process.pid):
            return
        sleep(0.05)
    raise AssertionError("a process of the run is left after 30 s")


def _has_processes(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_number_is_an_episode_and_not_the_start_of_a_hash(ran: Path) -> None:
    from otherminds.studies.run_dir import results

    plan, _ = results(ran)
    for number, spec in enumerate(plan.episodes):
        assert f"episode {spec.hash}" in otherminds("replay", str(ran), str(number)).stdout


def test_failed_episodes_say_why_and_end_with_code_1(tmp_path: Path) -> None:
    import http.server
    import threading

    class Gone(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def do_POST(self) -> None:
            self.send_error(404)

        def log_message(self, *args: object) -> None: ...

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gone) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        model = f"openai:tiny@http://127.0.0.1:{server.server_port}/v1"
        words = ("run", "riemer_table9", "--model", model, "--rounds", "2", "--episodes", "2")
        done = otherminds(*words, "--out", str(tmp_path / "out"))
        server.shutdown()
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "failed: model openai:tiny@" in done.stderr
    assert "no more episodes are played" in done.stderr
    assert "--retry-failed goes on from here" in done.stderr


def test_brackets_are_printed_as_they_are(tmp_path: Path) -> None:
    study = tmp_path / "brackets.toml"
    study.write_text(SMALL.replace('"rmax", "nash"', '{ mind = "rmax", label = "[/x] [bold]" }'))
    done = otherminds("run", str(study), "--out", str(tmp_path / "o"), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "[/x] [bold]" in done.stdout


def _other_version(out: Path) -> None:
    shard = out / "records" / "00000.jsonl"
    shard.write_text(shard.read_text().replace(f'"schema":{SCHEMA}', '"schema":2'))


def _in_place_of(name: str, kind: str) -> Callable[[Path], None]:
    """Puts a folder, or a file, where a run has a file or a folder."""

    def put(out: Path) -> None:
        for path in out.glob(f"{name}*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        (out / name).mkdir(parents=True) if kind == "folder" else (out / name).write_text("")

    return put


@pytest.mark.parametrize(
    ("command", "spoil", "said"),
    [
        ("run", _other_version, "another version of otherminds wrote it"),
        ("report", _other_version, "another version of otherminds wrote it"),
        ("run", _in_place_of("lock.sqlite", "folder"), "lock.sqlite: is a folder"),
        ("run", _in_place_of("ledger.sqlite", "folder"), "ledger.sqlite: is a folder"),
        ("run", _in_place_of("calls.sqlite", "folder"), "calls.sqlite: is a folder"),
        ("run", _in_place_of("records", "file"), "records: cannot be read"),
        ("report", _in_place_of("records/00000.jsonl", "folder"), "00000.jsonl: is a folder"),
    ],
)
def test_a_folder_that_cannot_be_used_is_one_line(
    ran: Path, tmp_path: Path, command: str, spoil: Callable[[Path], None], said: str
) -> None:
    """Exit code 2, and nothing in the folder is lost."""
    out = tmp_path / "out"
    shutil.copytree(ran, out)
    spoil(out)
    kept = {
        path: path.read_bytes()
        for path in (out / "study.json", *out.glob("records/*.jsonl"))
        if path.is_file()
    }
    study = [ran.parent / "small.toml", "--out", out] if command == "run" else [out]
    done = otherminds(command, *study)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert {path: path.read_bytes() for path in kept} == kept


def test_an_output_folder_that_is_a_file_and_a_study_without_cells_are_one_line(
    ran: Path, tmp_path: Path
) -> None:
    """Exit code 2; the file is left as it is."""
    study, empty = ran.parent / "small.toml", tmp_path / "empty.toml"
    empty.write_text('name = "empty"\ncells = []\n')
    for words, said in (
        ((study, "--out", study), "is not empty and holds no study"),
        ((study, "--out", study / "below"), "cannot be written"),
        ((empty, "--out", tmp_path / "new"), "cells: "),
    ):
        done = otherminds("run", *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert said in done.stderr
    assert study.read_text() == SMALL
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["repor"], "report"),
        (["evaluat"], "evaluate"),
        (["scenes", "object"], "objects"),
        (["tasks", "chek"], "check"),
        (["run", "demo", "--dry-rnu"], "--dry-run"),
    ],
)
def test_unknown_commands_and_options_are_answered_with_near_ones(words: list[str], meant: str) -> None:
    done = otherminds(*words)
    assert done.returncode == 2
    assert any(f"{lead}{meant}" in done.stderr for lead in ("Did you mean '", "Possible options: "))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "demoo", "--out", "x"], "demoo: no such study file; did you mean demo"),
        (["evaluate", "smolm2", "--dry-run"], "no model is called 'smolm2'; did you mean smollm2?"),
        (
            ["tasks", "check", "inverse_handel"],
            "inverse_handel: no task file there; did you mean inverse_handle?",
        ),
        (["tasks", "show", "inverse_handel", "--out", "x.svg"], "did you mean inverse_handle?"),
        (["prompts", "show", "cot", "rpss"], "no game or scenario is called 'rpss'; did you mean rps"),
        (["prompts", "show", "cott", "rps"], "no strategy is called 'cott'; did you mean cot"),
    ],
)
def test_unknown_names_are_answered_with_near_ones(words: list[str], said: str) -> None:
    done = otherminds(*words)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_version_is_that_of_the_installed_package() -> None:
    done = otherminds("--version")
    assert done.returncode == 0
    assert done.stdout.startswith(f"otherminds {version('otherminds')} (Python {python_version()}, ")
    assert done.stdout.count("\n") == 1


def test_a_changed_study_says_what_changed(ran: Path, tmp_path: Path) -> None:
    """Key by key, with the old and the new value; counts of episodes are no change."""
    changed = (
        SMALL.replace('name = "', 'seed = 5\nname = "').replace("rmax", "rmaxx").replace("rmaxx", "bayes")
    )
    study = tmp_path / "small.toml"
    study.write_text(changed)
    done = otherminds("run", study, "--out", ran)
    assert done.returncode == 2
    head, *lines = done.stderr.splitlines()
    assert head == f"otherminds: {ran}: belongs to another study; choose another --out, or undo what changed:"
    assert "  seed: was 0, is 5" in lines
    assert "  cells[0].minds[0].mind: was 'rmax', is 'bayes'" in lines
    assert len(lines) == 2


def test_a_broken_plugin_is_one_line_and_keeps_no_command_from_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In processes of their own: an installed package whose minds and commands cannot be imported."""
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[otherminds.minds]\nseer = broken\n[otherminds.commands]\nsee = broken:see\n"
    )
    (tmp_path / "broken.py").write_text("raise SystemExit('not today')")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), os.environ.get("PYTHONPATH", ""))))
    done = subprocess.run(
        [sys.executable, "-m", "otherminds", "list", "minds"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "rmax" in done.stdout
    lines = done.stderr.splitlines()
    assert [line.partition(" is left out: ")[0] for line in lines] == [
        "otherminds: plugin 'see' (of broken, broken:see)",
        "otherminds: plugin 'seer' (of broken, broken)",
    ]
    assert all("SystemExit: not today" in line for line in lines)


def test_a_report_that_takes_long_says_how_far_it_is(
    ran: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.setattr(commands, "EVERY", 0.0)
    commands.show_report(ran, "table")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 1
    assert lines[0].startswith("report: 1 of ")
    assert lines[-1].endswith("; writing")
