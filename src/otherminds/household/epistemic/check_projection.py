"""A projection of a problem in joint turns, for the checker's lower bound on turns (:mod:`.check_searches`).

Its states have only these facts: what is *tracked*, where the objects in tracked facts are, and the position of each agent.
Furniture without a tracked fact is merged if the same agents can reach it. Needs that are no facts of a state are met.
Every plan of the problem is thus one of the projection, by three properties of the problem that are checked: an agent is at
one spot, an object is at one place, and a hand is empty or holds one object. Left out is what cannot make a plan shorter:
acts that add nothing tracked, and walks to where an agent can do less than elsewhere. A state is a number with one bit for
each fact."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import TypeAlias

from msgspec import Struct

from otherminds.household.epistemic.certificate import ProblemAction, Words, variable
from otherminds.household.epistemic.check_rules import ProblemRules, bound, need

RESTS = ("is_on_top", "is_inside", "lies_on")
HELD, EMPTY, AT = "is_held_by", "hand_empty", "at"
SINGLE: tuple[dict[str, int], ...] = ({AT: 1}, {**dict.fromkeys(RESTS, 1), HELD: 1}, {EMPTY: 1, HELD: 2})
"""Facts of which one holds of each name at the place in the fact: the position of an agent, the place of an object, a hand."""
LENGTHS = {**dict.fromkeys((*RESTS, HELD, AT), 3), EMPTY: 2}
"""The number of words of these facts."""


def hidden_at_start(rules: ProblemRules) -> set[str]:
    """The objects in closed furniture at the start."""
    start = set(rules.problem.start)
    return {fact[1] for fact in start if fact[0] == "is_inside" and ("is_closed", *fact[2:]) in start}


def check_places(rules: ProblemRules, tracked: Collection[Words]) -> None:
    """Fails unless all actions move agents and objects from one place to another, and agents only themselves.

    ``tracked`` are further facts, whose form is checked.
    """
    problem = rules.problem
    need(all(fact and not any(map(variable, fact)) for fact in tracked), "a tracked fact has parameters")
    patterns = chain.from_iterable(
        (*action.needs, *action.adds, *action.removes) for action in problem.actions
    )
    facts = (*problem.start, *tracked, *chain.from_iterable(problem.literals.values()), *patterns)
    need(all(len(fact) == LENGTHS.get(fact[0], len(fact)) for fact in facts), "a place without a name")
    for group in SINGLE:
        owners = [fact[group[fact[0]]] for fact in problem.start if fact[0] in group]
        need(len(owners) == len(set(owners)), f"two facts of {', '.join(group)} hold at the start")
        for action in problem.actions:
            lost = [pattern for pattern in action.removes if pattern[0] in group]
            gone = [pattern[group[pattern[0]]] for pattern in lost if pattern in action.needs]
            come = [pattern[group[pattern[0]]] for pattern in action.adds if pattern[0] in group]
            moved = len(lost) == len(gone) < 2 and gone == come
            need(moved, f"{action.name} may add a second fact of {', '.join(group)}")
            need(AT not in group or {*come} <= {"?a"}, f"{action.name} moves another agent")


Choice: TypeAlias = Words | None
"""The value of a parameter: names that are merged, mostly one; ``None`` for all that no tracked fact is about."""


class TurnAct(Struct, frozen=True):
    """An act that is possible where all of ``needs`` and one of ``spots`` hold; ``keeps`` are the facts that it leaves."""

    needs: int
    spots: int
    keeps: int
    adds: int


class TurnAgent(Struct, frozen=True):
    """What an agent may do: its acts and walks, the bit of its spot at the start and those of all its spots.

    In states with the bit ``due`` it has walked and not acted since, and must act.
    """

    acts: tuple[TurnAct, ...]
    walks: tuple[int, ...]
    here: int
    anywhere: int
    due: int

    def moves(self, state: int) -> Iterator[int]:
        """The states after its move, or after none."""
        if not state & self.due:
            yield state
            away = state & ~self.anywhere | self.due
            yield from [away | spot for spot in self.walks if not state & spot]
        for act in self.acts:
            if state & act.needs == act.needs and state & act.spots:
                yield state & act.keeps | act.adds


class TurnProjection:
    """A projection of a problem to the facts in ``tracked`` and the places of the objects in them.

    Raises:
        RejectedError: what it merges may hold together, or a walk adds a tracked fact.
    """

    def __init__(self, rules: ProblemRules, tracked: Iterable[Words]) -> None:
        self.rules, self.problem = rules, rules.problem
        self.tracked = frozenset(tracked)
        check_places(rules, self.tracked)
        self.named = {word for fact in self.tracked for word in fact[1:]}
        self.objects = {fact[1] for fact in self.tracked if fact[0] in (*RESTS, HELD)}
        self.bits: dict[tuple[object, ...], int] = {}
        self.at = {fact[1]: fact[2] for fact in self.problem.start if fact[0] == AT}
        self.hidden = hidden_at_start(rules)
        self.every = set(self.problem.names.get("spot", ())) | {*self.at.values()}
        need(self.at.keys() >= {*self.problem.agents}, "an agent is nowhere")
        furniture = self.problem.names.get("furniture", ())
        need(
            "" not in self.named and set(furniture).isdisjoint(self.problem.agents),
            "names with several meanings",
        )
        self.ends = {agent: frozenset(self._ends(agent)) for agent in self.problem.agents}
        self.spots = {agent: ends | {self.at[agent]} for agent, ends in self.ends.items()}
        self.merged = self._merge_furniture()
        kinds = {fact[0] for fact in self.tracked} | {*((*RESTS, HELD) if self.objects else ())}
        acting = [
            action for action in self.problem.actions if not kinds.isdisjoint(add[0] for add in action.adds)
        ]
        need(all(add[0] != AT for action in acting for add in action.adds), "a walk adds what is tracked")
        self.possible = [*self._possible(acting)]

    def bit(self, *fact: object) -> int:
        return self.bits.setdefault(fact, 1 << len(self.bits))

    def _static(self, pattern: Words) -> bool:
        return pattern[0] not in self.rules.changing

    def _ends(self, agent: str) -> Iterator[str]:
        """The spots to which an agent may walk from anywhere."""
        for walk in self.problem.actions:
            for spot in (add[2] for add in walk.adds if add[0] == AT):
                spots = set(self.problem.names.get(dict(walk.parameters).get(spot, ""), (spot,)))
                for pattern in walk.needs:
                    if (
                        self._static(pattern)
                        and spot in pattern
                        and "?a" in pattern
                        and {*pattern[1:]} == {"?a", spot}
                    ):
                        rows = self.rules.rows.get((pattern[0], pattern.index("?a"), agent), ())
                        spots &= {row[pattern.index(spot)] for row in rows if len(row) == len(pattern)}
                yield from spots

    def _merge_furniture(self) -> dict[str, Words]:
        """The furniture with which each piece is merged: none if a tracked fact is about it."""
        several: dict[object, list[str]] = {}
        for piece in self.problem.names.get("furniture", ()):
            near = {row[1] for row in self.rules.rows.get(("reaches", 2, piece), ())}
            who = tuple(agent for agent, where in self.spots.items() if not near.isdisjoint(where))
            several.setdefault(piece if piece in self.named else who, []).append(piece)
        return {piece: tuple(group) for group in several.values() for piece in group}

    def _fact(self, pattern: Words, values: Mapping[str, Choice]) -> tuple[object, ...] | None:
        """The fact of the projection; ``None`` if it has none."""
        args = [values[word] if variable(word) else self.merged.get(word, (word,)) for word in pattern[1:]]
        if pattern[0] == EMPTY:
            return (EMPTY, args[0]) if len(self.objects) > 1 else None
        names = tuple([choice[0] if choice and len(choice) == 1 else "" for choice in args])
        if pattern[0] in (*RESTS, HELD):
            if names[0] not in self.objects:
                return None
            need(args[1] is not None, f"{pattern} is no place")
            # Merged furniture differs in how objects rest on it.
            return (pattern[0] if names[1] else "rests", names[0], args[1])
        return (*pattern[:1], *names) if (*pattern[:1], *names) in self.tracked else None

    def settled_facts(self) -> int:
        """The facts that no tracked object was moved in this turn."""
        return sum(self.bit("settled", name) for name in self.objects)

    def start(self) -> int:
        """The facts that hold at the start, without positions; a hand with an object that is not tracked is empty."""
        facts = {
            fact
            for start_fact in self.problem.start
            if start_fact[0] != EMPTY and (fact := self._fact(start_fact, {}))
        }
        full = {fact[2] for fact in facts if fact[0] == HELD}
        empty = {(EMPTY, (agent,)) for agent in self.problem.agents if (agent,) not in full}
        return sum(self.bit(*fact) for fact in (*facts, *empty))

    def ways(self, literal: str) -> int:
        """The facts any of which makes a literal hold."""
        facts = [self._fact(way, {}) for way in self.problem.literals[literal] if way[0] != EMPTY]
        need(None not in facts and len(facts) > 0, f"{literal} is not tracked")
        return sum(self.bit(*fact) for fact in {*facts} if fact)

    def looks(self) -> Iterator[tuple[int, int]]:
        """Facts with which an object from closed furniture is seen at the start of a turn, and the fact that it was."""
        opened: dict[object, int] = {
            fact[1:]: self.bit(*fact) for fact in self.tracked if fact[0] == "is_open"
        }
        for fact, bit in [*self.bits.items()]:
            if fact[0] in ("is_inside", "rests") and fact[1] in self.hidden:
                needed = opened.get(fact[2], 0) if fact[0] == "is_inside" else 0
                yield bit | needed, self.bit("seen", fact[1])

    def agent(self, agent: str) -> TurnAgent:
        """What an agent may do; of spots from where it can do the same, or more, one is kept."""
        where: dict[tuple[int, int, int], frozenset[str]] = {}
        for action, values, spots in self.possible:
            if near := spots & self.spots[agent]:
                effect = self._act(action, values | {"?a": (agent,)})
                where[effect] = where.get(effect, frozenset()) | near
        every = [*set(where.values())]
        able = {
            spot: frozenset([k for k, near in enumerate(every) if spot in near]) for spot in self.spots[agent]
        }
        ends = {able[spot] for spot in self.ends[agent]}
        best = [abilities for abilities in ends if abilities and not any(abilities < other for other in ends)]
        bits = {abilities: self.bit("spot", agent, abilities) for abilities in (able[self.at[agent]], *best)}
        acts = [
            (
                needs,
                sum([bit for abilities, bit in bits.items() if every.index(near) in abilities]),
                removes,
                adds,
            )
            for (needs, removes, adds), near in where.items()
        ]
        walked = self.bit("walked", agent)
        return TurnAgent(
            tuple(
                TurnAct(needs, spots, ~(removes | walked), adds)
                for needs, spots, removes, adds in acts
                if spots
            ),
            tuple(bits[abilities] for abilities in best),
            bits[able[self.at[agent]]],
            sum(bits.values()),
            walked,
        )

    def _possible(
        self, acting: Iterable[ProblemAction]
    ) -> Iterator[tuple[ProblemAction, dict[str, Choice], frozenset[str]]]:
        """The actions that add a tracked fact, with values of all parameters but the actor, and the spots where they may."""
        for action in acting:
            spot = next(
                (
                    pattern[2]
                    for pattern in action.needs
                    if pattern[:2] == (AT, "?a") and variable(pattern[2])
                ),
                "",
            )
            choices: dict[str, Collection[Choice]] = {"?a": [("?a",)]}
            for name, kind in action.parameters[1:]:
                names = self.problem.names.get(kind, ())
                if kind == "furniture":
                    choices[name] = {self.merged[piece] for piece in names}
                else:
                    choices[name] = [
                        *((candidate,) for candidate in names if candidate in self.named or kind == "agent"),
                        None,
                    ]
            statics = [
                pattern
                for pattern in action.needs
                if pattern[0] not in self.rules.changing and "?a" not in pattern
            ]
            for chosen in product(*choices.values()):
                self.rules.tick()
                values = dict(zip(choices, chosen, strict=True))
                if any(add[0] != EMPTY and self._fact(add, values) for add in action.adds):
                    yield action, values, self._standing(statics, values, spot)

    def _act(self, action: ProblemAction, values: Mapping[str, Choice]) -> tuple[int, int, int]:
        """The facts that an act needs, removes and adds; whether a hand is empty is said of tracked objects alone."""
        needs = removes = adds = 0
        for pattern in action.needs:
            fact = self._fact(pattern, values) if pattern[0] != AT and not self._static(pattern) else None
            if fact:
                needs |= self.bit(*fact)
                needs |= self.bit("settled", fact[1]) if pattern[0] in RESTS else 0
                if pattern[0] == "is_inside" and fact[1] in self.hidden:
                    needs |= self.bit("seen", fact[1])
        gone, come = (
            [fact for x in many if (fact := self._fact(x, values))] for many in (action.removes, action.adds)
        )
        for fact in gone:
            if fact[0] != EMPTY or any(other[0] == HELD for other in come):
                removes |= self.bit(*fact)
        for fact in come:
            if fact[0] != EMPTY or any(other[0] == HELD for other in gone):
                adds |= self.bit(*fact)
                removes |= self.bit("settled", fact[1]) if fact[0] in (*RESTS, "rests") else 0
        return needs, removes, adds

    def _standing(self, needs: Sequence[Words], values: Mapping[str, Choice], spot: str) -> frozenset[str]:
        """The spots where static needs of an act may hold, with some choice of the names that are merged."""
        parameters = {word for pattern in needs for word in pattern if variable(word)}
        several = {name: choice for name, choice in values.items() if choice and name in parameters}
        chosen = (dict(zip(several, names, strict=True)) for names in product(*several.values()))
        return frozenset[str]().union(*(self._spots(bound(needs, choice), spot) for choice in chosen))

    def _spots(self, needs: Sequence[Words], spot: str) -> set[str]:
        """The spots where static facts hold that may have further parameters."""
        spots: set[str] | None = None
        for pattern in needs:
            free = [*map(variable, pattern)]
            if not any(free) and pattern not in self.rules.static:
                return set()
            if spot and len(pattern) == 3 and spot in pattern and sum(free) == 1:
                here, other = (1, 2) if free[1] else (2, 1)
                rows = self.rules.rows.get((pattern[0], other, pattern[other]), ())
                near = {row[here] for row in rows if len(row) == 3}
                spots = near if spots is None else spots & near
        return self.every if spots is None else spots
