"""What the processes of a command send and start: nothing, or requests to the servers of a check alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from otherminds.selfcheck.loopback import Loopback
from otherminds.selfcheck.programs import call, call_program
from otherminds.selfcheck.watcher import LOG
from otherminds.testing.compare import promise

HERE = ("127.0.0.1", "127.1")
"""Names under which checks name servers on this machine, and which no other machine is asked about."""
BEGIN = """
import contextlib
with contextlib.suppress(ImportError):
    import sitecustomize
import site
site.main()
"""
"""What Python does at its start, files of ``.pth`` included, after the watch has begun."""
SEEN = {
    "a look-up of a name": "import socket; socket.getaddrinfo('127.0.0.2', 9)",
    "another program": "import os; os.system('exit')",
    "a Python that is not watched": "import subprocess, sys; subprocess.run([sys.executable, '-I', '-c', ''])",
    "a library": "import ctypes; ctypes.CDLL(None)['connect']",
}
"""Programs that do what the watch has to see."""


class NetworkWatch:
    """Calls commands and reads what all of their Python processes sent and started; its files are in ``folder``.

    Connections to ``servers`` are allowed.

    Raises:
        AssertionError: the start of Python itself uses the network, or the watch misses what it has to see.
    """

    def __init__(self, folder: Path, servers: Sequence[Loopback] = ()) -> None:
        hook = folder.resolve() / "hook"
        hook.mkdir()
        text = files("otherminds.selfcheck").joinpath("watcher.py").read_bytes()
        (hook / "sitecustomize.py").write_bytes(text)
        path = os.pathsep.join(filter(None, (str(hook), os.environ.get("PYTHONPATH", ""))))
        self.log = folder.resolve() / "watched"
        self.env = {"PYTHONPATH": path, LOG: str(self.log)}
        self.commands = self.processes = 0
        self._ports = {server.port for server in servers}
        self._read = 0
        self._start(BEGIN, "-S")
        self._check("the start of Python")
        for use, code in SEEN.items():
            self._start(code)
            promise(bool(self._uses()), f"the watch sees {use}", "it did not, so that it shows nothing")
        self.commands = self.processes = 0

    def call(self, *words: object, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """``otherminds WORDS``, as :func:`~otherminds.selfcheck.programs.call` does it.

        Raises:
            AssertionError: one of its processes used the network, or did what cannot be watched.
        """
        done = call(*words, env={**(env or {}), **self.env})
        self._check(f"otherminds {words[0]}")
        return done

    def _start(self, code: str, *options: str) -> None:
        call_program([sys.executable, *options, "-c", code], self.env)

    def _check(self, name: str) -> None:
        uses = self._uses()
        which = (
            "no use of the network but of this check's servers" if self._ports else "no use of the network"
        )
        promise(not uses, f"{which} by {name}", f"{len(uses)}, first {uses[:1]}")

    def _uses(self) -> list[str]:
        """What the processes of one more command did that is not allowed."""
        lines = [*self._lines()]
        watched, started = (sum(kind == label for kind, *_ in lines) for label in ("watched", "python"))
        self.commands, self.processes = self.commands + 1, self.processes + watched
        uses = [fault for fault in map(self._judge, lines) if fault]
        missing = 1 + started - watched
        return uses + [f"{missing} processes of Python that are not watched"] * (missing > 0)

    def _lines(self) -> Iterator[list[Any]]:
        """The lines that are new."""
        raw = self.log.read_bytes() if self.log.exists() else b""
        new, self._read = raw[self._read :], len(raw)
        yield from (msgspec.json.decode(line, type=list[Any]) for line in new.splitlines())

    def _judge(self, line: Sequence[Any]) -> str:
        """What a line tells of that is not allowed; empty if it is."""
        match line:
            case ["watched" | "python", *_]:
                return ""
            case ["network", "socket.getaddrinfo", str(host)] if self._ports and host in HERE:
                return ""
            case ["network", "socket.connect", [str(host), int(port)]] if (
                host in HERE and port in self._ports
            ):
                return ""
            case ["network", event, address]:
                return f"{event} {address}"
            case [kind, what]:
                return (
                    f"the {kind} {what}, which cannot be watched"
                    if kind == "program"
                    else f"{what} by native code, which cannot be watched"
                )
            case _:
                return f"{line}"
