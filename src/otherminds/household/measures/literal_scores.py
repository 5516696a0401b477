"""L of a mind over all tasks of a split: how much better it answers questions about knowledge than who never looks.

``L = (A − f) / (1 − f)``, with A the accuracy of the mind and f that of the best policy of :mod:`.floors`, over the same
questions with the same weights. Within a form of question (depth, predicate, role, places), the most frequent true answer weighs as
much as the second: half of what counts are questions with another answer than the likeliest, such as goals that are still
false, or that came true and are not known. A form in which a single answer is ever true tells nothing apart and has no
weight. No task is left out because its answers are right. Depth 1 asks for one's own knowledge: it is scored apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.household.measures.floors import PLANS, score_plans
from otherminds.household.measures.questions import Form, Item

Numbers = NDArray[np.float64]


class LiteralScore(Struct, frozen=True):
    """A score over some questions: shares (0 to 1) of right answers of the mind and of the best policy that never looks.

    ``score`` is L, ``None`` where nothing tells the two apart: no question has weight, or the floor is 1. ``weighted``
    counts the questions with weight, in ``tasks`` tasks, of ``questions`` in all.
    """

    accuracy: float | None
    floor: float | None
    score: float | None
    questions: int
    weighted: int
    tasks: int


class ClassScore(Struct, frozen=True):
    """The score of a class of questions: all of one depth and predicate, and of one role."""

    depth: int
    predicate: str
    role: str
    literal: LiteralScore


class Tally(Struct, frozen=True, eq=False):
    """Questions counted by task, form and true answer, one entry each, for one mind and one split.

    ``task``, ``form`` (indices into ``tasks`` and ``forms``) and ``truth`` are int64[entries]. Of ``asked`` questions
    ``right`` were answered correctly (float64[entries]); ``plans`` is how many each plan of the panel is expected to
    answer correctly (float64[entries, plans]).
    """

    tasks: tuple[str, ...]
    forms: tuple[Form, ...]
    task: NDArray[np.int64]
    form: NDArray[np.int64]
    truth: NDArray[np.int64]
    asked: Numbers
    right: Numbers
    plans: Numbers

    @property
    def entries(self) -> int:
        return len(self.asked)


class Terms(Struct, frozen=True, eq=False):
    """The terms of L by entry of a tally, float64[entries]: ``weights`` of a question (0 to 1), and the weighted numbers of
    questions, of the mind's right answers, and of the floor's. ``rare`` (bool[entries]): another answer than this one is
    the most frequent true one of the form."""

    weights: Numbers
    rare: NDArray[np.bool_]
    asked: Numbers
    right: Numbers
    floor: Numbers


def tally_items(items: Iterable[tuple[str, Item]]) -> Tally:
    """The tally of questions, each with the name of its task."""
    groups: dict[tuple[str, Form, int], list[Item]] = {}
    for task, item in items:
        groups.setdefault((task, item.form, item.truth), []).append(item)
    tasks = tuple(dict.fromkeys(task for task, _, _ in groups))
    forms = tuple(dict.fromkeys(form for _, form, _ in groups))
    places = {name: n for n, name in enumerate(tasks)}, {form: n for n, form in enumerate(forms)}
    plans = [np.sum([score_plans(item) for item in group], axis=0) for group in groups.values()]
    return Tally(
        tasks=tasks,
        forms=forms,
        task=np.array([places[0][task] for task, _, _ in groups], dtype=np.int64),
        form=np.array([places[1][form] for _, form, _ in groups], dtype=np.int64),
        truth=np.array([truth for _, _, truth in groups], dtype=np.int64),
        asked=np.array([len(group) for group in groups.values()], dtype=np.float64),
        right=np.array([sum(item.right for item in group) for group in groups.values()], dtype=np.float64),
        plans=np.array(plans, dtype=np.float64).reshape(len(groups), PLANS),
    )


def find_terms(tally: Tally, times: Numbers | None = None) -> Terms:
    """The terms of L, with the floor's best plan for each form; ``times`` (float64[tasks]) repeats tasks."""
    times = (np.ones(len(tally.tasks)) if times is None else times)[tally.task]
    question_counts, weights, floor = tally.asked * times, np.zeros(tally.entries), np.zeros(tally.entries)
    rare = np.zeros(tally.entries, dtype=np.bool_)
    for form in range(len(tally.forms)):
        inside = tally.form == form
        counts = np.bincount(tally.truth[inside], question_counts[inside], minlength=3)
        second = np.sort(counts)[-2]
        if not second:
            continue  # With one truth alone, a constant answer is always right: the form tells nothing apart.
        form_weights = weights[inside] = np.minimum(1.0, second / np.maximum(counts, 1e-12))[
            tally.truth[inside]
        ]
        rare[inside] = (tally.truth[inside] != counts.argmax()) & (question_counts[inside] > 0)
        counted = form_weights * times[inside]
        best = (counted @ tally.plans[inside]).argmax()
        floor[inside] = counted * tally.plans[inside, best]
    return Terms(weights, rare, question_counts * weights, tally.right * times * weights, floor)


def score_entries(tally: Tally, terms: Terms, inside: NDArray[np.bool_]) -> LiteralScore:
    """The score over some entries of a tally."""
    total, right, floor = (float(part[inside].sum()) for part in (terms.asked, terms.right, terms.floor))
    counted = inside & (terms.weights > 0)
    room = total - floor
    return LiteralScore(
        accuracy=right / total if total else None,
        floor=floor / total if total else None,
        score=(right - floor) / room if room > 1e-9 else None,
        questions=int(tally.asked[inside].sum()),
        weighted=int(tally.asked[counted].sum()),
        tasks=len(set(tally.task[counted].tolist())),
    )


def are_about_others(tally: Tally) -> NDArray[np.bool_]:
    """The entries of depth 2 and more: what they ask for is what others would say."""
    deep = np.array([form[0] > 1 for form in tally.forms], dtype=np.bool_)
    return deep[tally.form] if tally.entries else np.zeros(0, dtype=np.bool_)


def in_tasks(tally: Tally, tasks: Sequence[str]) -> NDArray[np.bool_]:
    """The entries of some tasks."""
    chosen = set(tasks)
    return np.array([tally.tasks[place] in chosen for place in tally.task], dtype=np.bool_)


def score_classes(tally: Tally, terms: Terms) -> tuple[ClassScore, ...]:
    """The score of each class, shallow ones first; a class has one or more forms."""
    scores: list[ClassScore] = []
    for depth, predicate, role in sorted({form[:3] for form in tally.forms}):
        inside = np.array([form[:3] == (depth, predicate, role) for form in tally.forms], dtype=np.bool_)
        scores.append(ClassScore(depth, predicate, role, score_entries(tally, terms, inside[tally.form])))
    return tuple(scores)
