"""L of a mind over all tasks of a split: how much better it answers questions about knowledge than who never looks.

``L = (A − f) / (1 − f)``, with A the accuracy of the mind and f that of the best policy that never looks at who saw or heard
what, over the same questions with the same weights. Within a form of question (depth, predicate, role, places), the most
frequent true answer weighs as much as the second: half of what counts are questions with another answer than the likeliest,
such as goals that are still false, or that came true and are not known. A form in which a single answer is ever true tells
nothing apart and has no weight. No task is left out because its answers are right. Depth 1 asks for one's own knowledge: it is
scored apart.

A policy answers each question by a rule: a constant; a coin between two or three answers; the asked agent's own knowledge of
the fact, for everybody; what the last message about it said (received, sent, or either), for everybody; or both together.
Where own knowledge or messages say nothing, the rule may go on to a constant. A *mixture* chooses the rule by the form of a
question: its depth, its predicate, and whether it is a chain of the goal, a fact of the goal with other agents, the contrary of
one, or none of these; and it may switch from one rule to another at a quarter, half or three quarters of an episode, or at its
end. "The goals came true, and their contraries did not" is such a mixture. All are evaluated on the same runs as the mind,
coins by their exact expectation, and the best one is the floor f. Being the best of many after the fact, it is rather too high
than too low. At depth 1 a question is about the asked agent's own knowledge, so that its knowledge and its messages are no way
around it: there the rules are constants and coins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.household.measures.questions import FAILS, HOLDS, UNKNOWN, Form, Item

Rule: TypeAlias = Callable[[Item], float]
"""The probability that a rule answers a question correctly."""


def _constant(answer: int) -> Rule:
    return lambda item: float(item.truth == answer)


def _coin(*answers: int) -> Rule:
    return lambda item: (item.truth in answers) / len(answers)


def _own(otherwise: int = UNKNOWN) -> Rule:
    """Own knowledge; it counts as right where the log cannot determine it."""
    return lambda item: float(
        item.own is None or item.truth == (otherwise if item.own == UNKNOWN else item.own)
    )


def _follow_message(which: Literal["sent", "received", "last"], otherwise: int = UNKNOWN) -> Rule:
    def rule(item: Item) -> float:
        stated: int = getattr(item, which)
        return float(item.truth == (otherwise if stated == UNKNOWN else stated))

    return rule


def _own_or_said(item: Item) -> float:
    return _own()(item) if item.own != UNKNOWN else _follow_message("last")(item)


def _own_and_said(item: Item) -> float:
    return _own()(item) if item.own in (None, item.last) else float(item.truth == UNKNOWN)


BLIND_RULES: dict[str, Rule] = {
    "always holds": _constant(HOLDS),
    "always does not hold": _constant(FAILS),
    "always unknown": _constant(UNKNOWN),
    "coin: holds or not": _coin(HOLDS, FAILS),
    "coin: holds or unknown": _coin(HOLDS, UNKNOWN),
    "coin: does not hold or unknown": _coin(FAILS, UNKNOWN),
    "three-sided coin": _coin(HOLDS, FAILS, UNKNOWN),
}
"""The rules that know nothing at all."""
OWN_RULES: dict[str, Rule] = {
    "own knowledge": _own(),
    "own knowledge, else holds": _own(HOLDS),
    "own knowledge, else does not hold": _own(FAILS),
    "last message": _follow_message("last"),
    "last message, else holds": _follow_message("last", HOLDS),
    "last message, else does not hold": _follow_message("last", FAILS),
    "last message received": _follow_message("received"),
    "last message sent": _follow_message("sent"),
    "own knowledge, else last message": _own_or_said,
    "own knowledge that was said": _own_and_said,
}
"""The rules that take others to know what oneself knows, or what was said."""
RULES = BLIND_RULES | OWN_RULES
BEFORE = ("always holds", "always does not hold", "always unknown", "own knowledge")
"""The rules that a policy may have before it switches."""
SWITCHES = (0.25, 0.5, 0.75, 1.0)
"""The moments of a switch, as shares of the longest episode."""
PLACES = {name: place for place, name in enumerate(RULES)}
"""The places of the rules among plans."""
PLANS = len(RULES) * (1 + len(SWITCHES) * len(BEFORE))
"""The number of plans."""


def score_plans(item: Item) -> NDArray[np.float64]:
    """The probability (0 to 1) that each plan of the panel answers a question correctly: float64[plans].

    A plan is a rule, or two rules with a switch between them. A mixture has one plan for each form of question. At
    depth 1, plans with own knowledge or messages count as wrong.
    """
    rules = BLIND_RULES if item.depth == 1 else RULES
    chances = [rules[name](item) if name in rules else 0.0 for name in RULES]
    chance_blocks = [chances]
    for switch in SWITCHES:
        chance_blocks += [
            [chances[PLACES[name]]] * len(RULES) if item.moment < switch else chances for name in BEFORE
        ]
    return np.array(chance_blocks).reshape(-1)


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
