"""Runs commands on mutated input files and judges what they say; for the tests and ``benchmarks/hardening_inputs.py``."""

from __future__ import annotations

import gzip
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from time import process_time
from types import FrameType
from typing import NamedTuple
from unittest.mock import patch

from otherminds.household.scenes.load import SUFFIX, shipped_scenes
from otherminds.models import embedded
from otherminds.models.embedded import RequestError
from otherminds.models.files import Gguf
from tests.cli.running import Done, otherminds
from tests.minds.learned.making import policy_file
from tests.models.test_gguf import tiny
from tests.mutations import BYTES, HEADER, VALUES, Mutation, mutants

MOST_LINES = 64
"""Lines that a refusal may have: a list of errors is cut at 20, and ``tasks check`` prints each fault of a task."""
SECONDS = 60
"""Processor seconds after which a command counts as hanging."""
STUDY = """name = "mutated"
seed = 3
episodes = 2
rounds = 4
plugins = []
[[games]]
name = "own"
behaviours = ["a", "b"]
payoffs = [[[1, 1], [0, 2]], [[2, 0], [3, 3]]]
[[cells]]
scenarios = ["own-single-v1"]
minds = ["rmax", { mind = "bayes", params = { prior = "mixed" }, label = "b" }]
names = "neutral"
literal = "before"
[[cells]]
scenarios = ["ipd-single-v1"]
minds = ["nash", { mind = "cot", model = "scripted:first", params = { history = false, max_tokens = 20 } }]
episodes = 1
rounds = 2
names = ["X", "Y"]
ask = false
[[cells]]
tasks = ["inverse_handle"]
minds = [{ mind = "level_k", seats = { agent_1 = "level_k" } }]
"""
PACKED = """name = "packed"
[[cells]]
scenarios = ["rps-single-v1"]
rounds = 2
episodes = 1
minds = [{ mind = "cot", model = "scripted:first", params = { pack = "mutated.toml" } }]
"""
LOADS = """name = "loads"
[[cells]]
scenarios = ["rps-single-v1"]
rounds = 2
episodes = 1
minds = ["lm@gguf:PATH"]
"""
PLAYS = """name = "plays"
[[cells]]
scenarios = ["pd-repeated-0-v1"]
options = { steps = 5 }
episodes = 1
minds = [{ mind = "learned", params = { policy = "mutated.safetensors" } }]
"""
PRICES = """["scripted:first"]
input = 0.15
output = 0.60
cached_input = 0.1
"""
PASSED = "the header was accepted"


class HangError(KeyboardInterrupt):
    """A command took too much processor time."""


class Kind(NamedTuple):
    """A kind of input: valid files, how they are damaged, the name of the damaged file, and the command that reads it."""

    sources: dict[str, bytes]
    name: str
    words: Callable[[Path], tuple[object, ...]]
    mutations: tuple[tuple[Mutation, ...], ...] = (BYTES, VALUES)


@dataclass
class Account:
    """What the mutants of one kind did. ``wrong`` has a line for each that broke a promise;
    ``slowest`` took the most processor ``seconds``."""

    outcomes: Counter[str] = field(default_factory=Counter[str])
    wrong: list[str] = field(default_factory=list[str])
    seconds: float = 0.0
    slowest: str = ""


def kinds(folder: Path) -> dict[str, Kind]:
    """Every kind of input file; ``folder`` holds the files beside the damaged one."""
    shipped = files("otherminds")
    tasks = sorted(shipped.joinpath("household/tasks/shipped").iterdir(), key=lambda one: one.name)
    scene = shipped.joinpath(f"household/scenes/shipped/{shipped_scenes()[0]}{SUFFIX}").read_bytes()
    (folder / "packed.toml").write_text(PACKED)
    (folder / "priced.toml").write_text(PACKED.replace(', params = { pack = "mutated.toml" }', ""))
    (folder / "loads.toml").write_text(LOADS.replace("PATH", str(folder / "mutated.gguf")))
    (folder / "plays.toml").write_text(PLAYS)
    pack = shipped.joinpath("minds/language/packs/plain.toml").read_bytes()
    plain = gzip.decompress(scene)
    out = folder / "out"
    return {
        "study": Kind(
            {"own": STUDY.encode()}, "mutated.toml", lambda path: ("run", path, "--out", out, "--dry-run")
        ),
        "prompt pack": Kind(
            {"plain": pack},
            "mutated.toml",
            lambda path: ("run", path.parent / "packed.toml", "--out", out, "--dry-run"),
        ),
        "prices": Kind(
            {"own": PRICES.encode()},
            "prices.toml",
            lambda path: ("run", path.parent / "priced.toml", "--out", out, "--dry-run", "--prices", path),
        ),
        "task": Kind(
            {one.name: one.read_bytes() for one in tasks if one.name.endswith(".json")},
            "mutated.json",
            lambda path: ("tasks", "check", path),
        ),
        "scene": Kind({"plain": plain}, "mutated.json", lambda path: ("scenes", "objects", path)),
        "packed scene": Kind(
            {"gzip": scene}, "mutated.json.gz", lambda path: ("scenes", "objects", path), (BYTES[:4],)
        ),
        "GGUF": Kind(
            {"tiny": tiny()},
            "mutated.gguf",
            lambda path: ("run", path.parent / "loads.toml", "--out", out),
            (HEADER,),
        ),
        "policy": Kind(
            {"tiny": policy_file(folder / "policies", "pd-repeated", "opre").read_bytes()},
            "mutated.safetensors",
            lambda path: ("run", path.parent / "plays.toml", "--out", out, "--dry-run"),
            (HEADER, VALUES),
        ),
    }


def judged(kind: Kind, folder: Path, count: int, seed: int = 0) -> Account:
    """Runs ``count`` mutants of ``kind`` through the command line in this process."""
    account = Account()
    path = folder / kind.name
    for name, data in mutants(kind.sources, count, kind.mutations, seed):
        path.write_bytes(data)
        start = process_time()
        try:
            with limited(), patch.object(embedded, "LlamaProcess", _accepted):
                done = otherminds(*kind.words(path))
        except (Exception, HangError) as error:  # noqa: BLE001 - any exception is what is looked for
            account.outcomes["traceback"] += 1
            account.wrong.append(f"{name}: {type(error).__name__}: {error}"[:300])
            continue
        finally:
            path.unlink()
            seconds = process_time() - start
            account.slowest = name if seconds > account.seconds else account.slowest
            account.seconds = max(account.seconds, seconds)
        account.outcomes[_outcome(done, path, name, account)] += 1
    return account


def _outcome(done: Done, path: Path, name: str, account: Account) -> str:
    said = done.stdout + done.stderr
    if done.returncode == 0 or PASSED in said:
        return "valid"
    broken = [
        why
        for why, wrong in (
            (f"exit code {done.returncode}", done.returncode != 2),
            ("a traceback", "Traceback" in said),
            (f"{said.count(chr(10))} lines", said.count("\n") > MOST_LINES),
            ("a long line", max(map(len, said.splitlines()), default=0) > 5_000),
            ("the file is not named", path.stem not in said),
        )
        if wrong
    ]
    if broken:
        account.wrong.append(f"{name}: {', '.join(broken)}: {said[:200]!r}")
    return "refused"


def _accepted(file: Gguf, context: int) -> None:
    """In place of llama.cpp."""
    raise RequestError(PASSED)


@contextmanager
def limited() -> Iterator[None]:
    """Ends a command after :data:`SECONDS` of processor time."""

    def late(number: int, frame: FrameType | None) -> None:
        raise HangError(f"no end after {SECONDS} processor seconds")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
