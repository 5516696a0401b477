"""Scripted judges of known error rates on planted faults: what they catch, how they agree with proofs, how many they are.

The judges read the same prompts as models and reply in the same form. With ``--model`` that model judges some tasks too, and
the share of its replies that cannot be read is counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any

from common import arguments, finish
from msgspec import structs
from tables import table

from otherminds.household.authoring.checking import checks_of
from otherminds.household.authoring.council import Council, CouncilRule, judgement
from otherminds.household.authoring.planted.measuring import (
    JudgedCase,
    agreement,
    cases,
    catch_rates,
    effective_judges,
    judged_cases,
    sound_tasks,
)
from otherminds.household.authoring.results import Criterion, Gates
from otherminds.measures.intervals import Estimate, share_of
from otherminds.models.registry import open_model
from otherminds.studies.outside import CallSession

RATES = ("0", "0", "0.1", "0.1", "0.3", "0.3")
COUNCILS = {"0, 0": (0, 1), "0.1, 0.1": (2, 3), "0.3, 0.3": (4, 5), "0.1, 0.1, 0.3": (2, 3, 4)}
"""The places of the judges of each council."""
RULES = (CouncilRule("paper"), CouncilRule("median"))


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--tasks", type=int, default=10, help="sound tasks (default 10)")
    parser.add_argument("--model", default="", help="a model that judges the first tasks, such as smollm2")
    parser.add_argument("--judged", type=int, default=5, help="tasks that the model judges (default 5)")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    if options.tasks:
        sessions = [
            CallSession(f"judge_{place}", open_model(f"scripted_judge:{rate}"), options.seed)
            for place, rate in enumerate(RATES)
        ]
        judged = asyncio.run(judged_cases(Council(sessions), tuple(cases(sound_tasks(options.tasks)))))
        figures |= report(judged)
    if options.model:
        figures |= asyncio.run(unread(options.model, options.judged, options.seed))
    finish(options, figures)


def report(judged: Sequence[JudgedCase]) -> dict[str, Any]:
    """The tables, and their figures."""
    faulty, sound = [one for one in judged if one.fault], [one for one in judged if not one.fault]
    shown: dict[str, Any] = {"sound tasks": len(sound), "faulty tasks": len(faulty)}
    rows: list[list[str]] = []
    for name, places in COUNCILS.items():
        for rule in RULES:
            some = of_judges(judged, places)
            caught = share_of(sum(rejects(one, rule) for one in some if one.fault), len(faulty))
            alarms = share_of(sum(rejects(one, rule) for one in some if not one.fault), len(sound))
            many = effective_judges(some)
            number = "–" if many.number is None else f"{many.number:.2f}"
            correlation = "–" if many.correlation is None else f"{many.correlation:.2f}"
            rows.append([name, rule.name, text(caught), text(alarms), number, correlation])
            shown |= {f"{name} {rule.name}: caught": caught.mean, f"{name} {rule.name}: alarms": alarms.mean}
    heads = (
        "error rates",
        "rule",
        "faults caught",
        "false alarms",
        "effective judges",
        "correlation of errors",
    )
    print(f"\n{len(sound)} sound and {len(faulty)} faulty tasks\n")
    print(table([*heads], rows))
    print("Caught by kind, error rates 0.1 and 0.1, rule paper\n")
    print(table([*KINDS], list(kinds(judged))))
    kappas = {rate: agreement(judged, RATES.index(rate)) for rate in dict.fromkeys(RATES)}
    criteria: dict[Criterion, None] = {one: None for found in kappas.values() for one in found}
    lines = [[one, *(text(found[one]) for found in kappas.values())] for one in criteria]
    print("Cohen's kappa with the checks, by error rate\n")
    print(table(["criterion", *kappas], lines))
    return shown


KINDS = ("fault", "criterion", "tasks", "checks", "council", "criterion named", "checks or council")


def kinds(judged: Sequence[JudgedCase]) -> Iterator[list[str]]:
    """A row for each kind of fault."""
    rule = RULES[0]
    some = of_judges(judged, COUNCILS["0.1, 0.1"])
    for one in catch_rates(some, rule):
        of_kind = [case for case in some if case.fault == one.fault]
        both = sum(case.checks.stage(Gates()) is not None or rejects(case, rule) for case in of_kind)
        seen = [one.checks, one.rejected, one.named, share_of(both, len(of_kind))]
        yield [one.fault or "none (sound)", one.criterion, str(len(of_kind)), *map(text, seen)]


def of_judges(judged: Sequence[JudgedCase], places: Sequence[int]) -> list[JudgedCase]:
    """The cases with the judgements of some judges."""
    return [
        structs.replace(one, judgements=tuple(one.judgements[place] for place in places)) for one in judged
    ]


def rejects(one: JudgedCase, rule: CouncilRule) -> bool:
    return not rule.decide(one.judgements, one.task).accepted


async def unread(spec: str, number: int, seed: int) -> dict[str, Any]:
    """How many replies of a model cannot be read, and how many judgements are invalid."""
    session = CallSession("judge_0", open_model(spec), seed)
    started, invalid = perf_counter(), 0
    for item, task in enumerate(sound_tasks(number)):
        found = await judgement(session, task, checks_of(task).house, item)
        invalid += bool(found.invalid)
        print(f"{task.task_id}: {found.invalid or f'mean {found.mean:.2f}'}")
    calls = session.record().calls
    figures = {"judged": number, "invalid": invalid, "replies": len(calls)}
    print(figures, f"{perf_counter() - started:.0f} s")
    return {f"{spec}: {name}": value for name, value in figures.items()}


def text(found: Estimate) -> str:
    """The mean and its 95 % interval."""
    if found.mean is None:
        return "–"
    ends = "" if found.low is None or found.high is None else f" [{found.low:.2f}, {found.high:.2f}]"
    return f"{found.mean:.2f}{ends}"


if __name__ == "__main__":
    main()
