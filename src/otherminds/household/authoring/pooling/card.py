"""The card of a dataset: what it has, how its tasks were verified, and under which licence they are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping

import otherminds
from otherminds.household.authoring.pooling.accounts import PoolAccount
from otherminds.household.authoring.pooling.yields import acceptance

FEATURES: Mapping[str, str] = {
    "task_id": "the name of the task",
    "category": "`cooperative` or `mixed`",
    "depth": "the depth of knowledge of the goal, as assigned",
    "agents": "the number of agents",
    "pattern": "the functional pattern that the author declares",
    "mechanics": "the kinds of mechanics in the task",
    "generation": "0: what the pool started with",
    "author": "the model or script that wrote it",
    "parents": "the seed tasks that the author was shown",
    "turns": "turns of the central plan with all secrets public; 0: not known",
    "structure": "SHA-256 of the task up to names",
    "sha256": "SHA-256 of the task file in canonical JSON",
    "verdicts": "JSON: the verdicts of the verifier, each with its status and a sentence",
    "judgements": "JSON: the scores of the judges, criterion by criterion",
    "levels": "JSON: runs, of 3, that each reference team solves",
    "task": "JSON: the task file",
}
RESULTS: Mapping[str, str] = {
    "task_id": "the task",
    "target": "the model or team under test",
    "run": "the number of the run, from 0",
    "solved": "whether the physical goal was reached",
    "patterns": "the patterns of the failure",
}


def card(pool: PoolAccount, licence: str, counts: Mapping[tuple[str, str], int], form: str) -> str:
    """The text of ``README.md``. ``counts`` are the rows by table and split; ``form`` is that of the files to load."""
    return "\n".join([*_head(pool, licence, counts, form), *_body(pool, counts)]) + "\n"


def _head(pool: PoolAccount, licence: str, counts: Mapping[tuple[str, str], int], form: str) -> Iterator[str]:
    """The front matter; texts in it are JSON strings, which YAML reads as such."""
    yield "---"
    yield f"pretty_name: {json.dumps(f'Household tasks: {pool.name}')}"
    yield f"license: {json.dumps(licence)}"
    yield "language: [en]"
    yield "tags: [theory-of-mind, multi-agent, household-tasks]"
    yield "configs:"
    for table in dict.fromkeys(table for table, _ in counts):
        yield f"- config_name: {table}"
        yield "  data_files:"
        for split in (split for one, split in counts if one == table):
            yield f"  - split: {split}"
            yield f"    path: {form}/{table}/{split}.{form}"
    yield "---"


def _body(pool: PoolAccount, counts: Mapping[tuple[str, str], int]) -> Iterator[str]:
    yield f"# Household tasks: {_plain(pool.name)}\n"
    yield (
        "Tasks for teams of agents of which each knows a part of what the team must know. They were written by the "
        f"authors below, checked, and exported by Other Minds {otherminds.__version__}.\n"
    )
    yield "## Splits\n\n| table | split | rows |\n|---|---|---|"
    yield from (f"| {table} | {split} | {count} |" for (table, split), count in counts.items())
    authors = Counter(origin.author for origin in pool.provenance.values())
    yield "\n| author | tasks |\n|---|---|"
    yield from (f"| {_plain(author)} | {count} |" for author, count in authors.most_common())
    yield "\n## Features\n\n| tasks | |\n|---|---|"
    yield from (f"| `{name}` | {about} |" for name, about in FEATURES.items())
    if ("results", "runs") in counts:
        yield "\n| results | |\n|---|---|"
        yield from (f"| `{name}` | {about} |" for name, about in RESULTS.items())
    yield "\n## How the tasks were verified\n"
    yield (
        "No attempt added a task whose structure, which is the task up to names, the pool had. Every task has the "
        "verdicts of a verifier; a status that begins with `proved` is a proof. The attempts passed these stages, each "
        "by its last task:\n"
    )
    yield "| stage | attempts |\n|---|---|"
    yield from (f"| {name} | {count} |" for name, count in acceptance(pool.attempts).items())
    yield "\nVerdicts of all tasks:\n\n| verdict | status | tasks |\n|---|---|---|"
    found = Counter((one.name, one.status) for task in pool.tasks for one in task.entry.verdicts)
    yield from (
        f"| {_plain(name)} | {_plain(status)} | {count} |" for (name, status), count in sorted(found.items())
    )


def _plain(text: str) -> str:
    """A name in a cell of a table: no markup, no line break."""
    return "".join(one if one.isalnum() or one in " _.:@=,()-" else "?" for one in text)
