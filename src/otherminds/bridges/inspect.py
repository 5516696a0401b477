"""Inspect: every scenario as a task with its scorers, and the sandbox of authoring as one of Inspect's.

``inspect eval otherminds/rps_single --model PROVIDER/MODEL``. Inspect finds this module by its entry points. A sample is one
planned episode, with the seeds and partners that a study has; the evaluation's model plays it.

``sandbox="otherminds"`` needs no container and no service. A sample has one workspace. Between two commands only its
regular files and folders last, with no permission but that to execute: processes, links and files elsewhere, as in
``/tmp``, do not."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, overload

import msgspec
import numpy as np
from inspect_ai import Task, task
from inspect_ai.agent import Agent
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.event import Event
from inspect_ai.log import EvalLog, resolve_sample_attachments, transcript
from inspect_ai.model import ChatMessageAssistant, ModelOutput, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, frequency, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
    store_from_events,
)
from pydantic import ValidationError

from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.record import OUTCOMES, EpisodeSpec, Outcome, Record
from otherminds.core.scenario import scenarios
from otherminds.core.segments import read_line
from otherminds.core.text import show_value
from otherminds.measures.basis import ScoreInputs
from otherminds.measures.basis import scores as scores_of
from otherminds.measures.episode import summarise
from otherminds.measures.intervals import Estimate, Strata
from otherminds.measures.registry import Unknown
from otherminds.measures.registry import ego as seat_under_test
from otherminds.minds.registry import prepare_setup
from otherminds.models.inspected import Inspected, InspectedAgent
from otherminds.models.wrapper import Reasoning
from otherminds.play.loop import play
from otherminds.sandbox.kinds import Bubblewrap, CommandLimits, open_sandbox
from otherminds.sandbox.supervised import MIB, WORKSPACE, Supervised
from otherminds.studies.file import SEED, CellEntry, StudyFile
from otherminds.studies.plan import ego, plan
from otherminds.studies.store import line_of

SECONDS = 600
"""The time limit of a command for which Inspect gives none."""
ENV = "/usr/bin/env"
NOT_EXECUTABLE = 126
"""The exit status of ``env`` for a program that it finds and cannot start."""


@sandboxenv(name="otherminds")
class WorkspaceEnvironment(SandboxEnvironment):
    """A workspace in a folder of its own, in which each command runs by bubblewrap."""

    def __init__(self) -> None:
        self._kept = TemporaryDirectory(prefix="otherminds-", ignore_cleanup_errors=True)
        self._folder = Path(self._kept.name)

    @classmethod
    async def task_init(cls, task_name: str, config: SandboxEnvironmentConfigType | None) -> None:
        """Shows that the sandbox works here.

        Raises:
            StudyError: it does not; the text says what to install.
        """
        open_sandbox("bubblewrap")

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        return {"default": cls()}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            environment.as_type(cls)._kept.cleanup()

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Runs a command. A relative ``cwd`` is one in the workspace.

        Raises:
            TimeoutError: it took longer than ``timeout``.
            PermissionError: the program cannot be executed.
            OutputLimitExceededError: it printed more than Inspect's limit.
            SandboxUserUnsupportedError: ``user`` is given: the sandbox has one user.
        """
        if user is not None:
            raise SandboxUserUnsupportedError(f"the sandbox has one user, and not {user!r}")
        most = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        limits = CommandLimits(
            seconds=timeout or SECONDS,
            cpu_seconds=timeout or SECONDS,
            memory_bytes=1024 * MIB,
            file_bytes=256 * MIB,
            files=10_000,
            output_bytes=most,
        )
        variables = [f"{name}={value}" for name, value in (env or {}).items()]
        argv = [ENV, "-C", os.path.join(WORKSPACE, cwd or "."), "--", *variables, *cmd]
        stdin = input.encode() if isinstance(input, str) else input or b""
        ran = await Supervised(Bubblewrap(), limits).execute(argv, self._folder, stdin)
        if ran.timed_out:
            raise TimeoutError(f"the command took longer than {limits.seconds:g} s")
        if ran.cut:
            printed = ran.stdout if "stdout" in ran.cut else ran.stderr
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, printed)
        if ran.code == NOT_EXECUTABLE and ran.stderr.startswith("/usr/bin/env:"):
            raise PermissionError(ran.stderr.strip())
        return ExecResult(ran.code == 0, ran.code, ran.stdout, ran.stderr)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Writes a file of the workspace.

        Raises:
            PermissionError: ``file`` is outside the workspace.
            IsADirectoryError: it is a folder.
        """
        path = self._place(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Reads a file of the workspace.

        Raises:
            FileNotFoundError: there is none.
            PermissionError: ``file`` is outside the workspace.
            IsADirectoryError: it is a folder.
            UnicodeDecodeError: it is no text.
            OutputLimitExceededError: it is larger than Inspect's limit.
        """
        path = self._place(file)
        if path.stat().st_size > SandboxEnvironmentLimits.MAX_READ_FILE_SIZE:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        data = path.read_bytes()
        return data.decode() if text else data

    def _place(self, file: str) -> Path:
        """Where a file of the workspace is kept. No link is there, so that the name alone decides."""
        path = Path(os.path.normpath(os.path.join(WORKSPACE, file)))
        if not path.is_relative_to(WORKSPACE):
            raise PermissionError(f"{file}: only files in {WORKSPACE} can be read and written")
        return self._folder / path.relative_to(WORKSPACE)


RECORD = "otherminds_record"
"""The key of the record in a sample's store: one line, as in the folder of a study."""
COMMON = ("unused", "gap", "functional", "literal")
"""Shown first, and with intervals."""
REASONS = {"invalid": "invalid_response_format", "cut": "cut_at_its_budget", "refused": "refused"}
"""Reasons of outcomes without a score; any other one is an episode that was not played to its end."""
NOT_PLAYED = Outcome("failed", "", "the episode did not come to its end")


def records(log: EvalLog) -> Iterator[Record]:
    """The record of every sample that has one.

    Raises:
        StudyError: the log was read without its samples, or a record is damaged.
    """
    if log.samples is None:
        raise StudyError(f"{log.location}: read without its samples; leave out header_only")
    for sample in log.samples:
        line = sample.store.get(RECORD) or _rebuild_line(resolve_sample_attachments(sample).events)
        if line is not None:
            yield _record(line, f"{log.location}: sample {sample.id!r}")


@metric(scores="unreduced")
def cell() -> Metric:
    """The numbers of a report's cell over all scored episodes; each epoch is a separate episode.

    Means of the measures; ``functional`` (F), ``literal`` (L), ``gap`` and the parts of regret,
    over the reference population; the 95 % intervals of the first ones (``_low``, ``_high``). What is undefined is
    left out. As :func:`otherminds.measures.cells.tabulate` has them, but for the ratios
    that are summed over episodes (replies, encounters), which reports have.
    """

    def compute(scores: list[SampleScore]) -> Value:
        episodes = {"episodes": float(len(scores))}
        if not scores:
            return episodes
        bases = [msgspec.convert((sample.score.metadata or {})["basis"], ScoreInputs) for sample in scores]
        estimates = scores_of(bases) | _means(bases, [sample.score for sample in scores])
        means = {name: estimate.mean for name, estimate in estimates.items()}
        ends = {
            f"{name}_{end}": getattr(estimates[name], end)
            for end in ("low", "high")
            for name in COMMON
            if estimates[name].mean is not None
        }
        ordered = {name: means[name] for name in COMMON} | episodes | means | ends
        return {name: value for name, value in ordered.items() if value is not None}

    return compute


@scorer(metrics=[cell()])
def theory_of_mind() -> Scorer:
    """Every measure of a scored episode, by name.

    A measure that the record does not hold is missing; ``unknown`` in the
    metadata says why. Any other episode has no value, and counts in no mean.
    """

    async def score(state: TaskState, target: Target) -> Score:
        record = _read_played(state)
        ended = record.outcome if record else NOT_PLAYED
        if record is None or ended.status != "scored":
            return Score.unscored(reason=_reason(ended), explanation=_explain_outcome(ended))
        episode = summarise(record)
        measured = episode.values.items()
        value = {name: number for name, number in measured if not isinstance(number, Unknown)}
        unknown = {name: number.reason for name, number in measured if isinstance(number, Unknown)}
        about = {"scenario": episode.scenario, "mind": episode.mind}
        basis = msgspec.to_builtins(episode.basis)
        return Score(value=value, metadata={**about, "basis": basis, "unknown": unknown})

    return score


@scorer(metrics=[frequency(OUTCOMES)])
def outcome() -> Scorer:
    """How the episode ended, as :class:`~otherminds.core.record.Outcome` names it."""

    async def score(state: TaskState, target: Target) -> Score:
        record = _read_played(state)
        ended = record.outcome if record else NOT_PLAYED
        if ended.status == "scored":
            return Score(value=ended.status)
        return Score(value=ended.status, reason=_reason(ended), explanation=_explain_outcome(ended))

    return score


def _read_played(state: TaskState) -> Record | None:
    """The record that the solver stored; ``None`` if a limit stopped it."""
    line = state.store.get(RECORD) or _rebuild_line(transcript().events)
    return None if line is None else _record(line, f"sample {state.sample_id!r}")


def _rebuild_line(events: Sequence[Event]) -> object:
    """The stored line, rebuilt from events: a sample that Inspect saves from a killed run has an empty store."""
    return store_from_events(list(events)).get(RECORD)


def _record(line: object, place: str) -> Record:
    if not isinstance(line, str):
        raise StudyError(f"{place}: its record is no text")
    return read_line(line.encode("utf-8", "surrogatepass"), place).record()


def _reason(ended: Outcome) -> str:
    return REASONS.get(ended.status, "not_played_to_its_end")


def _explain_outcome(ended: Outcome) -> str:
    return f"{ended.status} at step {ended.step}: {ended.reason}" if ended.step >= 0 else ended.reason


def _means(bases: Sequence[ScoreInputs], scores: list[Score]) -> dict[str, Estimate]:
    """The mean of every measure that each episode has a value of."""
    strata = Strata([basis.partner for basis in bases])
    values = [score.as_dict() for score in scores]
    shared = [name for name in values[0] if all(name in value for value in values)]
    columns = {name: np.array([value[name] for value in values], dtype=np.float64) for name in shared}
    return {name: strata.estimate(column) for name, column in columns.items()}


PLACE = "inspect"
"""The placeholder for the model of the evaluation."""
VERSIONED = re.compile(r"(.+)-v(\d+)")


@solver
def episode(agent: Agent | None = None) -> Solver:
    """Plays the sample's episode with the evaluation's model or an ``agent``, and keeps the record in the store.

    Raises:
        ProviderError: the model or the agent did not answer; the sample is in error, so that Inspect can retry it.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = Reasoning(Inspected(get_model())) if agent is None else InspectedAgent(agent)
        planned_spec = msgspec.convert(state.metadata["episode"], EpisodeSpec)
        spec = _with_model(planned_spec, model.spec)
        record, timing = await play(prepare_setup(spec, {model.spec: model}))
        state.store.set(RECORD, line_of(record, timing).decode())
        if record.outcome.blame == ProviderError.blame:
            raise ProviderError(record.outcome.reason)
        text = summary(record)
        name = model.spec.partition(":")[2]
        state.output = ModelOutput.from_content(name, text)
        state.messages.append(ChatMessageAssistant(content=text, model=name))
        return state

    return solve


def summary(record: Record) -> str:
    """A summary of an episode: its outcome, its measures, and a line for each encounter."""
    mine = seat_under_test(record)
    ended = record.outcome
    partners = ", ".join(partner.name for partner in record.partners.values())
    why = "" if ended.status == "scored" else f" at step {ended.step}: {ended.reason}"
    lines = [f"{record.spec.title} with {partners}: {ended.status}{why}", f"return {record.total(mine):g}"]
    if ended.status == "scored":
        values = summarise(record).values.items()
        lines += [f"{name} {value:.3f}" for name, value in values if not isinstance(value, Unknown)]
    answers: dict[int, list[str]] = {}
    for answer in record.asked:
        if record.questions[answer.question].seat == mine:
            answers.setdefault(answer.step, []).append(
                str(answer.answer) if answer.invalid is None else f"nothing ({answer.invalid.reason})"
            )
    lines.append("")
    for met in record.met[mine]:
        did = ", ".join(f"{seat} {' or '.join(names)}" for seat, names in met.did.items())
        predicted = f"; said {', '.join(answers[met.step])}" if met.step in answers else ""
        lines.append(f"{met.step + 1}: {did}; reward {met.reward:g}{predicted}")
    return "\n".join(lines)


def plan_samples(name: str, cell: CellEntry, seed: int) -> MemoryDataset:
    """The episodes of ``cell``, one per sample; ids begin with ``name``.

    Raises:
        StudyError: a name or value in the cell is invalid.
    """
    specs = plan(StudyFile(name=name, seed=seed, cells=[cell]), Path()).episodes
    samples: list[Sample] = []
    for k, spec in enumerate(specs):
        mine = next(iter(spec.seats))
        met = ", ".join(seat.title for name, seat in spec.seats.items() if name != mine)
        text = f"{ego(spec).mind} meets {met} in {spec.title}, seed {spec.seed}"
        metadata = {"partner": met, "seed": spec.seed, "episode": msgspec.to_builtins(spec)}
        samples.append(Sample(id=f"{name}-{k:03}-{met}", input=text, metadata=metadata))
    return MemoryDataset(samples, name=specs[0].title)


def _with_model(spec: EpisodeSpec, model: str) -> EpisodeSpec:
    """``spec`` with ``model`` in every seat that has one."""
    seats = {
        seat: msgspec.structs.replace(who, model=model) if who.model else who
        for seat, who in spec.seats.items()
    }
    return msgspec.structs.replace(spec, seats=seats)


def _task(name: str, of: str, version: int) -> Callable[..., Task]:
    """The task ``name``, which plays the scenario ``of``."""

    def make(
        strategy: str = "qa",
        params: dict[str, Any] | None = None,
        episodes: int = 30,
        rounds: int | None = None,
        names: str | list[str] | None = None,
        literal: str | None = None,
        ask: bool = True,
        seed: int = 0,
    ) -> Task:
        settings = {"episodes": episodes, "rounds": rounds, "names": names, "literal": literal, "ask": ask}
        mind = {"mind": strategy, "model": PLACE, "params": params or {}}
        try:
            cell = CellEntry.model_validate({"scenarios": [of], "minds": [mind], **settings})
            dataset = plan_samples(name, cell, seed)
        except ValidationError as error:
            fault = error.errors()[0]
            instead = "" if fault["type"] == SEED else f", not {show_value(fault['input'])}"
            raise StudyError(f"task {name}: -T {fault['loc'][0]}: {fault['msg']}{instead}") from error
        except StudyError as error:
            raise StudyError(f"task {name}: {str(error).rpartition(']: ')[2]}") from error
        return Task(dataset=dataset, solver=episode(), scorer=[theory_of_mind(), outcome()], version=version)

    make.__doc__ = f"The scenario {of}, a sample an episode; see docs/inspect.md."
    return make


def name_tasks(ids: Iterable[str]) -> dict[str, tuple[int, str]]:
    """The newest version of each scenario, as (version, id) by task name.

    >>> name_tasks(["rps-single-v10", "rps-single-v9", "duel"])
    {'rps_single': (10, 'rps-single-v10'), 'duel': (0, 'duel')}
    """
    newest: dict[str, tuple[int, str]] = {}
    for of in ids:
        versioned = VERSIONED.fullmatch(of)
        stem, version = (versioned[1], int(versioned[2])) if versioned else (of, 0)
        name = stem.replace("-", "_")
        newest[name] = max(newest.get(name, (0, "")), (version, of))
    return newest


FREE = [
    of
    for of in scenarios
    if all(option.default is not option.empty for option in signature(scenarios.get(of)).parameters.values())
]
"""The scenarios that need nothing from a file of the user, such as a game or a household task."""
TASKS = {name: task(name=name)(_task(name, of, version)) for name, (version, of) in name_tasks(FREE).items()}
"""Every task by its name without ``otherminds/``."""
