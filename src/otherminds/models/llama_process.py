"""The process in which llama.cpp runs a model file: started, asked within limits, and ended.

llama.cpp trusts its files: a damaged one can abort the process, a hostile one more than that. It therefore runs in
:mod:`otherminds.models.llama`, without the environment's secrets, with a limit of memory, and is ended when an answer is late.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import weakref
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from tempfile import TemporaryFile
from typing import IO, TypeVar

import msgspec
from msgspec import Struct

from otherminds.models.frames import LARGEST, FrameError, receive, send
from otherminds.models.gguf import Gguf
from otherminds.models.llama import CompletionRequest, Follow, Load, Render, RequestFailure, ServerAddress

LOADING, BYTES = 120.0, 1e7
"""Seconds for a model to be loaded, and bytes of its file for each further second."""
TOKENISING = 60.0
RENDERING = 20.0
"""Seconds for a chat template, whose own limit is shorter."""
SLACK, TOKEN = 120.0, 1.0
"""Seconds for a request, and further ones for each token of its prompt and reply."""
FILES, ROOM = 3, 6 * 2**30
"""Memory: so many times the file's size, for its repacked weights and the context, and further bytes."""
PASSED = ("PATH", "LANG", "LC_ALL", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""Variables of the environment that the process gets, beside those of OpenMP and ggml."""
FAMILIES = ("OMP_", "GGML_", "COVERAGE_")
QUOTED = 200
"""Characters of the process's last words that an error shows."""

S = TypeVar("S", bound=Struct)


class DeadError(Exception):
    """The process has ended or was ended; the text says why in one line."""


class RequestError(Exception):
    """The process refused a request, and goes on."""


class Tokens(Struct):
    """The answer of the tokeniser."""

    tokens: list[int]


class LlamaProcess:
    """A process with the model of ``file``, loaded when this returns.

    Raises:
        DeadError: it ended, or was too slow.
        RequestError: llama.cpp cannot load the file.
    """

    def __init__(self, file: Gguf, context: int) -> None:
        self._key = secrets.token_hex(16)
        self._channel, theirs = socket.socketpair()
        lifeline, self._lifeline = os.pipe()
        self._words: IO[bytes] = TemporaryFile()  # noqa: SIM115 - lives as long as the process
        code = ["-P", "-m", "otherminds.models.llama", str(theirs.fileno()), str(lifeline)]
        try:
            self._process = subprocess.Popen(
                [sys.executable, *code],
                stdin=subprocess.DEVNULL,
                stdout=self._words,
                stderr=self._words,
                pass_fds=(theirs.fileno(), lifeline),
                env=_environment(),
                start_new_session=True,
            )
        except OSError as error:
            raise DeadError(f"llama.cpp cannot be started ({error.strerror})") from None
        finally:
            theirs.close()
            os.close(lifeline)
        ends = self._process, self._channel, self._lifeline, self._words, os.getpid()
        self._end = weakref.finalize(self, _end, *ends)
        memory = FILES * file.size + ROOM
        order = Load(str(file.path), context, self._key, memory, file.template, file.begin, file.end)
        try:
            self._host = self._ask(order, ServerAddress, LOADING + file.size / BYTES).host
        except RequestError as error:
            self.end()
            raise RequestError(
                f"cannot load {file.path}: {error}; xllamacpp may not know this kind of model"
            ) from None

    def ask(self, request: Follow | Render | CompletionRequest, kind: type[S], tokens: int = 0) -> S:
        """The answer, of type ``kind``; the prompt and the reply have at most ``tokens``.

        Raises:
            DeadError: there is none, and the process has ended.
            RequestError: the request is refused.
        """
        return self._ask(request, kind, RENDERING if isinstance(request, Render) else SLACK + TOKEN * tokens)

    def tokenise(self, text: str) -> list[int]:
        """The tokens of ``text``, also while a request is answered.

        Raises:
            DeadError: there is no answer, and the process has ended.
            RequestError: the request is refused.
        """
        try:
            return tokens_of(self._host, self._key, text)
        except (OSError, HTTPException, ValueError) as error:
            raise self._dead(f"gives no tokens ({error})") from None

    @property
    def number(self) -> int:
        """The process's number in the operating system."""
        return self._process.pid

    def end(self) -> None:
        """Ends the process, if it runs."""
        self._end()

    def _ask(self, request: Struct, kind: type[S], seconds: float) -> S:
        try:
            send(self._channel, request, seconds)
            answer = receive(self._channel, kind | RequestFailure, seconds)
        except ValueError as error:
            raise RequestError(str(error)) from None
        except FrameError as error:
            raise self._dead(str(error)) from None
        if isinstance(answer, RequestFailure):
            raise RequestError(answer.why)
        return answer

    def _dead(self, why: str) -> DeadError:
        """Ends the process; the error names the signal that had ended it before, and its last words."""
        try:
            how = f"ended with {_name_exit(self._process.wait(1.0))}"
        except subprocess.TimeoutExpired:
            how = why
        words = self._last()
        self.end()
        return DeadError(f"llama.cpp {how}{words}")

    def _last(self) -> str:
        """The last line that the process wrote."""
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, size - 4096))
        lines = [
            line for line in self._words.read(4096).decode("utf-8", "replace").splitlines() if line.strip()
        ]
        fault_line = next((line for line in reversed(lines) if "ASSERT" in line or "rror" in line), "")
        printable = "".join(
            character if character.isprintable() else " "
            for character in fault_line or (lines[-1] if lines else "")
        )
        return f": {' '.join(printable.split())[:QUOTED]}" if printable.strip() else ""


def tokens_of(host: str, key: str, text: str) -> list[int]:
    """The tokens of ``text``, from llama.cpp's server at ``host``. Control tokens in it stay text.

    Raises:
        OSError, HTTPException, ValueError: it does not answer.
        RequestError: it refuses the text.
    """
    body = json.dumps({"content": text, "add_special": True, "parse_special": False})
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection = HTTPConnection(host, timeout=TOKENISING)
    try:
        connection.request("POST", "/tokenize", body.encode(), headers)
        answer = connection.getresponse()
        raw = answer.read(LARGEST + 1)
    finally:
        connection.close()
    if answer.status != HTTPStatus.OK:
        raise RequestError(f"its tokeniser refuses the text (HTTP {answer.status})")
    return msgspec.json.decode(raw, type=Tokens).tokens


def _environment() -> dict[str, str]:
    passed = {
        name: value for name, value in os.environ.items() if name in PASSED or name.startswith(FAMILIES)
    }
    fixed = {"OMP_WAIT_POLICY": "PASSIVE", "GGML_NO_BACKTRACE": "1"}  # a backtrace would start a debugger
    return {**fixed, **passed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _name_exit(code: int) -> str:
    """The name of the signal, or the exit code."""
    try:
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"
    except ValueError:
        return f"signal {-code}"


def _end(
    process: subprocess.Popen[bytes], channel: socket.socket, lifeline: int, words: IO[bytes], owner: int
) -> None:
    """Ends a process. A copy of this process (a fork) only closes its ends."""
    channel.close()
    words.close()
    os.close(lifeline)
    if owner == os.getpid():
        process.kill()
        process.wait(10.0)
