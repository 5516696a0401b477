"""A path that is no regular file is refused at once and in one line, whatever file is wanted there."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from otherminds.core.errors import OtherMindsError
from otherminds.household.tasks.load import shipped_tasks
from otherminds.models import http
from otherminds.models.hosts import config_file
from otherminds.studies.run_dir import CARD
from tests.cli.running import Done, otherminds
from tests.models import serving

LONGEST = 30
"""Seconds after which a command hangs."""
TASK = shipped_tasks()[0]
STUDY = """
name = "special"
episodes = 1
rounds = 2
{top}
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = [{mind}]
"""


def folder(path: Path) -> None:
    path.mkdir()


def socket_file(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the path of a socket has 108 bytes at most
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(here)


SPECIAL: dict[str, tuple[Callable[[Path], None], str]] = {
    "named pipe": (os.mkfifo, "a named pipe"),
    "socket": (socket_file, "a socket"),
    "endless device": (lambda path: path.symlink_to("/dev/zero"), "a device"),
    "empty device": (lambda path: path.symlink_to("/dev/null"), "a device"),
    "folder": (folder, ""),
    "circle": (lambda path: path.symlink_to(path.name), "levels of symbolic links"),
    "link to nothing": (lambda path: path.symlink_to("gone"), "does not exist|gone"),
}
"""How each is made, and what a message says of it; nothing for a folder, which some commands take."""


def study(there: Path, mind: str = '"rmax"', top: str = "") -> Path:
    path = there.parent / "study.toml"
    path.write_text(STUDY.format(mind=mind, top=top))
    return path


def run(there: Path, *words: object, mind: str = '"rmax"', top: str = "") -> Done:
    return otherminds("run", study(there, mind, top), "--out", there.parent / "out", *words)


def run_trusting(path: Path) -> Done:
    """A run with a server, whose certificates are trusted by what is at ``path``."""
    with pytest.MonkeyPatch.context() as patched, serving.serving() as local:
        patched.setenv("SSL_CERT_FILE", str(path))
        http._load_certificates.cache_clear()
        return run(path, "--model", f"openai:toy@{local.url}?timeout=5", mind='"qa@MODEL"')


def run_configured(path: Path) -> Done:
    """A run with the file at ``path`` as the user's configuration."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CONFIG_HOME", str(path.parent))
        config_file().parent.mkdir(exist_ok=True)
        path.rename(config_file()) if not path.is_symlink() else config_file().symlink_to(
            config_file().name if os.readlink(path) == path.name else os.readlink(path)
        )
        return run(path, mind='"qa@scripted:first"')


def train(path: Path) -> Done:
    """What a training says of the file at ``path``."""
    pytest.importorskip("jax")
    from otherminds.gridworlds.learning.trainer import load_training

    try:
        load_training(path)
    except OtherMindsError as error:
        return Done(2, "", str(error))
    return Done(0, "", "")


ASKED = 'mind = "qa", model = "scripted:first"'
WAYS: dict[str, tuple[str, Callable[[Path], Done]]] = {
    "study": ("mine.toml", lambda path: otherminds("run", path, "--dry-run", "--out", path.parent / "out")),
    "prices": ("prices.toml", lambda path: run(path, "--prices", path)),
    "cache": ("cache.sqlite", lambda path: run(path, "--cache", path, mind='"qa@scripted:first"')),
    "cache of a dry run": ("cache.sqlite", lambda path: run(path, "--cache", path, "--dry-run")),
    "plugin": ("mine.py", lambda path: run(path, top='plugins = ["mine.py"]')),
    "prompt pack": (
        "mine.toml",
        lambda path: run(path, mind=f'{{ {ASKED}, params = {{ pack = "mine.toml" }} }}'),
    ),
    "prompt pack shown": (
        "mine.toml",
        lambda path: otherminds("prompts", "show", "qa", "rps", "--pack", path),
    ),
    "policy": (
        "mine.safetensors",
        lambda path: run(path, mind='{ mind = "learned", params = { policy = "mine.safetensors" } }'),
    ),
    "policy shown": ("mine.safetensors", lambda path: otherminds("policies", "show", path)),
    "GGUF": ("m.gguf", lambda path: run(path, "--model", f"gguf:{path}", mind='"qa@MODEL"')),
    "GGUF of a dry run": (
        "m.gguf",
        lambda path: run(path, "--model", f"gguf:{path}", "--dry-run", mind='"qa@MODEL"'),
    ),
    "GGUF of an evaluation": (
        "m.gguf",
        lambda path: otherminds("evaluate", f"gguf:{path}", "--size", "quick", "--out", path.parent / "out"),
    ),
    "replayed": ("r.jsonl", lambda path: run(path, "--model", f"replay:{path}", mind='"qa@MODEL"')),
    "training": ("train.toml", train),
    "task": ("task.json", lambda path: otherminds("tasks", "check", path)),
    "task of a run": (
        "task.json",
        lambda path: otherminds("run", path, "--mind", "level_k", "--out", path.parent / "out"),
    ),
    "scene": ("scene.json", lambda path: otherminds("tasks", "check", TASK, "--scene", path)),
    "scene shown": (
        "scene.json",
        lambda path: otherminds("scenes", "show", path, "--out", path.parent / "out"),
    ),
    "pool": ("pool.jsonl.gz", lambda path: otherminds("pools", "stats", path)),
    "pool browsed": ("pool.jsonl.gz", lambda path: otherminds("pools", "browse", path)),
    "certificate": ("certificate.json", lambda path: otherminds("tasks", "verify", TASK, "--check", path)),
    "configuration": ("config.toml", run_configured),
    "trusted certificates": ("trusted.pem", run_trusting),
}
"""For each kind of file, the name of one, and a command that reads it."""
FOLDERS = ("study", "task", "task of a run", "replayed", "pool", "pool browsed")
"""Kinds that may be folders too, and say what is missing inside."""


@contextmanager
def in_time() -> Iterator[None]:
    """Ends a wait without end, also one in the system, by an error."""

    def hang(number: int, frame: object) -> None:
        raise AssertionError(f"nothing happened for {LONGEST} s")

    before = signal.signal(signal.SIGALRM, hang)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize("way", WAYS)
def test_what_is_no_file_is_refused_in_one_line(
    way: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, command = WAYS[way]
    make, said = SPECIAL[kind]
    make(tmp_path / name)
    with in_time():
        done = command(tmp_path / name)
    assert done.returncode in (1, 2), done
    assert "Traceback" not in done.stderr
    assert "RuntimeError" not in done.stderr
    link = tmp_path / name
    named = (name, os.readlink(link)) if link.is_symlink() else (name,)
    lines = [line for line in done.stderr.splitlines() if any(one in line for one in named)]
    assert len(lines) == 1, done.stderr
    if kind != "folder":
        assert re.search(said, lines[0]), lines[0]
    elif way not in FOLDERS:
        assert "folder" in lines[0], lines[0]
    assert not (tmp_path / "out" / CARD).exists() or way == "trusted certificates"


@pytest.mark.parametrize("kind", SPECIAL)
def test_the_checker_alone_refuses_it_too(kind: str, tmp_path: Path) -> None:
    make, _ = SPECIAL[kind]
    make(tmp_path / "certificate.json")
    command = [sys.executable, "-m", "otherminds.household.epistemic.check", "certificate.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert done.returncode == 1
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
    assert done.stdout.startswith("certificate.json: : rejected: ")
