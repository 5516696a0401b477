"""Runs a method of a test case in another process, under another ``PYTHONHASHSEED``.

One process for each of :data:`HASH_SEEDS` is started at the first call and answers all later ones, since
starting one and importing the library takes longer than most checks. A request is a line of JSON with the
path of a file, the name of a test class in it and a method; the reply is what the method returns.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from functools import cache, reduce
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryFile
from types import ModuleType
from typing import Any, Protocol, TextIO

from otherminds.core.disk import resolve_path
from otherminds.testing.compare import promise

SERVE = "import sys; from otherminds.testing.elsewhere import serve; serve(sys.stdin, sys.stdout)"
HASH_SEEDS = ("1", "2")
"""Fixed, so that a failing check fails every time."""


def load(file: str | Path) -> ModuleType:
    """The module in ``file``, loaded once per process.

    Raises:
        ImportError: there is no Python file at that path.
    """
    path = resolve_path(Path(file))
    name = f"{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"there is no Python file {path}")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def elsewhere(case: object, method: str) -> list[str]:
    """What ``case.method()`` returns in another process for each of :data:`HASH_SEEDS`.

    ``case`` is an instance of a class that can be reached by name in its module.

    Raises:
        AssertionError: the method failed or ended its process; the text ends with the error.
    """
    kind = type(case)
    file = sys.modules[kind.__module__].__file__
    if file is None or "<locals>" in kind.__qualname__:
        raise AssertionError(
            f"class {kind.__qualname__!r} must be defined at the top level of a file, so that another process can make it"
        )
    request = {"path": sys.path, "file": file, "kind": kind.__qualname__, "method": method}
    children = [_child(seed, os.getpid()) for seed in HASH_SEEDS]
    for child in children:
        child.send(request)
    replies = [child.receive() for child in children]
    for child, value in zip(children, replies, strict=True):
        promise(value is not None, f"{kind.__qualname__}.{method}() runs in another process", child.errors)
    return [value for value in replies if value is not None]


class Fingerprinted(Protocol):
    """A test case with a hash of all that it plays."""

    def fingerprint(self) -> str: ...


def same_elsewhere(case: Fingerprinted, subject: str) -> None:
    """Demands that another process, with another ``PYTHONHASHSEED``, plays the same; ``subject`` names it in errors."""
    hashes = [case.fingerprint(), *elsewhere(case, "fingerprint")]
    promise(
        len(set(hashes)) == 1,
        f"the same {subject} in every process, under every PYTHONHASHSEED",
        f"their hashes are {hashes}",
    )


class _Child:
    """A process that answers requests, and is started again after a request that ended it."""

    def __init__(self, seed: str) -> None:
        self.seed = seed
        self.process: subprocess.Popen[str] | None = None
        self.errors = ""
        """What the process wrote to its error stream, once it has ended."""

    def send(self, request: dict[str, Any]) -> None:
        if self.process is None:
            self._stderr = TemporaryFile("w+")  # noqa: SIM115 - it is closed with the process
            path = os.pathsep.join(filter(None, sys.path))
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE],
                env={**os.environ, "PYTHONHASHSEED": self.seed, "PYTHONPATH": path},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                text=True,
            )
        assert self.process.stdin
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def receive(self) -> str | None:
        """The value; ``None`` where the process ended instead."""
        assert self.process
        assert self.process.stdout
        if line := self.process.stdout.readline():
            return json.loads(line)
        self.end()
        return None

    def end(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.communicate()
            self.process = None
            with self._stderr as stream:
                stream.seek(0)
                self.errors = stream.read().strip()


@cache
def _child(seed: str, process: int) -> _Child:
    """The child of this process; a forked process starts its own."""
    child = _Child(seed)
    atexit.register(child.end)
    return child


def serve(requests: TextIO, replies: TextIO) -> None:
    """Answers one request a line until the end of the input; an error ends the process."""
    for line in requests:
        request = json.loads(line)
        sys.path[:] = request["path"]
        with redirect_stdout(sys.stderr):
            kind: Any = reduce(getattr, request["kind"].split("."), load(request["file"]))
            value = str(getattr(kind(), request["method"])())
        replies.write(json.dumps(value) + "\n")
        replies.flush()
