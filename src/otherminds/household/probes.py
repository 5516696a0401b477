"""Literal probes: each chain of ``K`` in a goal becomes a question at the end (Juneja et al. 2026, appendix H).

A chain of depth 1 asks its agent about the fact. A deeper chain asks what the next agent would report, or what it would
say that the following agent would report. Each probe is asked together with its foils (:mod:`.foils`), under names that
do not reveal which is which. The true answer to a question about a fact comes from the world; the true answer to a
question about a report is what the log entitles the other agents to say (:mod:`.knowledge_tracker`). In the paper it is
the actual answer of the next agent: for this score the suffixes of chains are asked too, as *helpers*, which count for no
other score.

At the end of a run that succeeds, "the goals came true" answers most questions, whoever knows of it. So the probes and
foils are put once more in each run, at a turn called the *cut*: what would be true if the run were cut there, when goals
are still false or not yet known to others. The cut depends on the task and the number of the run alone
(:func:`cut_turn`), nobody is told of it before, and questions never change acts. The paper's score has the end only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

from otherminds.core.contracts import Probe
from otherminds.core.data import HELPER, UNKNOWN, Moment, Question, When
from otherminds.household.epistemic import formula
from otherminds.household.epistemic.formula import KnowledgeChain, Literal, Not, atom, show
from otherminds.household.epistemic.household_facts import CUT, FoilKind, Trial
from otherminds.household.epistemic.words import Fact
from otherminds.household.epistemic.words.sentences import say
from otherminds.household.foils import foils
from otherminds.household.followed import FollowedChains
from otherminds.household.house import House

WOULD = re.compile(r"(agent_[0-9]+) would ", re.ASCII)
PROBE = "probe_"
"""The prefix of the names of probes and foils."""
GOLDEN = (5**0.5 - 1) / 2
"""Steps of this part of a circle never crowd: so many runs, so evenly do their cuts spread over the turns."""


def cut_turn(task_id: str, turns: int, run: int) -> int:
    """The turn of a run, from 1 to ``turns`` − 1, before which its probes are put for the first time.

    The runs of a task have cuts that are spread evenly over the turns, from a start that differs from task to task.

    >>> [cut_turn("relay_1042", 20, run) for run in range(3)]
    [19, 12, 5]
    """
    start = int.from_bytes(sha256(task_id.encode()).digest()[:4]) / 2**32
    return 1 + int((start + run * GOLDEN) % 1 * max(turns - 1, 1))


def answer_of(fact: Literal, holds: bool | None) -> dict[str, Any]:
    """The structured answer that says whether a fact holds; ``None`` if that is unknown.

    >>> from otherminds.household.epistemic.formula import Atom
    >>> answer_of(Atom("is_open", ("cabinet_31",)), True)
    {'predicate': 'is_open', 'holds': True, 'args': ['cabinet_31']}
    """
    if holds is None:
        return dict(UNKNOWN)
    statement = atom(fact)
    return {
        "predicate": statement.predicate,
        "holds": holds != isinstance(fact, Not),
        "args": list(statement.args),
    }


def foretold(others: Sequence[str]) -> str:
    """The words of a question for nested reports: the next agent would say that the following one would report.

    >>> foretold(("agent_1", "agent_2"))
    'agent_1 would say that agent_2 would report'
    """
    return f"{' would say that '.join(others)} would report"


def foreseen(question: Question) -> tuple[str, ...]:
    """The agents in the words of :func:`foretold` in a question; empty if it asks for the agent's own report."""
    lead, separator, _ = question.text.partition(" would report about: ")
    return tuple(WOULD.findall(lead + " would ")) if separator else ()


def question_of(name: str, chain: KnowledgeChain, when: When = "end") -> Question:
    """The question called ``name``, with three answers: the fact holds, it does not hold, and unknown."""
    reporter, *others = chain.agents
    statement = say(Fact(chain.fact))
    text = f"Predict what {foretold(others)} about: {statement}" if others else f"Report about: {statement}"
    options = tuple(answer_of(chain.fact, holds) for holds in (True, False, None))
    return Question(name, reporter, when, text, options, 1 / len(options), about=others[0] if others else "")


def question_at_end(name: str) -> str:
    """The name that a question has at the end, from its name there or at the cut.

    >>> question_at_end("cut_probe_3"), question_at_end("probe_3")
    ('probe_3', 'probe_3')
    """
    return name.removeprefix(CUT)


class TaskProbes:
    """The probes of a task: ``chains`` by question id.

    ``followed`` are the chains of its log. ``tests`` maps the name of each chain of the goal (:func:`~otherminds.household.epistemic.formula.probed`) to its questions.
    """

    def __init__(self, house: House) -> None:
        self.depth = formula.depth(house.goal)
        pairs = formula.probed(house.goal).items()
        goal = {name: chain for name, chain in pairs if name.startswith(formula.K_PROBE)}
        others = {name: foils(house, chain) for name, chain in goal.items()}
        chains = {*goal.values(), *(foil.chain for group in others.values() for foil in group)}
        by_hash = sorted(chains, key=lambda chain: sha256(show(chain.formula).encode()).digest())
        ids = {chain: f"{PROBE}{k}" for k, chain in enumerate(by_hash)}
        helped = {chain: name for name, chain in pairs if name.startswith(HELPER) and chain not in ids}
        helped |= ids
        self.chains: dict[str, KnowledgeChain] = {name: chain for chain, name in (ids | helped).items()}
        self.tests: dict[str, Trial] = {}
        for name, chain in goal.items():
            helper = helped[KnowledgeChain(chain.agents[1:], chain.fact)] if chain.agents[1:] else ""
            kinds: dict[str, FoilKind] = {ids[foil.chain]: foil.kind for foil in others[name]}
            self.tests[name] = Trial(ids[chain], kinds, helper)
        self.followed = FollowedChains(house, self._reports())

    def _reports(self) -> dict[str, KnowledgeChain]:
        """The chains that the log must follow: for each question the report that it asks for, the asked agent's own
        report, and the asked agent's knowledge of the report."""
        reports: dict[str, KnowledgeChain] = {}
        for name, chain in self.chains.items():
            reports[own(name)] = KnowledgeChain(chain.agents[:1], chain.fact)
            reports[name] = KnowledgeChain(chain.agents[1:], chain.fact)
            reports[of_report(name)] = chain
        return reports

    def probes(self, cut: int | None = None) -> tuple[Probe, ...]:
        """The questions at the end of the episode, and before turn ``cut`` (from 0) those about probes and foils."""
        probes = [Probe(question_of(name, chain)) for name, chain in self.chains.items()]
        if cut is not None:
            probes += [
                Probe(question_of(CUT + name, chain, "before"), _only_at(cut))
                for name, chain in self.chains.items()
                if name.startswith(PROBE)
            ]
        return tuple(probes)


def _only_at(turn: int) -> Callable[[Moment], bool]:
    return lambda moment: moment.step == turn


_KNOWN: WeakKeyDictionary[House, TaskProbes] = WeakKeyDictionary()


def probes_of(house: House) -> TaskProbes:
    """The probes of a task, cached."""
    probes = _KNOWN.get(house)
    if probes is None:
        probes = _KNOWN[house] = TaskProbes(house)
    return probes


def own(name: str) -> str:
    """The log's name for the asked agent's own knowledge about a question."""
    return f"own {name}"


def of_report(name: str) -> str:
    """The log's name for the asked agent's knowledge of the report that a question asks for."""
    return f"of report {name}"
