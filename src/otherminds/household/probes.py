"""Literal probes: each chain of ``K`` in a goal becomes a question at the end (Juneja et al. 2026, appendix H), with foils.

A chain of depth 1 asks its agent about the fact. A deeper chain asks what the next agent would report, or what it would
say that the following agent would report. Each probe is asked together with its foils, under names that do not reveal which
is which. The true answer to a question about a fact comes from the world; the true answer to a question about a report is
what the log entitles the other agents to say (:mod:`.knowledge_tracker`). In the paper it is the actual answer of the next
agent: for this score the suffixes of chains are asked too, as *helpers*, which count for no other score.

*Foils* are questions of the same form whose true answers may differ from the probe's. They depend on the task alone, so that
the choice of questions reveals nothing. When true answers are known, the foil that counts is one whose true answer differs
from the probe's. Several kinds are asked, so that one is likely to:

- ``agent``: what each agent would say that each other one reports about the same fact. What came true is the same for
  all of them, and who saw it or was told is not: this separates "the goal came true" from "they know that it did", and
  what oneself knows from what others know.
- ``contrary``: the opposite state, or, for a place, the place of the object at the start.
- ``shared``: a fact that all agents whose report is asked for see at the start.
- ``alone``: a fact that the asked agent sees at the start, and the others do not.
- ``present``: a fact about another thing that holds at the start; at depth 1, where there is no opposite state.

At the end of a run that succeeds, "the goals came true" answers most questions, whoever knows of it. So the probes and
foils are put once more in each run, at a turn called the *cut*: what would be true if the run were cut there, when goals
are still false or not yet known to others. The cut depends on the task and the number of the run alone
(:func:`cut_turn`), nobody is told of it before, and questions never change acts. The paper's score has the end only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import permutations
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from otherminds.core.contracts import Probe
from otherminds.core.data import HELPER, UNKNOWN, Moment, Question, When
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic import formula
from otherminds.household.epistemic.formula import Atom, KnowledgeChain, Literal, Not, atom, names, show
from otherminds.household.epistemic.household_facts import CUT, FoilKind, Trial
from otherminds.household.epistemic.predicates import opposite
from otherminds.household.epistemic.words import Fact
from otherminds.household.epistemic.words.sentences import say
from otherminds.household.goal_check import holds, visible
from otherminds.household.house import House
from otherminds.household.knowledge_tracker import FollowedChains


class Foil(NamedTuple):
    """A foil of a probe: its kind, and the chain that it asks about."""

    kind: FoilKind
    chain: KnowledgeChain


def foils(house: House, chain: KnowledgeChain) -> tuple[Foil, ...]:
    """The foils of a probe, in the order above; fewer if the house has none of a kind."""
    denied = isinstance(chain.fact, Not)
    pairs = (KnowledgeChain(agents, chain.fact) for agents in permutations(house.agents, 2))
    return (
        *(Foil("agent", other) for other in pairs if other != chain),
        *(
            Foil(kind, KnowledgeChain(chain.agents, Not(fact) if denied else fact))
            for kind, fact in _other_facts(house, chain)
        ),
    )


def _other_facts(house: House, chain: KnowledgeChain) -> list[tuple[FoilKind, Atom]]:
    """Facts about which the chain's own agents are asked, in positive form."""
    engine = HouseEngine(house)
    fact = atom(chain.fact)
    knower, *others = (house.agents.index(agent) for agent in chain.agents)
    excluded = set(names(house.goal))
    for binding in house.task.mechanic_bindings:
        excluded |= {binding.trigger_object, binding.target_object}
    free = [candidate for candidate in _pool(house, engine, fact) if candidate.args[0] not in excluded]

    def sees(by: int, candidate: Atom) -> bool:
        return visible(engine, by, candidate)

    def is_shared(candidate: Atom) -> bool:
        return all(sees(i, candidate) and all(engine.current.meets(i, j) for j in others) for i in others)

    def is_alone(candidate: Atom) -> bool:
        return sees(knower, candidate) and not any(sees(i, candidate) for i in others)

    kinds: dict[Atom, FoilKind] = dict.fromkeys(_contrary(house, engine, fact), "contrary")
    if others:
        common = [candidate for candidate in free if candidate not in kinds and is_shared(candidate)]
        kinds |= dict.fromkeys(_first(common, lambda candidate: not sees(knower, candidate)), "shared")
        kinds |= dict.fromkeys(
            _first([candidate for candidate in free if candidate not in kinds and is_alone(candidate)]),
            "alone",
        )
    elif opposite(fact) is None:
        present = [candidate for candidate in free if candidate not in kinds and holds(engine, candidate)]
        kinds |= dict.fromkeys(_first(present), "present")
    return [(kind, candidate) for candidate, kind in kinds.items() if candidate != fact]


def _first(fit: list[Atom], better: Callable[[Atom], bool] = lambda candidate: True) -> list[Atom]:
    """The first atom that is better, or else the first of all; empty if there is none."""
    return [*filter(better, fit), *fit][:1]


def _contrary(house: House, engine: HouseEngine, fact: Atom) -> list[Atom]:
    """The opposite state, or the place of the thing at the start, or else another place of the same kind."""
    other = opposite(fact)
    if other is not None or len(fact.args) == 1:
        return [other] if other else []
    places = [place for place in _pool(house, engine, fact) if place.args[0] == fact.args[0]]
    return _first(places, lambda place: holds(engine, place))


def _pool(house: House, engine: HouseEngine, fact: Atom) -> list[Atom]:
    """Facts with the same predicate about other things, or with another place; those of the same types first.

    Facts about other objects hold at the start, so that they are as likely as the fact itself.
    """
    candidates = [candidate for candidate in dict.fromkeys(_facts(house, engine, fact)) if candidate != fact]
    like = [_type(name) for name in fact.args]
    return sorted(candidates, key=lambda candidate: [_type(name) for name in candidate.args] != like)


def _facts(house: House, engine: HouseEngine, fact: Atom) -> Iterator[Atom]:
    name = fact.predicate
    if opposite(fact) is not None:
        yield from (
            Atom(name, (entity,)) for entity in sorted(house.turned) if house.facts.get((name, entity))
        )
    elif name == "agent_in_room":
        rooms = ((agent, house.spot_room[house.start_spot[agent]]) for agent in house.agents)
        yield from (Atom(name, pair) for pair in (*rooms, *((fact.args[0], room) for room in house.rooms)))
    else:
        for o in sorted(house.objects):
            yield from _there(house, engine, name, o)
        yield from _elsewhere(house, fact)


def _there(house: House, engine: HouseEngine, name: str, o: str) -> Iterator[Atom]:
    """The place of an object at the start, in terms of a predicate."""
    how, where = engine.current.place_of(o)
    if name == "is_next_to":
        yield from (Atom(name, (o, p)) for p in sorted(house.objects) if engine.layout.next_to(o, p))
    elif name == "is_in_room":
        yield Atom(name, (o, house.room_of[where]))
    elif name == "is_on_floor" and how == "lies_on":
        yield Atom(name, (o,))
    elif name == how:
        yield Atom(name, (o, where))


def _elsewhere(house: House, fact: Atom) -> Iterator[Atom]:
    """Other places for the same object, those of the same type first."""
    name, o, *place = fact.predicate, *fact.args
    if name in ("is_on_top", "is_inside"):
        fit = [f for f in house.furniture if house.facts.get((name, o, f))]
        yield from (Atom(name, (o, f)) for f in sorted(fit, key=lambda f: (_type(f) != _type(place[0]), f)))
    else:
        others = {"is_in_room": house.rooms, "is_held_by": house.agents, "is_next_to": sorted(house.objects)}
        yield from (Atom(name, (o, other)) for other in others.get(name, ()) if other != o)


def _type(name: str) -> str:
    return name.rpartition("_")[0]


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
