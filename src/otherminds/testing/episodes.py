"""Whole episodes for the kit, the checks that minds and scenarios share, and checks run again in another process.

One process for each of :data:`HASH_SEEDS` is started at the first call and answers all later ones, since
starting one and importing the library takes longer than most checks. A request is a line of JSON with the
path of a file, the name of a test class in it and a method; the reply is what the method returns."""

from __future__ import annotations

import asyncio
import atexit
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Coroutine, Sequence
from contextlib import redirect_stdout
from copy import deepcopy
from functools import cache, lru_cache, reduce
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryFile
from types import ModuleType
from typing import Any, Protocol, TextIO

import msgspec

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Behaviour, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.disk import resolve_path
from otherminds.core.encoding import encode
from otherminds.core.record import Asked, Record, Timing
from otherminds.core.scenario import Setup
from otherminds.play.loop import play, play_now
from otherminds.testing.compare import alike, leaves_randomness_alone, promise, round_trips

SERVE = "import sys; from otherminds.testing.episodes import serve; serve(sys.stdin, sys.stdout)"
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


def chosen(brief: Brief, behaviour: Behaviour) -> Action | SkillChoice:
    """The choice of ``behaviour``: a skill if it is one, else its index."""
    if behaviour in brief.skills:
        return SkillChoice(behaviour)
    return brief.behaviours[brief.seat].index(behaviour)


class RandomMind(Mind):
    """Plays legal actions and answers options uniformly at random.

    It chooses among its skills, or among all primitive actions if it has none. The answer to the
    next question is drawn in ``perceive``, so that asking draws nothing.
    """

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._rng = context.rng
        self._space = deepcopy(brief.action_space)
        self._space.seed(self._rng.getrandbits(31))
        own = brief.behaviours.get(brief.seat, ())
        self._skills = [SkillChoice(name) for name in own if name in brief.skills]

    async def perceive(self, moment: Moment) -> None:
        self._luck = self._rng.random()

    async def act(self) -> Action | SkillChoice | Invalid:
        if self._skills:
            return self._rng.choice(self._skills)
        action: Any = self._space.sample()
        return int(action) if hasattr(action, "__index__") and not getattr(action, "shape", ()) else action

    async def answer(self, question: Question) -> Answer | Invalid:
        if not question.options:
            return Invalid("a random mind has nothing to choose from")
        return question.options[int(self._luck * len(question.options))]


class ScriptedMind(Mind):
    """Plays the behaviours of ``script`` in order, then repeats the last one."""

    def __init__(self, script: Sequence[Behaviour]) -> None:
        self.script = tuple(script)

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.context = context
        self._choices = [chosen(brief, behaviour) for behaviour in self.script]
        self._played = 0

    async def perceive(self, moment: Moment) -> None:
        """Ignores the moment."""

    async def act(self) -> Action | SkillChoice | Invalid:
        self._played += 1
        return self._choices[min(self._played, len(self._choices)) - 1]

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a scripted mind is not asked")


def played(setup: Setup) -> Record:
    """The record of one episode; in an event loop only where a mind suspends."""
    if any(who.mind.suspends for who in setup.participants.values()):
        return asyncio.run(play(setup))[0]
    return play_now(setup)[0]


def body(record: Record) -> list[str]:
    """A record without its spec, as lines to compare."""
    return re.split(r"(?<=,)", encode(msgspec.structs.replace(record, spec=None)).decode())


def deeds(record: Record) -> list[bytes]:
    """Actions and rewards, step by step, and choices."""
    return [*map(encode, zip(record.actions, record.rewards, strict=True)), *map(encode, record.choices)]


def pair_answers(record: Record) -> list[tuple[Asked, Question]]:
    """What was asked in an episode, each with its question."""
    return [(answer, record.questions[answer.question]) for answer in record.asked]


class RecordPromises:
    """Checks that play an episode again under other circumstances: its spec alone determines it.

    A case defines how an episode is played (:meth:`episode`), how several are played concurrently
    (:meth:`yielding`), what draws random numbers, and what JSON may lose.
    """

    seeds: tuple[int, ...]
    draws: str = "something"

    def episode(self, seed: int) -> Record:
        """The episode of ``seed``, by itself."""
        raise NotImplementedError(f"{type(self).__name__} must write episode()")

    def once(self, seed: int) -> Record:
        """The episode of ``seed``, played once for all checks that only read it."""
        return _once(type(self), seed)

    def yielding(self, seeds: tuple[int, ...]) -> list[Coroutine[Any, Any, tuple[Record, Timing]]]:
        """The episodes of ``seeds`` in one scenario, whose minds yield to other tasks at every turn."""
        raise NotImplementedError(f"{type(self).__name__} must write yielding()")

    def perishable(self, record: Record) -> str:
        """The parts of a record that JSON may not give back."""
        raise NotImplementedError(f"{type(self).__name__} must write perishable()")

    def fingerprint(self) -> str:
        """A hash of the records under all seeds."""
        bodies = ("".join(body(self.once(seed))) for seed in self.seeds)
        return hashlib.sha256("".join(bodies).encode()).hexdigest()

    def test_same_spec_same_record(self) -> None:
        """Two equal specs give equal records."""
        for seed in self.seeds:
            same(self.once(seed), self.episode(seed), f"seed {seed} gives the same record twice")

    def test_same_in_another_process(self) -> None:
        """Another process, with another ``PYTHONHASHSEED``, makes the same records."""
        same_elsewhere(self, "records")

    def test_interleaved_episodes(self) -> None:
        """Episodes that are played concurrently give the same records as one after the other."""
        alone = [self.once(seed) for seed in self.seeds]

        async def side_by_side() -> list[Record]:
            return [record for record, _ in await asyncio.gather(*self.yielding(self.seeds))]

        for seed, single, other in zip(self.seeds, alone, asyncio.run(side_by_side()), strict=True):
            same(single, other, f"seed {seed} gives the same record while others are played")

    def test_global_randomness_is_left_alone(self) -> None:
        """The global random generators are neither read nor changed."""
        first, other = leaves_randomness_alone(lambda: self.episode(self.seeds[0]), self.draws)
        same(first, other, "the global generators are not read")

    def test_records_survive_json(self) -> None:
        """A record comes back from JSON as it was."""
        for record in map(self.once, self.seeds):
            lost = f"JSON cannot give back {self.perishable(record)}"
            promise(round_trips(record, Record), "a record comes back from JSON as it was", lost)


@lru_cache(maxsize=4)
def _once(kind: type[RecordPromises], seed: int) -> Record:
    return kind().episode(seed)


def same(record: Record, other: Record, promised: str) -> None:
    """Demands that two records are equal, except for their specs."""
    alike(body(record), body(other), promised)
