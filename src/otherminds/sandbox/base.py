"""Opens a sandbox by name, after a short run has shown that it keeps commands apart."""

from __future__ import annotations

import asyncio
import os
import shlex
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from otherminds.core.errors import StudyError, UnknownNameError
from otherminds.core.near import hint, quoted
from otherminds.sandbox.bubblewrap import INSTALL, Bubblewrap
from otherminds.sandbox.container import PROGRAMS, Container
from otherminds.sandbox.limits import CommandLimits, FullWorkspaceError, Ran, Sandbox
from otherminds.sandbox.local import UnsafeLocal
from otherminds.sandbox.supervised import Supervised

__all__ = ["CommandLimits", "FullWorkspaceError", "Ran", "Sandbox", "open_sandbox"]

NAMES = ("auto", "bubblewrap", "docker:IMAGE", "podman:IMAGE", "unsafe-local")
VARIABLE = "OTHERMINDS_PROBE"
PROBE = """
[ -e {file} ] && echo "reads files of the host"
[ -n "${{{variable}:-}}" ] && echo "reads the environment"
(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo "reaches the network"
[ -e /proc/{process}/root ] && [ {process} -gt 100 ] && echo "sees other processes"
for tool in jq python3 sort; do command -v "$tool" >/dev/null || echo "has no $tool"; done
echo written >probe
"""
"""Prints what it should not be able to do, or lacks, and leaves a file."""


def open_sandbox(name: str = "auto", limits: CommandLimits = CommandLimits()) -> Sandbox:  # noqa: B008 - frozen
    """The sandbox ``name``: ``bubblewrap``, ``docker:IMAGE``, ``podman:IMAGE``, ``unsafe-local``, or ``auto``.

    ``auto`` is bubblewrap: nobody's commands run in a container or without a sandbox unless that was chosen by name.

    Raises:
        StudyError: it does not work here; the text says what to install.
        UnknownNameError: there is no such sandbox.
    """
    if name == "unsafe-local":
        return UnsafeLocal(limits)
    program, _, image = name.partition(":")
    if name in {"auto", "bubblewrap"}:
        runtime, install = Bubblewrap(), INSTALL
    elif program in PROGRAMS:
        runtime, install = Container(program, image), f"start {program}, and build or pull {image} first"
    else:
        raise UnknownNameError(f"no sandbox {quoted(name)}{hint(name, NAMES)}")
    sandbox = Supervised(runtime, limits)
    try:
        fault = probe_sandbox(sandbox)
    except StudyError as error:
        raise StudyError(f"{error}; {install}") from None
    if fault:
        raise StudyError(f"the sandbox {sandbox.name} cannot be used, a command in it {fault}; {install}")
    return sandbox


def probe_sandbox(sandbox: Sandbox) -> str:
    """What a command in ``sandbox`` can do and should not, or lacks; empty if it is as it should be.

    Raises:
        StudyError: it cannot be set up.
    """
    with TemporaryDirectory() as place, socket.create_server(("127.0.0.1", 0)) as server:
        file, folder = Path(place) / "secret", Path(place) / "workspace"
        file.write_text("secret")
        folder.mkdir()
        command = PROBE.format(
            file=shlex.quote(str(file)),
            variable=VARIABLE,
            port=server.getsockname()[1],
            process=os.getpid(),
        )
        with ThreadPoolExecutor(1) as thread:  # the caller may be in a loop of its own
            ran = thread.submit(lambda: asyncio.run(sandbox.run(command, folder))).result()
        probe_file = folder / "probe"
        lost = "" if probe_file.exists() and probe_file.read_text() == "written\n" else "loses its files"
    return ", ".join([*ran.stdout.splitlines(), lost] if lost else ran.stdout.splitlines())
