"""Every scenario as a task of Inspect: ``inspect eval otherminds/rps_single --model PROVIDER/MODEL``.

Inspect finds this module by its entry point. A sample is one planned episode,
with the seeds and partners that a study has; the evaluation's model plays it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from inspect import signature
from pathlib import Path
from typing import Any

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic import ValidationError

from otherminds.bridges.inspect_scores import RECORD, outcome, theory_of_mind
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.record import EpisodeSpec, Record
from otherminds.core.worlds import scenarios
from otherminds.measures.episode import summarise
from otherminds.measures.registry import Unknown
from otherminds.measures.seats import ego as seat_under_test
from otherminds.models.inspected import Inspected
from otherminds.play.loop import play
from otherminds.studies.file import CellEntry, StudyFile
from otherminds.studies.plan import ego, plan
from otherminds.studies.seating import prepare_setup
from otherminds.studies.store import line_of

PLACE = "inspect"
"""The placeholder for the model of the evaluation."""
VERSIONED = re.compile(r"(.+)-v(\d+)")


@solver
def episode() -> Solver:
    """Plays the sample's episode with the evaluation's model, and keeps the record in the store.

    Raises:
        ProviderError: the model did not answer; the sample is in error, so that Inspect can retry it.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = Inspected(get_model())
        planned_spec = msgspec.convert(state.metadata["episode"], EpisodeSpec)
        spec = _with_model(planned_spec, model.spec)
        record, timing = await play(prepare_setup(spec, {model.spec: model}))
        state.store.set(RECORD, line_of(record, timing).decode())
        if record.outcome.blame == ProviderError.blame:
            raise ProviderError(record.outcome.reason)
        text = summary(record)
        state.output = ModelOutput.from_content(str(model.model), text)
        state.messages.append(ChatMessageAssistant(content=text, model=str(model.model)))
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
        rounds: int = 100,
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
            raise StudyError(
                f"task {name}: -T {fault['loc'][0]}: {fault['msg']}, not {fault['input']!r}"
            ) from error
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


FREE = [of for of in scenarios if "game" not in signature(scenarios.get(of)).parameters]
"""The scenarios that need no game from a study file."""
TASKS = {name: task(name=name)(_task(name, of, version)) for name, (version, of) in name_tasks(FREE).items()}
"""Every task by its name without ``otherminds/``."""
