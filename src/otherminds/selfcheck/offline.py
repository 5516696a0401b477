"""What leaves the machine: nothing in runs without a model and in dry runs; keys and money only as far as the user said."""

from __future__ import annotations

import json
import os
import sys
from math import ceil
from pathlib import Path

from otherminds.selfcheck.loopback import AT_ONCE, Loopback, serve
from otherminds.selfcheck.programs import call, call_program, write_study
from otherminds.testing.compare import promise

WATCH = """import os, sys

LOOKED_UP = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
SENT = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"}

def write(line):
    with open(os.environ["OTHERMINDS_WATCHED"], "a") as file:
        file.write(line + "\\n")

def watch(event, arguments):
    if event in LOOKED_UP:
        write(f"{event} {arguments[0]}")
    elif event in SENT and isinstance(arguments[-1], tuple):
        write(f"{event} {arguments[-1]}")

write("watched")
sys.addaudithook(watch)
"""
"""The ``sitecustomize`` of every Python process that a command starts: an audit hook (PEP 578) that writes to a file.

The addresses of sockets within the machine (AF_UNIX) are texts, and are left out.
"""
KEY = "OPENAI_API_KEY"
OTHER_KEY = "OTHERMINDS_CANARY"
CANARY = "sk-selfcheck-4711"
"""The value of both variables."""
ALONE = ("rps-mixed-v1", "rws-repeated-0-v1", "household-one_shot_relay-v1")
"""Scenarios of the three families of worlds."""


def watch_the_network(folder: Path) -> str:
    """Nothing is sent by a run without a language model, nor by what reads its records.

    Every use of the network by Python is written down in all processes of a run in three worlds, its report, its page,
    its episodes and its status.
    """
    study = write_study(folder / "study.toml", ALONE, ("random",), 2)
    out = folder / "out"
    commands: tuple[tuple[object, ...], ...] = (
        ("run", study, "--out", out),
        ("report", out, "--format", "html"),
        ("report", out, "--format", "json"),
        ("episodes", out),
        ("replay", out, 0),
        ("status", out, "--digest"),
    )
    log, env, processes = folder / "watched", _watching(folder), 0
    for command in commands:
        done = call(*command, env=env)
        promise(done.returncode == 0, f"otherminds {command[0]} ends well", done.stderr[-300:])
        processes, used = _read(log)
        promise(
            not used, f"no use of the network by otherminds {command[0]}", f"{len(used)}, first {used[:1]}"
        )
    promise(processes >= len(commands), "every process is watched", f"{processes} were")
    call_program([sys.executable, "-c", "import socket; socket.getaddrinfo('127.0.0.1', 9)"], env)
    promise(
        bool(_read(log)[1]), "the watch sees a use of the network", "it saw none, so that it shows nothing"
    )
    return f"{len(commands)} commands, {processes} processes watched: 0 uses of the network"


def _watching(folder: Path) -> dict[str, str]:
    """The variables under which every Python process writes its uses of the network to ``folder``."""
    hook = folder / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    path = os.pathsep.join(filter(None, (str(hook), os.environ.get("PYTHONPATH", ""))))
    return {"PYTHONPATH": path, "OTHERMINDS_WATCHED": str(folder / "watched")}


def _read(log: Path) -> tuple[int, list[str]]:
    """How many processes were watched, and the uses of the network."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    used = [line for line in lines if line != "watched"]
    return len(lines) - len(used), used


def plan_without_sending(folder: Path) -> str:
    """A dry run sends nothing.

    The studies and evaluations of a server on this machine are planned with --dry-run, for the three kinds of services,
    and connections are counted.
    """
    study = write_study(folder / "study.toml", ("ipd-tit_for_tat-v1",), ("qa@MODEL",), 2, 2)
    with serve() as server:
        kinds = ("openai", "anthropic", "gemini")
        keys = {f"{kind.upper()}_API_KEY": CANARY for kind in kinds}
        for kind in kinds:
            model = f"{kind}:toy@{server.url}"
            for words in (("run", study, "--model", model), ("evaluate", model)):
                done = call(*words, "--out", folder / "out", "--dry-run", env=keys)
                promise(done.returncode == 0, f"{kind} is planned", done.stderr[-300:])
                promise(
                    not server.connections, f"no connection by a dry run of {kind}", f"{server.connections}"
                )
        done = call("run", study, "--model", server.spec, "--out", folder / "out")
        promise(
            done.returncode == 0 and server.connections > 0, "the server can be asked", done.stderr[-300:]
        )
    return f"{2 * len(kinds)} dry runs: 0 connections"


def send_keys_home(folder: Path) -> str:
    """A key goes to no host that the user has not allowed.

    Studies name another host, another variable of the environment, and a server that redirects a call or a question to
    another one; all of these are servers of this check on this machine.
    """
    with serve() as other, serve(elsewhere=f"{other.url}/chat/completions") as sly, serve() as allowed:
        by_name = other.url.replace("127.0.0.1", "127.1")
        refused = {
            "another host": f"openai:toy@{by_name}?context=9000",
            "another host, encrypted": f"openai:toy@{by_name.replace('http', 'https')}?context=9000",
            "another variable": f"openai:toy@{other.url}?context=9000&key={OTHER_KEY}",
            "another service's key": f"anthropic:toy@{other.url}?context=9000&key={KEY}",
            "a second server": f"openai:toy@{allowed.url},{by_name}?context=9000",
        }
        _ask(folder, "a redirection", sly.spec)
        _ask(folder, "a redirected question", sly.spec, "--dry-run", "--ask-servers")
        promise(not other.asked, "no redirection is followed", f"{len(other.asked)} requests came")
        for name, model in refused.items():
            code = _ask(folder, name, model)
            asked = len(other.asked + allowed.asked)
            promise(not asked, f"no request to {name}", f"{asked} came")
            promise(code == 2, f"{name} is refused with exit code 2", f"exit code {code}")
        code = _ask(folder, "what is allowed", allowed.spec)
        promise(_has_key(allowed), "the server that is allowed gets the key", f"exit code {code}")
    kept = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    promise(CANARY.encode() not in kept, "no key is kept", "it is in a file")
    return f"{len(refused)} ways and two redirections: 0 requests to another host, 0 keys printed or kept"


def _ask(folder: Path, name: str, model: str, *words: str) -> int:
    """Runs a study with ``model``; its exit code."""
    place = folder / name.replace(" ", "_")
    study = write_study(place.with_suffix(".toml"), ("ipd-tit_for_tat-v1",), (f"qa@{model}",), 1, 1)
    done = call("run", study, "--out", place, *words, env={KEY: CANARY, OTHER_KEY: CANARY})
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
    """A limit of money holds against any server.

    Servers that state no tokens, none, fewer than none, or too few for what was sent are asked with --max-cost 1, at a
    price for which that is 1,000 tokens.
    """
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
