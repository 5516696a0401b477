"""A sandbox is opened by name after a run has shown that it works; else one line says what to install."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from otherminds import StudyError
from otherminds.sandbox import supervisor
from otherminds.sandbox.kinds import Ran, Sandbox, UnsafeLocal, open_sandbox, probe_sandbox
from tests.sandbox.conftest import LIMITS

Place = Callable[[str, str], Path]
ANSWER = (
    '{"code":0,"why":"","cut":[false,false],"streams":[0,0],"whole":true,"folders":[],'
    '"files":[["probe",8,false]],"other":[]}'
)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Puts a program of a name on the path, alone with those of the system unless there are others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def put(name: str, text: str) -> Path:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{text}")
        path.chmod(0o755)
        tmp_path.chmod(0o755)
        return path

    return put


def test_auto_is_bubblewrap_and_is_probed(sandbox: Sandbox) -> None:
    assert sandbox.name == "bubblewrap"
    assert probe_sandbox(sandbox) == ""


def test_it_is_opened_in_a_running_loop(sandbox: Sandbox) -> None:
    async def opened() -> str:
        return open_sandbox("bubblewrap").name

    assert asyncio.run(opened()) == sandbox.name


def test_without_bubblewrap_nothing_is_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        StudyError, match=r"^no sandbox: bwrap, unshare, mount not found; install bubblewrap .*$"
    ):
        open_sandbox("auto")


def test_where_namespaces_are_not_allowed_the_words_say_so(
    program: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.getuid", lambda: 1000)  # root would start it as a user who cannot read our folder
    program("bwrap", "")
    program("mount", "")
    program("unshare", "echo 'unshare: unshare failed: Operation not permitted' >&2; exit 1")
    expected = (
        r"^the sandbox bubblewrap cannot be set up: unshare: unshare failed: Operation not permitted; "
        r"install bubblewrap .* allow user namespaces \(sysctl .*\)$"
    )
    with pytest.raises(StudyError, match=expected):
        open_sandbox("auto")


def test_what_keeps_nothing_apart_is_refused(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHERMINDS_PROBE", "x")
    assert "reads files of the host" in probe_sandbox(UnsafeLocal(LIMITS))
    assert "reaches the network" in probe_sandbox(UnsafeLocal(LIMITS))
    assert "sees other processes" in probe_sandbox(UnsafeLocal(LIMITS))


def test_a_container_is_named_with_an_image_and_refused_without_its_service(program: Place) -> None:
    program("docker", "echo 'Cannot connect to the daemon.' >&2; exit 125")
    with pytest.raises(
        StudyError, match=r"cannot be set up: Cannot connect to the daemon\.; start docker, and build"
    ):
        open_sandbox("docker:image")
    for name in ("docker", "docker:", "docker:--privileged"):
        with pytest.raises(StudyError, match=r"^no sandbox: docker needs the name of an image"):
            open_sandbox(name)
    with pytest.raises(StudyError, match=r"^no sandbox: podman not found"):
        open_sandbox("podman:image")


def test_a_container_runs_the_supervisor_and_is_removed(program: Place, tmp_path: Path) -> None:
    log = tmp_path / "log"
    program(
        "podman",
        f'printf "%.300s\\n" "$*" >>{log}\n[ "$1" = rm ] || printf \'ready\\n%s\\nwritten\\n\' \'{ANSWER}\'',
    )
    sandbox = open_sandbox("podman:image", LIMITS)
    assert sandbox.name == "podman:image"
    started, removed = log.read_text().splitlines()
    label = removed.removeprefix("rm --force ")
    assert started.startswith(f"run --rm --interactive --name {label} --pull never --network none --ipc none")


@pytest.mark.parametrize("name", ["", "bubble", "unsafe", "chroot"])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(StudyError, match="no sandbox"):
        open_sandbox(name)


def test_unsafe_local_is_itself_bounded(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHERMINDS_API_KEY", "secret")
    sandbox = open_sandbox("unsafe-local", LIMITS)
    assert sandbox.name == "unsafe-local"
    assert asyncio.run(sandbox.run("cat; pwd; env | grep -c secret; exit 3", workspace, b"in\n")) == Ran(
        3, f"in\n{workspace}\n0\n", ""
    )
    result = asyncio.run(sandbox.run("head -c 1M /dev/zero", workspace))
    assert (len(result.stdout), result.cut) == (LIMITS.output_bytes, ("stdout",))
    short = open_sandbox("unsafe-local", type(LIMITS)(seconds=0.3))
    assert asyncio.run(short.run("trap '' TERM; sleep 60", workspace)) == Ran(124, "", "", timed_out=True)
    assert asyncio.run(short.run("setsid sleep 1 & exit 3", workspace)).timed_out


def test_the_supervisor_does_not_run_outside_a_sandbox() -> None:
    path = str(supervisor.__file__)
    result = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert result.returncode == 1
    assert "runs as process 1 of a sandbox only" in result.stderr
