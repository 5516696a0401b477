"""A cook that infers the kind of its teammate, and plays the best role with it.

A Bayesian filter over a few kinds: log w += log p(signs), and a small share of all belief returns to the prior at
every step, since a teammate may change. All partners are among the kinds: that it knows them is the grant ``family``.
Of the teammate it observes its own window and its rewards.

Each kind is followed as a :class:`TeammateModel`, a cook that knows what the observer knows. In sight it is where it
is seen; out of sight it does what is due, at the pace of its kind."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from typing import NamedTuple

import msgspec

from otherminds.core.contracts import MindContext
from otherminds.core.data import (
    THINKING,
    Action,
    Answer,
    Behaviour,
    Brief,
    Encounter,
    Invalid,
    Moment,
    Question,
    Seat,
    SkillChoice,
    Thinking,
    Thought,
)
from otherminds.gridworlds.cooking import acts
from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.acts import BEHAVIOURS, STOOD
from otherminds.gridworlds.cooking.cooks import COOKS, FIXED, NOOP_BOT, Cook, CookPolicy
from otherminds.gridworlds.cooking.form import ROLES, Role
from otherminds.gridworlds.cooking.kitchen import Kitchen
from otherminds.gridworlds.cooking.rules import COUNTER, DISH, EMPTY, HATCH, ITEMS, POT, SOUP, TOMATO, Rules
from otherminds.gridworlds.cooking.sightings import UNSEEN, Mate, see
from otherminds.gridworlds.grid.paths import Cell, Pose, moved
from otherminds.gridworlds.grid.rules import ACTIONS, FORWARD, INTERACT, NOOP, UNREACHED, player_of


class TeammateKind(NamedTuple):
    """A kind of teammate: a name, a sentence about it, and its policy; ``idle`` is 1 for one who does nothing."""

    name: str
    sentence: str
    policy: CookPolicy


SENTENCES = {
    "apprentice_0": "They only do what their side is for, and stand idle half of the time.",
    "apprentice_1": "They do what their side is for and what is left undone, and stand idle half of the "
    "time.",
    "chef_0": "They only do what their side is for, and never rest.",
    "chef_1": "They do what their side is for and what is left undone, and never rest.",
}
KINDS = (
    *(TeammateKind(name, sentence, COOKS[name]) for name, sentence in SENTENCES.items()),
    TeammateKind(
        "supplier", "They only bring tomatoes, whatever their side is for.", CookPolicy("supply", "supply")
    ),
    TeammateKind("server", "They only serve soup, whatever their side is for.", CookPolicy("serve", "serve")),
    TeammateKind(NOOP_BOT, "They do nothing.", CookPolicy("alone", "alone", 1.0)),
)

SOUPS: Mapping[bool, Mapping[Role, tuple[float, ...]]] = {
    True: {
        "alone": (42.5, 42.5, 57.0, 57.0, 57.0, 20.0, 20.0),
        "supply": (0.0, 27.5, 0.0, 38.0, 0.0, 25.0, 0.0),
        "serve": (32.0, 32.0, 57.0, 57.0, 57.0, 0.0, 0.0),
        "share": (42.5, 42.5, 57.0, 57.0, 57.0, 20.0, 20.0),
    },
    False: {
        "alone": (33.4, 36.8, 28.4, 40.5, 39.6, 28.4, 32.2),
        "supply": (51.6, 45.0, 57.0, 57.0, 0.0, 57.0, 0.0),
        "serve": (0.0, 11.4, 0.0, 20.0, 25.0, 0.0, 0.0),
        "share": (50.4, 42.2, 57.0, 57.0, 38.0, 57.0, 32.0),
    },
}
"""Soups in 1,000 steps of each role beside each of :data:`KINDS`, in a room that is for serving (true) and in
another, as measured (``benchmarks/results/cooks.md``, 20 episodes each)."""


def best(belief: Sequence[float], serves: bool) -> Role:
    """The role that brings most if the teammate is of each kind with the chance that ``belief`` gives it, on any scale.

    Who shares begins as who supplies does, and finds out by it; so nothing more is to
    be gained by looking first (``benchmarks/results/cooking_bayesian.md``).

    >>> best((1, 1, 1, 1, 1, 1, 1), serves=False), best((1, 1, 1, 1, 0, 0, 0), serves=False)
    ('share', 'supply')
    """
    soups = SOUPS[serves]
    return max(ROLES, key=lambda role: sum(p * n for p, n in zip(belief, soups[role], strict=True)))


SLIP = 0.1
"""The share of steps in which a cook does not do what the model expects, since it knows other things.

The tests hold chefs to one in ten; this leaves room for others.
"""
TRUST = 0.5
"""The weight of the expected position of a teammate out of sight; else it may be anywhere in its room."""
ERROR = 1e-3  # The likelihood of what a kind cannot have done: the evidence may be wrong


WAITS = {EMPTY: acts.TOOK_TOMATO, TOMATO: acts.FILLED_POT, DISH: acts.TOOK_SOUP, SOUP: acts.DELIVERED}
"""What hands are for, by what they hold."""


class Signs(NamedTuple):
    """``mate`` is the teammate where it is in sight; ``shown`` are the cells that are.

    ``filled`` and ``served`` are pots that got a tomato, or lost their soup, not by
    the own hand; ``delivered`` says that soup was, not by the own hand.
    """

    mate: Mate | None
    shown: frozenset[Cell]
    filled: tuple[Cell, ...]
    served: tuple[Cell, ...]
    delivered: bool


class Watch:
    """Compares what ``kitchen`` knew before a step with what it knows after it; one for an episode."""

    def __init__(self, kitchen: Kitchen, about: Seat) -> None:
        self.kitchen = kitchen
        self.player = player_of(about)
        self._before()

    def signs(self, moment: Moment) -> Signs:
        """The signs of the step before ``moment``, which ``kitchen`` has seen already."""
        kitchen = self.kitchen
        sight = see(kitchen.rules, moment.observation, kitchen.player)
        hands, ahead = (self._held, kitchen.held), kitchen.ahead()
        filled: list[Cell] = []
        served: list[Cell] = []
        for cell, was, inside in zip(
            kitchen.rules.pots, self._inside, kitchen.tomatoes.tolist(), strict=True
        ):
            acted_on = cell == ahead
            before = 0 if acted_on and hands == (DISH, SOUP) else was
            gain = inside - before - (acted_on and hands == (TOMATO, EMPTY))
            if gain > 0:
                filled.append(cell)
            elif gain < 0:
                served.append(cell)
        own = hands == (SOUP, EMPTY) and ahead in kitchen.layout.hatches
        mates = [mate for mate in sight.mates if mate.player == self.player and mate.facing != UNSEEN]
        self._before()
        return Signs(
            mates[0] if mates else None,
            frozenset(cell for cell, _, _ in kitchen.layout.shown[kitchen.pose]),
            tuple(filled),
            tuple(served),
            moment.reward > own * kitchen.rules.pay,
        )

    def _before(self) -> None:
        self._held: int = self.kitchen.held
        self._inside: list[int] = self.kitchen.tomatoes.tolist()


class TeammateModel:
    """A teammate of ``kind`` in a kitchen of ``rules``; ``starts`` are the poses that it may start in."""

    def __init__(self, rules: Rules, player: int, kind: TeammateKind, starts: Collection[Pose]) -> None:
        self.kind = kind
        self.kitchen = Kitchen(rules, player)
        self.kitchen.follow(kind.policy.serving, kind.policy.supplying)
        self.kitchen.place(min(starts), EMPTY, charged=True, step=0)
        enterable = self.kitchen.layout.ground.open
        reached = [cell for cell in enterable if self.kitchen.steps_to(cell) < UNREACHED]
        self._room = [(*cell, facing) for cell in reached for facing in range(4)]
        self._could: Collection[Pose] = starts  # Where it may be, while it is out of sight
        self._begun = self._in_sight = False
        self._pace = 0.0
        self._action = NOOP

    @property
    def role(self) -> Role:
        """What it does in its room."""
        return self.kind.policy.serving if self.kitchen.serves else self.kind.policy.supplying

    def likelihood(self, signs: Signs) -> float:
        """How likely ``signs`` are if the teammate is of this kind, as far as kinds differ in it."""
        fits = max(self._fits(signs), ERROR)
        if signs.filled and (self._idles or self.role == "serve"):
            fits *= ERROR
        if (signs.served or signs.delivered) and (self._idles or self.role == "supply"):
            fits *= ERROR
        return fits

    def follow(self, observed: Kitchen, signs: Signs, reward: float) -> None:
        """Goes on by a step, and then knows what ``observed`` sees."""
        kitchen, hand = self.kitchen, self.kitchen.held
        self._advance()
        kitchen.share(observed)
        pose, held, charged = kitchen.pose, kitchen.held, kitchen.charged
        if signs.mate is None:
            keeps = self._idles or not self._begun
            self._could = (self._hidden(signs) if keeps else None) or self._room
            pose, held = self._infer(signs)
        else:
            pose, held = (*signs.mate.cell, signs.mate.facing), signs.mate.held
            self._could, self._pace = [pose], 0.0
            charged = held == hand
        kitchen.place(pose, held, charged, observed.step)
        self._begun, self._in_sight = True, signs.mate is not None
        kitchen.hear(reward)
        self._action = kitchen.act()

    def expected(self) -> Behaviour:
        """The act that it does next, if it continues at its pace and nothing else changes.

        If that is none for so long that it would count as standing around, it waits for
        the observer, and then does what fits what it holds.
        """
        if self._idles:
            return acts.STOOD
        future = copy(self)
        future.kitchen = kitchen = self.kitchen.fork()
        for _ in range(acts.PATIENCE):
            act = future._advance()
            if act is not None:
                return act
            kitchen.place(kitchen.pose, kitchen.held, kitchen.charged, kitchen.step + 1)
            future._action = kitchen.act()
        return WAITS[self.kitchen.held]

    @property
    def _idles(self) -> bool:
        return self.kind.policy.idle == 1.0

    def _fits(self, signs: Signs) -> float:
        """How likely the teammate is seen where it is, with what it holds; or is not seen."""
        if not self._begun:
            return 1.0  # all kinds start in the same way
        if self._idles:
            return self._there(signs) * (signs.mate is None or signs.mate.held == self.kitchen.held)
        likelihood = sum(self._chance(action) * self._agrees(action, signs) for action in range(len(ACTIONS)))
        if self._in_sight:
            return likelihood
        anywhere = self._there(signs) / (1 if signs.mate is None else len(ITEMS))
        return TRUST * likelihood + (1 - TRUST) * anywhere

    def _there(self, signs: Signs) -> float:
        """The share of where it may be that agrees with what is seen."""
        mate = signs.mate
        if mate is None:
            return len(self._hidden(signs)) / len(self._could)
        return ((*mate.cell, mate.facing) in self._could) / len(self._could)

    def _hidden(self, signs: Signs) -> list[Pose]:
        return [pose for pose in self._could if pose[:2] not in signs.shown]

    def _chance(self, action: int) -> float:
        idle = self.kind.policy.idle
        meant = (1 - SLIP) * (action == self._action) + SLIP / len(ACTIONS)
        return idle * (action == NOOP) + (1 - idle) * meant

    def _agrees(self, action: int, signs: Signs) -> float:
        """How well what is seen fits what ``action`` leads to."""
        pose, hand = self._after(action)
        if signs.mate is None:
            return float(pose[:2] not in signs.shown)
        if pose != (*signs.mate.cell, signs.mate.facing):
            return 0.0
        return 1.0 if hand == signs.mate.held else SLIP

    def _after(self, action: int) -> tuple[Pose, int]:
        kitchen = self.kitchen
        if action == INTERACT:
            return kitchen.pose, self._gets()
        pose = moved(kitchen.pose, action)
        return (pose if pose[:2] in kitchen.layout.ground.open else kitchen.pose), kitchen.held

    def _gets(self) -> int:
        kitchen, cell = self.kitchen, self.kitchen.ahead()
        hand, tile = kitchen.held, kitchen.layout.things.get(cell)
        if cell in kitchen.rules.containers:
            there = int(kitchen.items[kitchen.rules.containers.index(cell)])
            return there if hand == EMPTY or (tile == COUNTER and there == EMPTY) else hand
        if tile == POT and hand == TOMATO and not self._is_full(cell):
            return EMPTY
        if tile == POT and hand == DISH and kitchen.done(cell):
            return SOUP
        return EMPTY if tile == HATCH and hand == SOUP else hand

    def _is_full(self, pot: Cell) -> bool:
        rules = self.kitchen.rules
        return bool(self.kitchen.tomatoes[rules.pots.index(pot)] == rules.capacity)

    def _advance(self) -> Behaviour | None:
        """Does what is due now, at its pace; the act that this is, if it is one."""
        self._pace += 1 - self.kind.policy.idle
        if self._pace < 1:
            return None
        self._pace -= 1
        kitchen, cell = self.kitchen, self.kitchen.ahead()
        hand, tile, rules = kitchen.held, kitchen.layout.things.get(cell), kitchen.rules
        pose, held = self._after(self._action)
        kitchen.place(pose, held, self._action != INTERACT, kitchen.step)
        if held == hand:
            return None
        if tile == COUNTER:
            kitchen.items[rules.containers.index(cell)] = hand
        elif tile == POT:
            n = rules.pots.index(cell)
            kitchen.tomatoes[n] = kitchen.tomatoes[n] + 1 if hand == TOMATO else 0
            kitchen.ready[n] = kitchen.step + rules.cooking + 1 if self._is_full(cell) else 0
        elif hand != EMPTY:
            return acts.DELIVERED
        if hand == EMPTY:
            return acts.ACTS[columns.TOOK + held]
        if tile == COUNTER:
            return acts.ACTS.get(columns.PUT + hand)
        return acts.FILLED_POT if hand == TOMATO else acts.TOOK_SOUP

    def _infer(self, signs: Signs) -> tuple[Pose, int]:
        """Out of sight, its place and hands are known from what it must have done."""
        pose, held = self.kitchen.pose, EMPTY if signs.delivered else self.kitchen.held
        for cells, hand in ((signs.filled, EMPTY), (signs.served, SOUP)):
            for cell in cells:
                held = hand
                pose = next((near for near in self._room if moved(near, FORWARD)[:2] == cell), pose)
        return pose, held


HAZARD = 1e-4  # The probability in a step that a teammate becomes one of another kind
CHANGED = 0.25  # The change of belief (total variation) after which it is noted again
SURE = 0.9  # The probability from which a kind counts as validated


class BayesianCook(Cook):
    """Works in the role that is best in expectation; see the module."""

    answers = True
    grants = frozenset({"family"})

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, FIXED)

    def begin(self, brief: Brief, context: MindContext) -> None:
        super().begin(brief, context)
        self._context = context
        self._mate = brief.others[0]
        self._watch = Watch(self._kitchen, self._mate)
        self._shadows: list[TeammateModel] = []
        self._prior = [1 / len(KINDS)] * len(KINDS)
        self._belief = self._prior
        self._met = 0
        self._written: Thinking | None = None

    async def perceive(self, moment: Moment) -> None:
        await super().perceive(moment)
        signs = self._watch.signs(moment)
        if not self._shadows:
            self._shadows = self._everybody()
        weighed = zip(self._belief, self._shadows, strict=True)
        raised = [w * teammate.likelihood(signs) for w, teammate in weighed]
        grown = zip(raised, self._prior, strict=True)
        self._belief = [(1 - HAZARD) * w / sum(raised) + HAZARD * p for w, p in grown]
        for teammate in self._shadows:
            teammate.follow(self._kitchen, signs, moment.reward)
        self._met += len(moment.encounters)
        self._note(moment)

    async def act(self) -> Action | SkillChoice | Invalid:
        role = self.role()
        self._kitchen.follow(role, role)
        return self._kitchen.act()

    async def answer(self, question: Question) -> Answer | Invalid:
        return self.expected()

    def role(self) -> Role:
        """The role that is best in expectation in the own room."""
        return best(self._belief, self._kitchen.serves)

    def expected(self) -> Behaviour:
        """The act that the teammate most probably does next."""
        chances: dict[Behaviour, float] = dict.fromkeys(BEHAVIOURS, 0.0)
        for weight, teammate in zip(self._belief, self._shadows, strict=True):
            chances[teammate.expected()] += weight
        return max(chances, key=chances.__getitem__)

    def _everybody(self) -> list[TeammateModel]:
        """A model of each kind, at the places where a teammate may start: all but the own one."""
        own = self._kitchen.pose[:2]
        starts = [(*cell, facing) for cell in self.rules.spawns if cell != own for facing in range(4)]
        return [TeammateModel(self.rules, player_of(self._mate), kind, starts) for kind in KINDS]

    def _note(self, moment: Moment) -> None:
        last = self._written
        if last is not None and not moment.encounters:
            moved = sum(abs(w - t.value) for w, t in zip(self._belief, last.thoughts, strict=True)) / 2
            if moved < CHANGED:
                return
        observed = _came(moment.encounters[-1], self._mate) if moment.encounters else None
        before = [thought.predicts for thought in last.thoughts] if last else [None] * len(KINDS)
        likeliest = max(range(len(KINDS)), key=self._belief.__getitem__)
        self._written = Thinking(
            partner=self._mate,
            encounter=self._met,
            came=observed,
            thoughts=tuple(
                Thought(
                    i,
                    kind.sentence,
                    round(weight, 6),
                    teammate.expected(),
                    None if observed is None else guess == observed,
                )
                for i, (kind, weight, teammate, guess) in enumerate(
                    zip(KINDS, self._belief, self._shadows, before, strict=True)
                )
            ),
            used=likeliest,
            validated=likeliest if self._belief[likeliest] >= SURE else None,
            target=self.role(),
            scale="probability",
            threshold=SURE,
        )
        self._context.note(THINKING, msgspec.to_builtins(self._written))


def _came(encounter: Encounter, mate: str) -> Behaviour | None:
    """The first act that the teammate is known to have done before ``encounter``; ``None`` if none is."""
    did = encounter.did[mate]
    return did[0] if STOOD not in did or len(did) == 1 else None
