"""The questions about knowledge in an episode of the household: which count, and what the log says of their truth.

Probes and their foils (:mod:`otherminds.household.probes`) are put at the cut of a run and at its end
(:mod:`otherminds.household.probes`). Reports of others are judged by the log of observations and messages. Left
out, and counted by reason, is what the log cannot determine, and what the asked agent could not know, where only a guess
is right. What is left out depends on the log alone, never on an answer. L is about the questions of all tasks
of a split together (:mod:`.floors`, :mod:`.literal_scores`).
"""

from __future__ import annotations

from typing import Literal as OneOf
from typing import TypeAlias, cast

from msgspec import Struct

from otherminds.core.record import Asked, Record
from otherminds.household.epistemic.formula import (
    Atom,
    Formula,
    KnowledgeChain,
    Literal,
    atom,
    chains,
    claims,
)
from otherminds.household.epistemic.household_facts import CUT, Trial
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.predicates import opposed, positive
from otherminds.household.measures.trace import Trace, trace
from otherminds.measures.registry import (
    NOT_APPLYING,
    Inapplicable,
    Ratio,
    Unknown,
    literals,
    ratios,
    under_test,
)

NO_PROBES = "no literal probe was put: the goal has no K, or the study does not ask"
Why: TypeAlias = OneOf["unread", "outdated", "unknowable"]
LEFT_OUT: dict[Why, str] = {
    "unread": "it depends on a message that was not read",
    "outdated": "somebody saw or was told what is no longer so, or was never known",
    "unknowable": "the asked agent could not know the true answer",
}
"""The reasons for leaving out a question, by name."""
Role: TypeAlias = OneOf["probe", "agent", "contrary", "other"]
"""What the words of a question show of its part: a chain of the goal; a fact of the goal, known by other agents; the
contrary of one; any other fact."""
Form: TypeAlias = tuple[int, str, Role, str]
"""The depth of a question, the predicate of its fact, its role, and, of a question about other agents, the places of the
asked one and of the others in the goal's chain: ``1,0`` asks the second what the first would report, ``-`` is in no place."""
HOLDS, FAILS, UNKNOWN = range(3)
"""The answers, in the order of a question's options."""
INVALID = -1
STATUS = {"holds": HOLDS, "fails": FAILS, "unknown": UNKNOWN}


class Item(Struct, frozen=True):
    """A question that counts, as it was put to ``seat``, and what it answered (:data:`INVALID` if that was not valid).

    ``moment`` is when, as a share of the longest episode: 1 at the end. ``own`` is what the asked agent is entitled to
    say about the fact itself, ``None`` if the log cannot determine it. ``sent`` and ``received`` are what its last
    messages about the fact say, and ``last`` what the later one of the two says.
    """

    seat: str
    form: Form
    moment: float
    answer: int
    truth: int
    own: int | None
    sent: int
    received: int
    last: int

    @property
    def depth(self) -> int:
        return self.form[0]

    @property
    def right(self) -> bool:
        """Whether the answer is the truth."""
        return self.answer == self.truth


class LeftOut(Struct, frozen=True):
    """A question that does not count, and ``why``."""

    seat: str
    form: Form
    why: Why

    @property
    def depth(self) -> int:
        return self.form[0]


def asked_tests(record: Record) -> tuple[Trace, dict[str, Asked], dict[str, Trial]] | Unknown:
    """The facts, all answers by the id of their question, and the tests of the seats under test, by chain of the goal."""
    episode = trace(record)
    if isinstance(episode, Unknown):
        return episode
    mine = under_test(record)
    answers = {record.questions[answer.question].id: answer for answer in record.asked}
    tested_ids = {
        question.id for question in record.questions if question.id in answers and question.seat in mine
    }
    tests = {name: test for name, test in episode.tests.items() if test.probe in tested_ids}
    return (episode, answers, tests) if tests else Unknown(NO_PROBES)


def items(record: Record) -> list[Item | LeftOut] | Unknown:
    """All probes and foils put to the seats under test, in the order in which they were put."""
    tested = asked_tests(record)
    if isinstance(tested, Unknown):
        return tested
    episode, answers, tests = tested
    names = {name for test in tests.values() for name in (test.probe, *test.foils)}
    forms = _Forms(episode)
    return [
        _item(record, episode, forms, name, answer)
        for name, answer in answers.items()
        if name.removeprefix(CUT) in names
    ]


@literals.register("foils")
def literal_of_task(record: Record) -> Unknown:
    """L is defined over the tasks of a split together (:mod:`.literal_scores`): a single task has none to show."""
    episode = trace(record)
    return episode if isinstance(episode, Inapplicable) else Unknown(NOT_APPLYING)


@ratios.register("literal_entitled")
def literal_entitled(record: Record) -> tuple[float, float] | Unknown:
    """The share of questions that count (0 to 1) that were answered correctly, by the log."""
    questions = items(record)
    if isinstance(questions, Unknown):
        return questions
    counted = [item for item in questions if isinstance(item, Item)]
    return float(sum(item.right for item in counted)), float(len(counted))


def _share_left_out(why: Why) -> Ratio:
    def share(record: Record) -> tuple[float, float] | Unknown:
        questions = items(record)
        if isinstance(questions, Unknown):
            return questions
        return float(
            sum(isinstance(question, LeftOut) and question.why == why for question in questions)
        ), float(len(questions))

    return share


for _why in LEFT_OUT:
    ratios.add(f"probes_{_why}", _share_left_out(_why))


class _Forms:
    """The forms of a task's questions."""

    def __init__(self, episode: Trace) -> None:
        self._goals = {positive(chain.fact) for chain in claims(episode.goal)}
        self._probes = [(chain.agents, positive(chain.fact)) for chain in chains(episode.goal)]

    def of(self, chain: KnowledgeChain) -> Form:
        fact = positive(chain.fact)
        role = self._role(chain.agents, fact)
        places = self._places(chain.agents, fact) if role == "agent" else ""
        return len(chain.agents), atom(fact).predicate, role, places

    def _role(self, agents: tuple[str, ...], fact: Literal) -> Role:
        if (agents, fact) in self._probes:
            return "probe"
        if fact in self._goals:
            return "agent"
        return "contrary" if any(_excludes(goal, fact) for goal in self._goals) else "other"

    def _places(self, agents: tuple[str, ...], fact: Literal) -> str:
        goal_agents = next((others for others, goal in self._probes if goal == fact), ())
        return ",".join(str(goal_agents.index(agent)) if agent in goal_agents else "-" for agent in agents)


def _item(record: Record, episode: Trace, forms: _Forms, name: str, answer: Asked) -> Item | LeftOut:
    question, cut = record.questions[answer.question], name.startswith(CUT)
    log = episode.questions[name.removeprefix(CUT)]
    if cut:
        log = log.after(answer.step)
    chain = chains(parse(log.chain))[0]
    form = forms.of(chain)
    if log.truth not in STATUS:
        return LeftOut(question.seat, form, cast("Why", log.truth))
    if not log.fair:
        return LeftOut(question.seat, form, "unknowable")
    valid = answer.invalid is None and answer.answer in question.options
    return Item(
        seat=question.seat,
        form=form,
        moment=min(1.0, answer.step / episode.task.turns) if cut else 1.0,
        answer=question.options.index(answer.answer) if valid else INVALID,
        truth=STATUS[log.truth],
        own=STATUS.get(log.own),
        **_find_statements(episode, question.seat, positive(chain.fact), answer.step),
    )


def _find_statements(episode: Trace, seat: str, fact: Literal, turn: int) -> dict[str, int]:
    """What the last messages about ``fact`` say that ``seat`` sent or received before ``turn``, whoever knows it."""
    last_statements = {"sent": UNKNOWN, "received": UNKNOWN, "last": UNKNOWN}
    sent = [(message.turn, message) for message in episode.messages if message.sender == seat]
    received = [(message.arrival, message) for message in episode.messages if seat in message.delivered]
    for when, message in sorted((*sent, *received), key=lambda dated: (dated[0], dated[1].turn)):
        if when >= turn:
            continue
        for stated in map(positive, (chain.fact for chain in episode.facts_in(message))):
            if stated == fact or _excludes(stated, fact):
                answer = HOLDS if stated == fact else FAILS
                last_statements |= {"sent" if seat == message.sender else "received": answer, "last": answer}
    return last_statements


def _excludes(fact: Literal, other: Formula) -> bool:
    """Whether two different facts in positive form cannot both hold: opposite states, or two places of one thing."""
    if opposed(fact) == other:
        return True
    if not (isinstance(fact, Atom) and isinstance(other, Atom)) or fact == other:
        return False
    return len(fact.args) == 2 and fact.predicate == other.predicate and fact.args[0] == other.args[0]
