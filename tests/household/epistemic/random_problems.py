"""Small epistemic problems drawn at random, with the worlds that their agents take to be possible at the start."""

from __future__ import annotations

import random
from itertools import permutations, product

from msgspec import Struct

from otherminds.household.epistemic.certificate import (
    EpistemicProblem,
    Gate,
    Known,
    ProblemAction,
    SightRule,
    Words,
)
from tests.household.epistemic.referee import State, secret


def words(text: str) -> tuple[Words, ...]:
    """Facts, separated by commas."""
    return tuple(tuple(one.split()) for one in text.split(",") if one.strip())


TYPES = {"?a": "agent", "?b": "agent", "?s": "spot", "?t": "spot", "?f": "furniture", "?o": "object"}


def _parameters(*texts: str) -> tuple[tuple[str, str], ...]:
    names = dict.fromkeys(["?a", *(w for text in texts for one in words(text) for w in one if w[0] == "?")])
    return tuple((name, TYPES[name]) for name in names)


def action(name: str, needs: str, adds: str, removes: str) -> ProblemAction:
    """An action, with the types of its parameters by their letters."""
    return ProblemAction(name, _parameters(needs, adds, removes), words(needs), words(adds), words(removes))


def sight(needs: str, shows: str) -> SightRule:
    """A sight, with the types of its parameters by their letters."""
    return SightRule(_parameters(needs, shows), words(needs), words(shows)[0])


WALK = action("walk", "at ?a ?s, may_go ?a ?t, leads ?s ?t", "at ?a ?t", "at ?a ?s")
OPEN = action("open", "at ?a ?s, reaches ?s ?f, is_closed ?f", "is_open ?f", "is_closed ?f")
CLOSE = action("close", "at ?a ?s, reaches ?s ?f, is_open ?f", "is_closed ?f", "is_open ?f")
TAKE = action(
    "take",
    "at ?a ?s, reaches ?s ?f, is_open ?f, is_inside ?o ?f, hand_empty ?a",
    "is_held_by ?o ?a",
    "is_inside ?o ?f, hand_empty ?a",
)
PUT = action(
    "put",
    "at ?a ?s, reaches ?s ?f, is_open ?f, is_held_by ?o ?a",
    "is_inside ?o ?f, hand_empty ?a",
    "is_held_by ?o ?a",
)
MEETING = sight("at ?a ?s, meets ?s ?t, at ?b ?t", "at ?b ?t")
OPENNESS = (sight("at ?a ?s, sees ?s ?f", "is_open ?f"), sight("at ?a ?s, sees ?s ?f", "is_closed ?f"))
PLACES = (
    sight("at ?a ?s, sees ?s ?f, is_open ?f", "is_inside ?o ?f"),
    sight("at ?a ?s, meets ?s ?t, at ?b ?t", "is_held_by ?o ?b"),
    sight("at ?a ?s, meets ?s ?t, at ?b ?t", "hand_empty ?b"),
)


class Case(Struct, frozen=True):
    """A problem; ``worlds`` are the states with secrets that may be those of the start, ``actual`` first.

    In ``wide``, moreover, agents may be out of the house, from where they see and do nothing, and objects may be lost;
    and the facts of each pair in ``nature`` may give way to the others at any time.
    """

    problem: EpistemicProblem
    worlds: tuple[State, ...]
    wide: tuple[State, ...]
    nature: tuple[tuple[State, State], ...]

    @property
    def actual(self) -> State:
        return self.worlds[0]


def case(problem: EpistemicProblem, unknown: tuple[tuple[Words, ...], ...]) -> Case:
    """A problem whose start has one fact of each group in ``unknown``; agents do not know which, nor which secrets hold."""
    outside = [(fact, ("at", fact[1], "outside")) for fact in problem.start if fact[0] == "at"]
    lost = [(*group, ("is_lost", group[0][1])) if group[0][0] == "is_inside" else group for group in unknown]
    nature = [(frozenset([old]), frozenset([new])) for group in lost for old, new in permutations(group, 2)]
    for group in lost:
        for agent in problem.agents if group[-1][0] == "is_lost" else ():
            held = frozenset([("is_held_by", group[-1][1], agent)])
            dropped = frozenset([group[-1], ("hand_empty", agent)])
            nature += [(held, dropped), (dropped, held)]
    return Case(problem, _worlds(problem, unknown), _worlds(problem, (*outside, *lost)), tuple(nature))


def _worlds(problem: EpistemicProblem, unknown: tuple[tuple[Words, ...], ...]) -> tuple[State, ...]:
    secrets = tuple(dict.fromkeys(secret(one) for gate in problem.gates for one in gate.secrets))
    actual = frozenset((*problem.start, *secrets))
    fixed = actual - {fact for group in unknown for fact in group} - set(secrets)
    worlds = {
        fixed | set(facts) | {one for one, true in zip(secrets, truth, strict=True) if true}
        for facts in product(*unknown)
        for truth in product((True, False), repeat=len(secrets))
    }
    return (actual, *sorted(worlds - {actual}, key=sorted))


def drawn(seed: int) -> Case:
    """A problem of 2 or 3 agents, 2 to 4 spots, and 1 to 3 things to turn, or an object in one of 2."""
    draw = random.Random(seed)

    def some(names: tuple[str, ...], share: float) -> tuple[str, ...]:
        return tuple(name for name in names if draw.random() < share)

    agents = ("a", "b", "c")[: draw.choice((2, 2, 2, 3))]
    spots = ("s0", "s1", "s2", "s3")[: draw.choice((2, 2, 3, 3, 4))]
    movable = draw.random() < 0.25
    furniture = ("f0", "f1", "f2")[: 2 if movable else draw.choice((1, 1, 2, 2, 3))]
    home = {f: draw.choice(spots) for f in furniture}
    may = {a: some(spots, 0.5) for a in agents}
    at = {a: draw.choice(may[a] or spots) for a in agents}
    sees = {(s, f) for s in spots for f in furniture if s == home[f] or draw.random() < 0.15}
    reaches = {pair for pair in sorted(sees) if pair[0] == home[pair[1]] or draw.random() < 0.5}
    one_way = {(s, t) for s in spots for t in spots if s == t or draw.random() < 0.2}
    both = {(s, t) for s in spots for t in spots if s < t and draw.random() < 0.3}
    meets = one_way | both | {(t, s) for s, t in both}
    static = [("may_go", a, s) for a in agents for s in may[a]]
    static += [("sees", *pair) for pair in sees] + [("reaches", *pair) for pair in reaches]
    static += [("meets", *pair) for pair in meets]
    static += [("leads", s, t) for s in spots for t in spots if s != t]
    turned = {f: draw.choice(("is_open", "is_closed")) for f in furniture}
    unknown = [(("is_open", f), ("is_closed", f)) for f in furniture if not movable]
    start = [("at", a, s) for a, s in at.items()] + [(state, f) for f, state in turned.items()]
    literals = {f"({state} {f})": ((state, f),) for f in furniture for state in ("is_open", "is_closed")}
    actions, sights = [WALK, OPEN, *([CLOSE] if draw.random() < 0.6 else [])], [MEETING, *OPENNESS]
    if movable:
        actions, sights = [WALK, TAKE, PUT, OPEN], [MEETING, *OPENNESS, *PLACES]
        start += [("is_inside", "o", draw.choice(furniture)), *(("hand_empty", a) for a in agents)]
        unknown = [tuple(("is_inside", "o", f) for f in furniture)]
        literals = {f"(is_inside o {f})": (("is_inside", "o", f),) for f in furniture}
    links = {a: some(tuple(b for b in agents if b != a), 0.6) for a in agents}
    goal: list[Known] = [((), draw.choice([*literals])) for _ in range(draw.choice((0, 1, 1, 2)))]
    for _ in range(draw.choice((0, 1, 1, 2)) if goal else 1):
        chain: list[str] = []
        for _ in range(draw.choice((1, 1, 2, 2, 3))):
            chain.append(draw.choice([a for a in agents if a not in chain[-1:]]))
        goal.append((tuple(chain), draw.choice([*(one for _, one in goal), draw.choice([*literals])])))
    used = dict.fromkeys(literal for _, literal in goal)
    gates, known = list[Gate](), list[Known]()
    reason = f"(goal {next(iter(used))})"
    for literal in [*used][: draw.choice((0, 1, 1, 2))]:
        reason = draw.choice((reason, f"(goal {literal})"))
        gates.append(Gate(("open", "close", "put"), literals[literal], (reason,)))
        known += [((a,), reason) for a in some(agents, 0.5)]
    for literal in used:
        if not set(literals[literal]).isdisjoint(start) and draw.random() < 0.15:
            known.append(((draw.choice(agents),), literal))
    problem = EpistemicProblem(
        task=f"drawn {seed}",
        digest="",
        agents=agents,
        names={"agent": agents, "spot": spots, "furniture": furniture, "object": ("o",) if movable else ()},
        actions=tuple(actions),
        sights=tuple(sights),
        static=tuple(sorted(static)),
        start=tuple(sorted(start)),
        known=tuple(dict.fromkeys(known)),
        links=links,
        budgets={a: draw.choice((0, 1, 1, 2)) for a in some(agents, 0.4)},
        gates=tuple(gates),
        literals={literal: literals[literal] for literal in used},
        goal=tuple(dict.fromkeys(goal)),
    )
    return case(problem, tuple(unknown))
