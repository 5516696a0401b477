"""What leaves the machine, and what leaves a sandbox: nothing but what the user said.

Runs without a model and dry runs send nothing; keys and money go only as far as the user said. A language-model server on
this machine counts what reaches it, and may lie. Commands of an author who is not trusted stay in the sandbox."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import msgspec

from otherminds.core.errors import StudyError
from otherminds.sandbox.kinds import CommandLimits, open_sandbox
from otherminds.selfcheck.check import NotTriedError, call, call_program, write_study
from otherminds.selfcheck.watcher import LOG
from otherminds.testing.compare import promise

MODELS = {"data": [{"id": "toy", "max_model_len": 65536}]}


@dataclass
class Loopback:
    """Answers chat requests with the last line of their prompt, which is an answer that fits.

    ``usage`` is what it states about tokens, whatever was read and written. With ``elsewhere``, every request is
    redirected to that URL.
    """

    usage: Any = None
    elsewhere: str = ""
    connections: int = 0
    asked: list[tuple[str, Mapping[str, str], bytes]] = field(default_factory=list)
    """The method, the headers and the body of each request."""
    url: str = ""

    @property
    def spec(self) -> str:
        """A model at this server, as studies and commands name it."""
        return f"openai:toy@{self.url}?context=9000&concurrency={AT_ONCE}"

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.url.rpartition(":")[2].partition("/")[0])

    @property
    def prompts(self) -> list[bytes]:
        """The bodies of the chat requests."""
        return [body for method, _, body in self.asked if method == "POST"]


AT_ONCE = 4
"""Requests at a time."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, loopback: Loopback) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.loopback = loopback

    def get_request(self) -> Any:
        self.loopback.connections += 1
        return super().get_request()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        self._answer(b"", MODELS)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        last = json.loads(body)["messages"][-1]["content"].rpartition("\n")[2]
        message = {"role": "assistant", "content": last}
        usage = cast("_Server", self.server).loopback.usage
        self._answer(body, {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

    def _answer(self, body: bytes, content: object) -> None:
        loopback = cast("_Server", self.server).loopback
        loopback.asked.append((self.command, dict(self.headers.items()), body))
        raw = json.dumps(content).encode()
        self.send_response(307 if loopback.elsewhere else 200)
        if loopback.elsewhere:
            self.send_header("location", loopback.elsewhere)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing."""


@contextmanager
def serve(usage: Any = None, elsewhere: str = "") -> Iterator[Loopback]:
    """A server in threads of this process."""
    loopback = Loopback(usage, elsewhere)
    server = _Server(loopback)
    loopback.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield loopback
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


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
        """``otherminds WORDS``, as :func:`~otherminds.selfcheck.check.call` does it.

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


KEY = "OPENAI_API_KEY"
OTHER_KEY = "OTHERMINDS_CANARY"
CANARY = "sk-selfcheck-4711"
"""The value of both variables."""
ALONE = ("rps-mixed-v1", "rws-repeated-0-v1", "household-one_shot_relay-v1")
"""Scenarios of the three families of worlds."""


def watch_the_network(folder: Path) -> str:
    """Runs a study in three worlds, and reads its records, under the watch."""
    study = write_study(folder / "study.toml", ALONE, ("random",), 2)
    out = folder / "out"
    commands: tuple[tuple[object, ...], ...] = (
        ("run", study, "--out", out),
        ("report", out, "--page"),
        ("report", out, "--json"),
        ("episodes", out),
        ("replay", out, 0),
        ("status", out, "--digest"),
    )
    watch = NetworkWatch(folder)
    for command in commands:
        done = watch.call(*command)
        promise(done.returncode == 0, f"otherminds {command[0]} ends well", done.stderr[-300:])
    return f"{watch.commands} commands, {watch.processes} processes watched: 0 uses of the network"


def plan_without_sending(folder: Path) -> str:
    """Plans studies and evaluations of a server under the watch, and then asks it."""
    study = write_study(folder / "study.toml", ("ipd-tit_for_tat-v1",), ("qa@MODEL",), 2, 2)
    watch = NetworkWatch(folder)
    with serve() as server:
        kinds = ("openai", "anthropic", "gemini")
        keys = {f"{kind.upper()}_API_KEY": CANARY for kind in kinds}
        for kind in kinds:
            model = f"{kind}:toy@{server.url}"
            for words in (("run", study, "--model", model), ("evaluate", model)):
                done = watch.call(*words, "--out", folder / "out", "--dry-run", env=keys)
                promise(done.returncode == 0, f"{kind} is planned", done.stderr[-300:])
                promise(
                    not server.connections, f"no connection by a dry run of {kind}", f"{server.connections}"
                )
        done = call("run", study, "--model", server.spec, "--out", folder / "out")
        promise(
            done.returncode == 0 and server.connections > 0, "the server can be asked", done.stderr[-300:]
        )
    return f"{watch.commands} dry runs, {watch.processes} processes watched: 0 uses of the network"


def send_keys_home(folder: Path) -> str:
    """Runs studies that would send keys elsewhere."""
    with serve() as other, serve(elsewhere=f"{other.url}/chat/completions") as sly, serve() as allowed:
        watch = NetworkWatch(folder, (other, sly, allowed))
        by_name = other.url.replace("127.0.0.1", "127.1")
        refused = {
            "another host": f"openai:toy@{by_name}?context=9000",
            "another host, encrypted": f"openai:toy@{by_name.replace('http', 'https')}?context=9000",
            "another variable": f"openai:toy@{other.url}?context=9000&key={OTHER_KEY}",
            "another service's key": f"anthropic:toy@{other.url}?context=9000&key={KEY}",
            "a second server": f"openai:toy@{allowed.url},{by_name}?context=9000",
        }
        _ask(watch, folder, "a redirection", sly.spec)
        _ask(watch, folder, "a redirected question", sly.spec, "--dry-run", "--ask-servers")
        promise(not other.asked, "no redirection is followed", f"{len(other.asked)} requests came")
        for name, model in refused.items():
            code = _ask(watch, folder, name, model)
            count = len(other.asked + allowed.asked)
            promise(not count, f"no request to {name}", f"{count} came")
            promise(code == 2, f"{name} is refused with exit code 2", f"exit code {code}")
        code = _ask(watch, folder, "what is allowed", allowed.spec)
        promise(_has_key(allowed), "the server that is allowed gets the key", f"exit code {code}")
    stored = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    promise(CANARY.encode() not in stored, "no key is kept", "it is in a file")
    sent = f"{watch.commands} commands, {watch.processes} processes watched: 0 requests to another host"
    return f"{len(refused)} ways and two redirections; {sent}, 0 keys printed or kept"


def _ask(watch: NetworkWatch, folder: Path, name: str, model: str, *words: str) -> int:
    """Runs a study with ``model``; its exit code."""
    place = folder / name.replace(" ", "_")
    study = write_study(place.with_suffix(".toml"), ("ipd-tit_for_tat-v1",), (f"qa@{model}",), 1, 1)
    done = watch.call("run", study, "--out", place, *words, env={KEY: CANARY, OTHER_KEY: CANARY})
    promise(CANARY not in done.stdout + done.stderr, "no key is printed", f"it is, at {name}")
    return done.returncode


def _has_key(server: Loopback) -> bool:
    return any(CANARY in value for _, headers, _ in server.asked for value in headers.values())


LIMIT = 1000
DENSEST = 4
"""The most bytes of a prompt for which one token is charged at least."""
PLANNED = 400
LIES: dict[str, object] = {
    "no usage": None,
    "no tokens": {"prompt_tokens": 0, "completion_tokens": 0},
    "negative": {"prompt_tokens": -500, "completion_tokens": -1},
    "more cached than sent": {
        "prompt_tokens": 5,
        "completion_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 10**6},
    },
    "one token": {"prompt_tokens": 1, "completion_tokens": 1},
}


def limit_a_liar(folder: Path) -> str:
    """Asks servers that state too few tokens, with a limit of one dollar."""
    prices = folder / "prices.toml"
    prices.write_text('["openai:toy"]\ninput = 1000\noutput = 1000\ncached_input = 1\n', encoding="utf-8")
    study = write_study(folder / "study.toml", ("ipd-tit_for_tat-v1",), ("qa@MODEL",), PLANNED // 2, 1)
    most = 0
    for name, usage in LIES.items():
        with serve(usage) as server:
            limits = ("--max-cost", 1, "--prices", prices)
            done = call(
                "run", study, "--model", server.spec, "--out", folder / name.replace(" ", "_"), *limits
            )
        promise(bool(server.prompts), f"{name}: the server is asked", done.stderr[-300:])
        allowed = LIMIT / ceil(min(map(_size, server.prompts)) / DENSEST) + AT_ONCE
        calls = len(server.prompts)
        promise(calls <= allowed, f"{name}: at most {allowed:.0f} calls", f"{calls} were answered")
        code, most = done.returncode, max(most, calls)
        promise(code == 1, f"{name}: the run stops with exit code 1", f"exit code {code}")
    return f"{len(LIES)} servers that lie: at most {most} of {PLANNED} calls for 1 dollar"


def _size(body: bytes) -> int:
    """The bytes of the texts in a chat request."""
    return sum(len(message["content"].encode()) for message in json.loads(body)["messages"])


MIB = 2**20
LIMITS = CommandLimits(seconds=10, cpu_seconds=5, memory_bytes=256 * MIB, file_bytes=8 * MIB, processes=32)
SECRET = "selfcheck-4711"
VARIABLE = "OTHERMINDS_SELFCHECK"
ATTACKS = {
    "reads a file of the user": "cat {file}",
    "reads the environment": 'echo "${variable}"; cat /proc/self/environ /proc/1/environ',
    "writes to a folder of the user": "echo broken >{file}; rm -rf {folder}/*",
    "links to a file of the user": "ln -s {file} link; cat link",
    "starts processes without end": "f() {{ f | f & }}; f",
    "takes all memory": "python3 -c 'x = bytearray(2**40)' || python3 -c 'x = [bytearray(2**20) for _ in range(10**5)]'",
    "fills the disk": "head -c 1000000000 /dev/zero >big",
    "prints without end": "yes",
    "never ends": "trap '' TERM INT; sleep 1000",
}


def attack_the_sandbox(folder: Path) -> str:
    """Runs commands of a hostile author.

    Raises:
        NotTriedError: there is no sandbox on this machine.
    """
    try:
        sandbox = open_sandbox("auto", LIMITS)
    except StudyError as error:
        raise NotTriedError(str(error)) from None
    secret = folder / "user" / "file"
    secret.parent.mkdir()
    secret.write_text(SECRET, encoding="utf-8")
    with patch.dict(os.environ, {VARIABLE: SECRET}):
        for number, (name, command) in enumerate(ATTACKS.items()):
            workspace = folder / f"workspace_{number}"
            workspace.mkdir()
            text = command.format(file=secret, folder=secret.parent, variable=VARIABLE)
            ran = asyncio.run(sandbox.run(text, workspace))
            promise(SECRET not in ran.stdout + ran.stderr, f"a command that {name} learns nothing", "it did")
            promise(
                secret.read_text(encoding="utf-8") == SECRET,
                f"a command that {name} changes nothing",
                "it did",
            )
            links = [path for path in workspace.rglob("*") if path.is_symlink()]
            size = sum(path.stat().st_size for path in workspace.rglob("*"))
            promise(
                not links and size <= LIMITS.file_bytes,
                f"a command that {name} leaves files only",
                f"{links}, {size} bytes",
            )
            promise(
                len(ran.stdout) <= LIMITS.output_bytes, f"a command that {name} is cut", f"{len(ran.stdout)}"
            )
    return f"{len(ATTACKS)} attacks in {sandbox.name}: 0 gain anything"
