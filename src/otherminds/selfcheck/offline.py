"""What leaves the machine: nothing in runs without a model and in dry runs; keys and money only as far as the user said."""

from __future__ import annotations

import json
from math import ceil
from pathlib import Path

from otherminds.selfcheck.loopback import AT_ONCE, Loopback, serve
from otherminds.selfcheck.programs import call, write_study
from otherminds.selfcheck.watching import NetworkWatch
from otherminds.testing.compare import promise

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
