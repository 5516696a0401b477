"""Writes down what a Python process sends and starts.

:mod:`otherminds.selfcheck.offline` copies this file, as the ``sitecustomize`` that Python imports at its start, to a folder
that comes first in ``PYTHONPATH``, so that every process of a command imports it. It uses the standard library alone.

Each line of the file that :data:`LOG` names is a JSON list: what happened, and its details.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

LOG = "OTHERMINDS_WATCHED"
"""The environment variable with the path of the file."""
SENT = frozenset(
    {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
    | {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "syslog.syslog"}
)
"""Audit events (https://docs.python.org/3/library/audit_events.html) of what leaves a process through Python."""
STARTED = frozenset(
    {"os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "_winapi.CreateProcess"}
)
"""Audit events of other programs. ``os.fork`` is none: its child keeps the hook."""
LOOKED_UP = frozenset({"ctypes.dlsym", "ctypes.dlsym/handle"})
OURS = ("Py", "_Py", "LLVMPY_")
"""How the functions begin that libraries of Other Minds look up: those of Python, and of Numba's compiler."""
COMPILER = ("libllvmlite", "llvmlite")


class Watcher:
    """An audit hook (PEP 578) that writes to the file ``log``."""

    def __init__(self, log: str) -> None:
        self.log = log
        self.python = os.path.realpath(sys.executable)

    def __call__(self, event: str, arguments: Sequence[Any]) -> None:
        """Writes down an event that matters."""
        if event in SENT:
            self.write("network", event, arguments[0] if "get" in event else arguments[-1])
        elif event in STARTED:
            self.write_start(arguments[:1])
        elif event == "ctypes.dlopen" and not is_expected_library(arguments[0]):
            self.write("native", f"the library {arguments[0]}")
        elif event in LOOKED_UP and not str(arguments[1]).startswith(OURS):
            self.write("native", f"the function {arguments[1]}")
        elif event == "import" and arguments[0] == "_cffi_backend":
            self.write("native", "functions by cffi")

    def write_start(self, programs: Sequence[Any]) -> None:
        """Writes down the start of the first of ``programs`` that there is."""
        paths = [os.fsdecode(path) if isinstance(path, bytes) else str(path) for path in programs]
        path = next(filter(os.path.isfile, paths), paths[0])
        same = os.path.isabs(path) and os.path.realpath(path) == self.python
        self.write("python" if same else "program", path)

    def write(self, *line: Any) -> None:
        """Appends a line in one call, so that those of several processes do not mix."""
        file = os.open(self.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, json.dumps(line, default=repr).encode() + b"\n")
        finally:
            os.close(file)


def is_expected_library(name: object) -> bool:
    """Whether importing what Other Minds needs opens this library: Python itself (no name), or Numba's compiler."""
    return name is None or os.path.basename(os.fsdecode(str(name))).startswith(COMPILER)


def watch() -> None:
    """Installs the hook, and follows :func:`_posixsubprocess.fork_exec`, which raises no audit event."""
    watcher = Watcher(os.environ[LOG])
    watcher.write("watched", os.getpid())
    sys.addaudithook(watcher)
    if os.name == "posix":
        module = import_module("_posixsubprocess")
        start = module.fork_exec

        def fork_exec(arguments: Any, programs: Sequence[Any], *options: Any) -> Any:
            watcher.write_start(programs)
            return start(arguments, programs, *options)

        setattr(module, "fork_exec", fork_exec)  # noqa: B010, a private module without types


def run_hidden() -> None:
    """Runs the ``sitecustomize`` of this machine, which this file hides. Python runs ``usercustomize`` itself.

    Raises:
        ImportError: there is none, as Python expects then.
    """
    folder = os.path.dirname(__file__)
    sys.path[:] = [path for path in sys.path if path != folder]
    del sys.modules[__name__]
    import_module(__name__)


if __name__ == "sitecustomize":
    watch()
    run_hidden()
