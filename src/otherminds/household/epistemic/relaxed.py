"""Reachability with deletions and the number of messages ignored: what is unreachable so is unreachable.

Knowledge is the most that agents can have: a message may tell everything that its sender knows and is common knowledge of
its sender and its addressees, and agents that know a fact know this of one another if each may ever see the next one, and
that one may ever see the fact or has it from its secrets. The search goes backwards from a part of the goal, through a
graph of facts, knowledge and parts of rules (:mod:`.splitting`) whose edges are all ways to add each. Several variants of a
problem share one graph: each node has the set of the variants in which it is reachable, a number with one bit for each. If
a part is unreachable in a variant, a closed set of nodes is the evidence (:class:`~.certificate.Claim`).

*Messages that a goal needs.* Agents of the proofs act on secrets that they know, and messages state secrets or facts. If a
part of the goal never holds without a message about a secret, every way to it has a message that states this secret. A
statement is about one secret, so that ``n`` such secrets need ``n`` statements, and with ``k`` statements a message at least
``n / k`` messages. Where a message may say everything, one could be enough. A request ("agent_1, please open cabinet_10") is
not counted: who knows several secrets can draw the conclusion, and ask for an act without stating any of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias, cast

from msgspec import Struct

from otherminds.household.epistemic.certificate import (
    UNLIMITED,
    Claim,
    EpistemicProblem,
    Gate,
    Known,
    Words,
)
from otherminds.household.epistemic.formula import behind
from otherminds.household.epistemic.grounder import fill_pattern
from otherminds.household.epistemic.splitting import Conjunction, Part, RuleEffect, SplitRules

Node: TypeAlias = Words | Known | Part
"""A fact, knowledge, which begins with a tuple, or a part of a rule, which begins with a number."""
Way: TypeAlias = tuple[int, tuple[int, ...]]
"""Variants, and nodes that together add another in these variants."""
MEETING = (("at", "?x", "?s"), ("meets", "?s", "?t"), ("at", "?y", "?t"))
"""Agent ?x may see agent ?y."""
MET = -1
"""The number of the parts that say that an agent sees another one, which knows a literal by sight or from its secrets."""


class ProblemVariant(Struct, frozen=True):
    """A problem with changes: agents in ``without`` only look and listen; no message is about a chain of more than
    ``deepest - 2`` agents, so that it tells its hearer of no more than ``deepest`` (0 or 1: there are no messages);
    without ``gated``, agents act without reasons; the facts in ``static`` hold too; no message is about a literal or secret
    in ``untold``.
    """

    without: Words = ()
    deepest: int = UNLIMITED
    gated: bool = True
    static: frozenset[Words] = frozenset()
    untold: frozenset[str] = frozenset()


WHOLE = ProblemVariant()
"""The problem itself."""


class Reachability:
    """What may ever hold in each of several variants of a problem.

    What is explored for one variant is used for the others; it takes less time to ask for several at once
    (:meth:`explore`).

    Nodes have numbers. For each, ``_reached`` has the variants in which it is known to be reachable, ``_wanted`` those in
    which it was asked for, ``_ways`` all ways to add it once it is explored, and ``_users`` the ways that wait for it. A
    way waits, in each variant, for one of its needs only: nothing else is explored for it as long as that is unreachable.
    """

    def __init__(self, problem: EpistemicProblem, variants: Sequence[ProblemVariant] = (WHOLE,)) -> None:
        variants = tuple(dict.fromkeys(variants))
        self._problem, self._variants = problem, variants
        self._bits = {variant: 1 << k for k, variant in enumerate(variants)}
        self._all = (1 << len(variants)) - 1
        self._gated = _mask(variant.gated for variant in variants)
        self._active = {a: _mask(a not in variant.without for variant in variants) for a in problem.agents}
        base, sometimes = (
            set(problem.static),
            frozenset[Words]().union(*(variant.static for variant in variants)),
        )
        self._varying = {
            fact: _mask(fact in variant.static for variant in variants) for fact in sometimes - base
        }
        self._rules = SplitRules(problem, base | sometimes)
        silenced = frozenset[str]().union(*(variant.untold for variant in variants))
        self._untold = {
            literal: _mask(literal in variant.untold for variant in variants) for literal in silenced
        }
        self._depths: dict[int, int] = {}
        self._gates: dict[str, list[Gate]] = {}
        for gate in problem.gates:
            for name in gate.actions:
                self._gates.setdefault(name, []).append(gate)
        self._number: dict[Node, int] = {}
        self._nodes: list[Node] = []
        self._reached: list[int] = []
        self._wanted: list[int] = []
        self._waiting: list[tuple[int, int, int]] = []
        self._gained: list[int] = []
        self._ways: list[list[Way] | None] = []
        self._users: list[list[tuple[int, Way]]] = []
        self._missing = {self._number_node(fact) for fact in self._varying}
        for node in (*problem.start, *problem.known):
            self._reached[self._number_node(node)] = self._all
        self._meeting = self._rules.conjunction(MEETING, ("?x", "?y"), {})

    def explore(self, parts: Iterable[Known], variants: Iterable[ProblemVariant]) -> None:
        """Finds what may hold of the parts in all of these variants."""
        bits = sum({self._bits[variant] for variant in variants})
        for part in parts:
            for target in self._targets(part):
                self._reaches(self._number_node(target), bits)

    def holds(self, part: Known, variant: ProblemVariant | None = None) -> bool:
        """Whether a literal, or knowledge of it, may ever hold in a variant, by default the first."""
        bit = self._bits[variant or self._variants[0]]
        # All targets are explored, as the evidence needs.
        reached = [self._reaches(self._number_node(target), bit) for target in self._targets(part)]
        return any(variants & bit for variants in reached)

    def never(self, parts: Sequence[Known], variant: ProblemVariant | None = None) -> Claim | None:
        """The claim that ``parts`` of the goal never all hold, with its evidence; ``None`` if they may.

        The evidence is that one of them, the first in ``parts`` of the claim, never holds.
        """
        variant = variant or self._variants[0]
        for part in parts:
            if not self.holds(part, variant):
                never, unknown = self.close([part], variant)
                return Claim(
                    "unreachable",
                    "never",
                    parts=(part, *(other for other in parts if other != part)),
                    never=never,
                    unknown=unknown,
                    without=variant.without,
                    deepest=variant.deepest,
                )
        return None

    def close(
        self, parts: Iterable[Known], variant: ProblemVariant
    ) -> tuple[tuple[Words, ...], tuple[Known, ...]]:
        """Facts and knowledge, with ``parts``, none of which ever holds in a variant, since each needs another one.

        None of ``parts`` may ever hold there.
        """
        targets = tuple(target for part in parts for target in self._targets(part))
        closed = [self._nodes[k] for k in self._close_targets(targets, self._bits[variant])]
        facts = (cast("Words", node) for node in closed if isinstance(node[0], str))
        chains = (cast("Known", node) for node in closed if isinstance(node[0], tuple))
        return tuple(sorted(facts)), tuple(sorted(chains))

    def _targets(self, part: Known) -> tuple[Node, ...]:
        return (part,) if part[0] else self._problem.literals[part[1]]

    def _number_node(self, node: Node) -> int:
        number = self._number.get(node)
        if number is None:
            number = self._number[node] = len(self._nodes)
            self._nodes.append(node)
            fact = cast("Words", node)
            self._reached.append(self._varying.get(fact, self._all) if fact in self._rules.static else 0)
            self._wanted.append(0)
            self._ways.append(None)
            self._users.append([])
        return number

    def _close_targets(self, targets: Sequence[Node], bit: int) -> set[int]:
        """Nodes that are not reachable, with all targets: each way to add one of them needs another one of them."""
        closed, waiting = set[int](), [self._number[target] for target in targets]
        while waiting:
            node = waiting.pop()
            if node in closed:
                continue
            closed.add(node)
            for mask, needs in self._ways[node] or ():
                if mask & bit:
                    lost = [need for need in needs if not self._reached[need] & bit]
                    # A static fact that is missing is no evidence: the problem has it.
                    if closed.isdisjoint(lost) and self._missing.isdisjoint(lost):
                        waiting.append(next(need for need in lost if self._wanted[need] & bit))
        return closed

    def _reaches(self, target: int, variants: int) -> int:
        """The variants in which a node is reachable, complete for the given ones; explores what is not yet known."""
        if variants & ~self._wanted[target]:
            self._waiting.append((target, variants, target))
        while self._waiting:
            node, requested, whose = self._waiting.pop()
            requested &= ~self._reached[node]
            if requested & ~self._wanted[node] and requested & ~self._reached[whose]:
                self._wanted[node] |= requested
                self._explore(node)
            while self._gained:
                node = self._gained.pop()
                users, self._users[node] = self._users[node], []
                for user, way in users:
                    self._pursue(user, way)
        return self._reached[target]

    def _explore(self, node: int) -> None:
        """Pursues all ways to add a node, the nearest ones last, so that what they need is explored first."""
        ways, reached, requested = self._ways[node], self._reached, self._wanted[node]
        if ways is None:
            added = dict.fromkeys(self._added_by(self._nodes[node]))
            missing = {
                way: len([1 for need in way[1] if reached[need] & requested != requested]) for way in added
            }
            ways = self._ways[node] = sorted(added, key=missing.__getitem__)
            for way in ways:
                if missing[way]:
                    break
                self._pursue(node, way)
        if requested & ~reached[node]:
            for way in reversed(ways):
                self._pursue(node, way)

    def _pursue(self, node: int, way: Way) -> None:
        """Adds a node in the variants in which the way is open; in each other one, explores the first need that is missing."""
        remaining, needs = way
        remaining &= self._wanted[node] & ~self._reached[node]
        for need in needs:
            # What is explored already costs nothing.
            if missing := remaining & self._wanted[need] & ~self._reached[need]:
                self._users[need].append((node, way))
                remaining ^= missing
        for need in needs:
            if missing := remaining & ~self._reached[need]:
                self._users[need].append((node, way))
                self._waiting.append((need, missing, node))
                remaining ^= missing
        if remaining:
            self._reached[node] |= remaining
            self._gained.append(node)

    def _added_by(self, node: Node) -> Iterator[Way]:
        match node:
            case (tuple() as agents, str(literal)):
                yield from self._find_sight_ways(agents, literal)
                yield from self._find_message_ways(agents, literal)
            case (int() as number, (agent, other, literal)) if number == MET:
                yield from self._find_meeting_ways(agent, other, literal)
            case (int(), tuple()):
                for conjunction, values in self._rules.values(node):
                    if (needs := self._needs(conjunction, values)) is not None:
                        yield self._all, needs
            case _:
                yield from self._find_action_ways(node)

    def _needs(self, conjunction: Conjunction, values: Sequence[str]) -> tuple[int, ...] | None:
        """The nodes of a conjunction; ``None`` if a static fact is missing."""
        needs: list[int] = []
        for slots in conjunction.checks:
            fact = tuple([values[s] if isinstance(s, int) else s for s in slots])
            if fact not in self._rules.static:
                return None
            if fact in self._varying:
                needs.append(self._number_node(fact))
        for number, places in conjunction.parts:
            needs.append(self._number_node((number, tuple([values[s] for s in places]))))
        for slots in conjunction.needs:
            needs.append(self._number_node(tuple([values[s] if isinstance(s, int) else s for s in slots])))
        return tuple(needs)

    def _find_action_ways(self, fact: Words) -> Iterator[Way]:
        """The ways in which actions add a fact, each with a reason of its actor."""
        for effect in self._rules.adding(fact[0]):
            for values in self._rules.match_effect(effect, fact):
                mask = self._active.get(values[0], 0)
                needs = self._needs(effect.needs, values) if mask else None
                if needs is None:
                    continue
                reasons = self._reasons(effect, values)
                if not reasons or mask & ~self._gated:
                    yield mask if not reasons else mask & ~self._gated, needs
                for reason in reasons:
                    yield mask & self._gated, (*reason, *needs)

    def _reasons(self, effect: RuleEffect, values: Sequence[str]) -> list[tuple[int, ...]]:
        if effect.action is None or effect.action.name not in self._gates:
            return []
        binding = dict(zip(effect.known, values, strict=True))
        adds = {fill_pattern(add, binding) for add in effect.action.adds}
        return [
            tuple([self._number_node(((values[0],), secret)) for secret in gate.secrets])
            for gate in self._gates[effect.action.name]
            if not adds.isdisjoint(gate.adds)
        ]

    def _find_sight_ways(self, agents: Words, literal: str) -> Iterator[Way]:
        """An agent sees the literal; or several agents know it, and each meets the next one (:meth:`_find_meeting_ways`)."""
        if len(set(agents)) > 1:
            singles = [self._number_node(((agent,), literal)) for agent in dict.fromkeys(agents)]
            pairs = dict.fromkeys(pairwise(agents))
            yield self._all, (*singles, *(self._number_node((MET, (*pair, literal))) for pair in pairs))
            return
        for fact in self._problem.literals.get(literal, ()):
            for effect in self._rules.showing(fact[0]):
                for values in self._rules.match_effect(effect, fact):
                    if values[0] == agents[0] and (needs := self._needs(effect.needs, values)) is not None:
                        yield self._all, (self._number_node(fact), *needs)

    def _find_meeting_ways(self, agent: str, other: str, literal: str) -> Iterator[Way]:
        """An agent sees another one, which has seen the literal at any time, or whose secrets state it."""
        meeting = self._needs(self._meeting, (agent, other))
        if meeting is None:
            return
        if ((other,), literal) in self._problem.known:
            yield self._all, meeting
        for variants, needs in self._find_sight_ways((other,), literal):
            yield variants, (*needs, *meeting)

    def _find_message_ways(self, agents: Words, literal: str) -> Iterator[Way]:
        """A message is common knowledge of its sender and its addressees."""
        for sender in self._problem.agents:
            group = {sender, *self._problem.links.get(sender, ())}
            able = self._problem.budgets.get(sender, 1) > 0
            for length in range(1, len(agents) + 1 if able else 1):
                audience, content = set(agents[:length]), agents[length:]
                mask = self._deep(len(content) + 2) & self._active[sender] & ~self._untold.get(literal, 0)
                if mask and audience <= group and audience != {sender}:
                    yield mask, (self._number_node((behind(sender, content), literal)),)

    def _deep(self, length: int) -> int:
        """The variants in which messages establish chains of ``length`` agents."""
        if length not in self._depths:
            self._depths[length] = _mask(length <= variant.deepest for variant in self._variants)
        return self._depths[length]


def _mask(applies: Iterable[bool]) -> int:
    """The set of the variants in which something is so."""
    return sum(1 << k for k, so in enumerate(applies) if so)


def list_secrets(problem: EpistemicProblem) -> tuple[str, ...]:
    """The secrets that are reasons to act, each once."""
    return tuple(dict.fromkeys(secret for gate in problem.gates for secret in gate.secrets))


def leave_untold(secret: str) -> ProblemVariant:
    """The problem in which no message is about a secret."""
    return ProblemVariant(untold=frozenset((secret,)))


def needed_secrets(reach: Reachability, parts: Sequence[Known], secrets: Iterable[str]) -> tuple[str, ...]:
    """The secrets without a message about which some part of the goal never holds.

    ``reach`` has the problem itself, and the variants of :func:`leave_untold` for all ``secrets``.
    """
    return tuple(
        secret for secret in secrets if not all(reach.holds(part, leave_untold(secret)) for part in parts)
    )
