"""Small games of telling, and the exact share of a family that one policy solves: every message of every agent is tried.

Boxes stand at spots; an agent opens a box if it may go where the box is, and was told, or knows, that the box must end
open. A message goes to one addressee or to all, costs one, and conveys at most ``statements`` of the sender's secrets.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, permutations, product
from typing import NamedTuple

from otherminds.household.epistemic.certificate import EpistemicProblem, Gate, ProblemAction, SightRule

Message = tuple[tuple[str, ...], frozenset[str]]
"""Addressees and boxes."""
Plan = dict[str, tuple[Message, ...]]
"""What each chooser sends."""


class Game(NamedTuple):
    """``areas`` are the spots where each agent may be, the first at the start; ``boxes`` the spots that reach each box."""

    areas: dict[str, tuple[str, ...]]
    boxes: dict[str, frozenset[str]]
    knows: dict[str, frozenset[str]]
    links: dict[str, tuple[str, ...]]
    budgets: dict[str, int]
    statements: int
    partners: tuple[str, ...]

    def swapped(self, roles: dict[str, str]) -> Game:
        return self._replace(areas={a: self.areas[roles.get(a, a)] for a in self.areas})

    def family(self) -> list[dict[str, str]]:
        """The permutations of the abilities of the partners that can be solved."""
        every = [dict(zip(self.partners, some, strict=True)) for some in permutations(self.partners)]
        return [roles for roles in every if self.swapped(roles).solved({})]

    def choosers(self) -> list[str]:
        """The agents to which no path leads from a partner, wherever the partners are."""
        places = set(chain.from_iterable(self.areas[one] for one in self.partners))
        areas = {a: places if a in self.partners else {*spots} for a, spots in self.areas.items()}
        things = {a: {b for b, at in self.boxes.items() if at & areas[a]} for a in areas}
        reached = {*self.partners}
        for _ in areas:
            for one, other in product(sorted(reached), areas):
                told = other in self.links[one] and self.budgets.get(one, 1) > 0
                if told or areas[one] & areas[other] or things[one] & things[other]:
                    reached.add(other)
        return [a for a in areas if a not in reached]

    def share(self) -> Fraction:
        """The largest share of the family that is solved if each chooser sends the same in all of its tasks."""
        games = [self.swapped(roles) for roles in self.family()]
        plans = self.plans(self.choosers())
        best = max(sum(game.solved(plan) for game in games) for plan in plans)
        return Fraction(best, len(games))

    def plans(self, choosers: list[str]) -> Iterator[Plan]:
        options = [
            [*combinations_with_replacement([*self._messages(a, frozenset(self.boxes))], self.budgets[a])]
            for a in choosers
            if a in self.budgets
        ]
        limited = [a for a in choosers if a in self.budgets]
        for chosen in product(*options):
            yield dict(zip(limited, chosen, strict=True))

    def solved(self, plan: Plan) -> bool:
        """Whether the others can solve the game if those in ``plan`` send this as soon as they know it."""
        knows = {a: {*self.knows[a]} for a in self.areas}
        seen, waiting = set[object](), [(knows, dict(self.budgets))]
        while waiting:
            knows, left = waiting.pop()
            self._spread(knows, plan)
            if all(
                any(b in knows[a] and at & {*self.areas[a]} for a in knows) for b, at in self.boxes.items()
            ):
                return True
            for a in (a for a in left if left[a] > 0 and a not in plan):
                for hearers, told in self._messages(a, frozenset(knows[a])):
                    if any(told - knows[hearer] for hearer in hearers):
                        after = {b: some | told if b in hearers else {*some} for b, some in knows.items()}
                        fewer = left | {a: left[a] - 1}
                        key = tuple(map(frozenset, after.values())), tuple(fewer.values())
                        if key not in seen:
                            seen.add(key)
                            waiting.append((after, fewer))
        return False

    def _spread(self, knows: dict[str, set[str]], plan: Plan) -> None:
        """What is known after all messages that are planned, and those of agents without a limit."""
        before = -1
        while before != (before := sum(map(len, knows.values()))):
            for a, links in self.links.items():
                for hearer in links if a not in self.budgets else ():
                    knows[hearer] |= knows[a]
                for hearers, told in plan.get(a, ()):
                    for hearer in hearers:
                        knows[hearer] |= told & knows[a]

    def _messages(self, a: str, known: frozenset[str]) -> Iterator[Message]:
        """All messages about boxes in ``known``, as full as they may be."""
        width = min(self.statements or len(known), len(known))
        for hearers in {*((one,) for one in self.links[a]), self.links[a]} - {()}:
            yield from ((hearers, frozenset(some)) for some in combinations(sorted(known), width))

    def problem(self) -> EpistemicProblem:
        """The game as a problem of the proofs."""
        agents, spots = (*self.areas,), sorted({*chain.from_iterable(self.areas.values())})
        near = [(spot, box) for box, at in self.boxes.items() for spot in sorted(at)]
        walks = [("may_go", a, spot) for a, some in self.areas.items() for spot in some]
        static = [(name, *pair) for name in ("reaches", "sees") for pair in near]
        static += [*walks, *(("meets", spot, spot) for spot in spots)]
        walk = ProblemAction(
            "walk",
            (("?a", "agent"), ("?s", "spot"), ("?t", "spot")),
            (("at", "?a", "?s"), ("may_go", "?a", "?t")),
            (("at", "?a", "?t"),),
            (("at", "?a", "?s"),),
        )
        opens = ProblemAction(
            "open",
            (("?a", "agent"), ("?s", "spot"), ("?f", "furniture")),
            (("at", "?a", "?s"), ("reaches", "?s", "?f"), ("is_closed", "?f")),
            (("is_open", "?f"),),
            (("is_closed", "?f"),),
        )
        looks = SightRule(opens.parameters, (("at", "?a", "?s"), ("sees", "?s", "?f")), ("is_open", "?f"))
        literals = {f"(is_open {box})": (("is_open", box),) for box in self.boxes}
        return EpistemicProblem(
            task="game",
            digest="",
            agents=agents,
            names={"agent": agents, "spot": tuple(spots), "furniture": (*self.boxes,)},
            actions=(walk, opens),
            sights=(looks,),
            static=tuple(static),
            start=(
                *(("at", a, some[0]) for a, some in self.areas.items()),
                *(("is_closed", box) for box in self.boxes),
            ),
            known=tuple(
                ((a,), f"(goal (is_open {box}))") for a, some in self.knows.items() for box in sorted(some)
            ),
            links=self.links,
            budgets=self.budgets,
            gates=tuple(
                Gate(("open",), (("is_open", box),), (f"(goal (is_open {box}))",)) for box in self.boxes
            ),
            literals=literals,
            goal=tuple(((), literal) for literal in literals),
            statements=self.statements,
        )


def draw_game(draw: random.Random) -> Game:
    """A game of three or four partners, and one or two agents apart, which mostly hear nothing of them and know most boxes."""
    count, apart = draw.choice((3, 3, 3, 4)), draw.choice((1, 1, 1, 2))
    partners = tuple(f"agent_{k}" for k in range(count))
    others = tuple(f"agent_{k}" for k in range(count, count + apart))
    agents = (*partners, *others)
    rooms = [f"room_{k}" for k in range(count)]
    boxes = {
        f"box_{k}": frozenset(draw.sample(rooms, 2) if draw.random() < 0.1 else rooms[k : k + 1])
        for k in range(count if draw.random() < 0.8 else count - 1)
    }
    areas = {a: (rooms[k], *draw.sample(rooms, draw.random() < 0.1)) for k, a in enumerate(partners)}
    areas |= {a: (f"office_{a}", *draw.sample(rooms, draw.random() < 0.03)) for a in others}
    areas = {a: tuple(dict.fromkeys(some)) for a, some in areas.items()}
    knows = {
        a: frozenset(b for b in boxes if draw.random() < (0.9 if a in others else 1.2 / count))
        for a in agents
    }
    links = {
        a: tuple(b for b in agents if b != a and draw.random() < _linked(a in others, b in others))
        for a in agents
    }
    budgets = {
        a: draw.choice((1, 1, 2) if apart < 2 else (1,)) if a in others else draw.randrange(2)
        for a in agents
        if draw.random() < 0.98
    }
    return Game(areas, boxes, knows, links, budgets, draw.choice((1, 1, 1, 1, 2, 0)), partners)


def _linked(sender_apart: bool, hearer_apart: bool) -> float:
    """The probability that an agent may send messages to another."""
    if sender_apart:
        return 0.3 if hearer_apart else 0.9
    return 0.02 if hearer_apart else 0.1


def draw_family(draw: random.Random) -> tuple[Game, list[dict[str, str]]]:
    """A game with some agent apart and several tasks in its family, and these tasks."""
    while True:
        game = draw_game(draw)
        family = game.family()
        if len(family) > 1 and game.choosers():
            return game, family
