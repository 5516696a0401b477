"""The command ``otherminds serve``."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.running import otherminds

WORDS = ("serve", "rps-mixed-v1", "--openenv", "--port", "0")
needs_openenv = pytest.mark.skipif(find_spec("openenv") is None, reason="requires openenv")


def test_without_the_package_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otherminds.bridges.serve_command.find_spec", lambda name: None)
    done = otherminds(*WORDS)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "otherminds: the server needs the package openenv: pip install openenv==0.10.0"
    ]


def test_a_protocol_is_named() -> None:
    assert (
        otherminds("serve", "rps-mixed-v1").stderr == "otherminds: say which protocol to speak: --openenv\n"
    )


@needs_openenv
@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--held-out", "nothing-v1"), "nothing-v1"),
        (("--strategy", "nothing"), "nothing"),
        (("--rewards", "some"), "exact, world"),
        (("--host", "192.0.2.1"), "cannot listen at 192.0.2.1, port 0"),
        (("--host", "no such host"), "cannot listen at no such host"),
    ],
)
def test_what_cannot_be_served_is_refused_in_one_line(words: tuple[str, ...], reason: str) -> None:
    done = otherminds(*WORDS, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1


@needs_openenv
def test_a_port_in_use_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = otherminds(*WORDS, "--port", port)
    assert done.returncode == 2
    assert f"cannot listen at 127.0.0.1, port {port}" in done.stderr


@needs_openenv
def test_it_serves_until_ctrl_c(tmp_path: Path) -> None:
    """A client is connected in the middle of its episode."""
    from otherminds.bridges.openenv import TextClient

    async def play(url: str) -> str:
        client = TextClient(base_url=url)
        result = await client.reset(seed=1, split="held_out")
        result = await client.step({"option": result.observation.options[0]})
        server.send_signal(signal.SIGINT)
        assert await asyncio.to_thread(server.wait, 60) == 0
        return result.observation.purpose

    command = [sys.executable, "-m", "otherminds", *WORDS, "--held-out", "ipd-tit_for_tat-v1"]
    errors = tmp_path / "errors"
    with (
        errors.open("w") as stream,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stream, text=True) as server,
    ):
        try:
            assert server.stdout is not None
            words = server.stdout.readline().split()
            assert words[:2] == ["serving", "at"]
            assert words[2].startswith("http://127.0.0.1:")
            assert asyncio.run(play(words[2])) == "act"
        finally:
            server.kill()
    assert "Traceback" not in errors.read_text()
