"""The name of an authored task, which its structure gives, and its proofs under that name."""

from __future__ import annotations

import msgspec
from msgspec import structs

from otherminds.core.errors import TaskError
from otherminds.household.epistemic.certificate import decoded
from otherminds.household.generating.structure import structure
from otherminds.household.pool.entry import digest, task_json
from otherminds.household.task import Task

DIGITS = 12
"""Hexadecimal digits of the structure in the name of a task."""


def authored_id(structure_digest: str) -> str:
    """The name of a task with this structure.

    >>> authored_id("0123456789abcdef")
    'authored_0123456789ab'
    """
    return f"authored_{structure_digest[:DIGITS]}"


def authored(task: Task) -> Task:
    """The task under the name that the authored pool gives it, as it is read from a file there.

    Raises:
        TaskError: its structure cannot be computed (:func:`~otherminds.household.generating.structure.structure`).
    """
    named = structs.replace(task, task_id=authored_id(structure(task)))
    return msgspec.json.decode(task_json(named), type=Task)


def renamed(certificate: bytes, task: Task) -> bytes:
    """A certificate of an equal task with another name, as one of ``task``; nothing else in it is changed.

    Its problem quotes the name and the digest of the task, with which the checker compares them.

    Raises:
        TaskError: it is no certificate.
    """
    try:
        found = decoded(certificate)
    except ValueError as error:
        raise TaskError(f"task {task.task_id!r}: its proofs are no certificate: {error}") from None
    problem = structs.replace(found.problem, task=task.task_id, digest=digest(task_json(task)))
    return msgspec.json.encode(structs.replace(found, problem=problem, digest=problem.sha256()))
