"""A mind without a language model: a belief over predictors of each partner, and planning against them.

Where encounters are between mixtures of gathered items, one item shows a behaviour, and
every further one raises the stakes. With a certain belief more is gathered; with an
uncertain one little, so that encounters come sooner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np

from otherminds.core.data import (
    THINKING,
    Action,
    Answer,
    Behaviour,
    Game,
    Invalid,
    Moment,
    Question,
    Seat,
    SkillChoice,
    Thinking,
    Thought,
)
from otherminds.core.errors import StudyError, WorldError
from otherminds.games.automata import Predictor, Setting, State, of_automaton
from otherminds.games.belief import FamilyPlan
from otherminds.games.filtering import Evidence, Filter, PredictorTables, Vector, among, look_ahead
from otherminds.games.player import Player
from otherminds.games.registry import library
from otherminds.minds.registry import minds

STRAY = 0.15
"""The probability that a partner acts towards one behaviour and then shows another, per sign."""
SHOWN = 8
"""The hypotheses in a note."""
BASE = 1.5
"""The weight of the prior, in partners met, in a prior made from partners met."""
ROUNDS = 3
"""Iterations that fit the beliefs to each other."""


class PartnerBelief:
    """The belief about one partner: a filter, and the signs seen since the last encounter with it."""

    def __init__(self, filtered: Filter, names: Sequence[Behaviour]) -> None:
        self.filter = filtered
        self.names = tuple(names)
        self._signs = [0] * len(names)
        self._came: int | None = None
        self._foretold: list[int] = []

    @property
    def met(self) -> int:
        """The encounters with it so far."""
        return len(self.filter.history)

    @property
    def signs(self) -> Evidence:
        """The likelihood of the signs since its last encounter, for each behaviour it may show next."""
        most = max(self._signs)
        if not most:
            return (1.0,) * len(self.names)
        return tuple(1.0 if n == most else STRAY ** (most - n) for n in self._signs)

    def chances(self) -> Vector:
        """The distribution of its next behaviour: float64[behaviours]."""
        chances = self.filter.predict() * self.signs
        return chances / chances.sum()

    def sign(self, behaviour: Behaviour) -> None:
        """It was seen to act towards ``behaviour``."""
        self._signs[self.names.index(behaviour)] += 1

    def meet(self, could: Sequence[int], own: int) -> None:
        """Takes in an encounter: what it may have shown, the likeliest first, and the own behaviour."""
        evidence = [e * s for e, s in zip(among(could, len(self.names)), self.signs, strict=True)]
        self._came = max(range(len(evidence)), key=evidence.__getitem__)
        self._foretold = self._predictions()
        self.filter.see(tuple(evidence), own)
        self._signs = [0] * len(self.names)

    def heavy(self, most: int, least: float = 1e-4) -> list[tuple[float, Predictor, State]]:
        """(weight, predictor, state) of at most ``most`` predictors with a weight of at least ``least``."""
        weights = self.filter.hint(self.signs)
        order = np.argsort(-weights, kind="stable")[:most]
        tracked = self.filter.tracked
        return [
            (float(weights[i]), tracked[i].predictor, tracked[i].state)
            for i in order
            if weights[i] >= least or i == order[0]
        ]

    def thinking(self, seat: Seat, target: Behaviour | None) -> Thinking:
        """The likeliest hypotheses as a note, with the next ``target``."""
        says = self._predictions()
        heaviest = self.filter.heaviest(SHOWN)
        thoughts = tuple(
            Thought(
                i,
                self.filter.tracked[i].predictor.sentence,
                round(float(self.filter.weights[i]), 6),
                self.names[says[i]],
                None if self._came is None or i >= len(self._foretold) else self._foretold[i] == self._came,
            )
            for i in heaviest
        )
        last_behaviour = None if self._came is None else self.names[self._came]
        return Thinking(
            seat, self.met, last_behaviour, thoughts, used=heaviest[0], target=target, scale="probability"
        )

    def _predictions(self) -> list[int]:
        """The likeliest behaviour by each predictor."""
        outputs = (tracked.predictor.output(tracked.state) for tracked in self.filter.tracked)
        return [max(range(len(chances)), key=chances.__getitem__) for chances in outputs]


def share(believed: Sequence[PartnerBelief], prior: Vector) -> None:
    """Gives every partner a prior from the behaviour of the others, by a mean-field iteration.

    Partners met are a sample of one population: ``prior`` counts as ``BASE`` partners, every
    other partner met as one (Dirichlet; Ferguson 1973).
    """
    met = [partner for partner in believed if partner.met]
    if not met:
        return
    for partner in met:
        partner.filter.believe(prior)
    for _ in range(ROUNDS):
        weights = {id(partner): partner.filter.weights for partner in met}
        for partner in believed:
            others = [w for key, w in weights.items() if key != id(partner)]
            partner.filter.believe(BASE * prior + np.sum(others, axis=0) if others else prior)


MOST = 9
"""The most items gathered for one encounter."""
SOUGHT = 3.0
"""How much likelier an encounter with a sought partner is."""
AGAIN = 2.0
"""How much likelier an encounter with the last partner is, which is near."""
FADING = 0.7
"""The factor by which that decays with every encounter."""
CURIOUS = 0.15
"""The value of information of the first encounter with a partner, as a share of the largest payoff."""


class Commitment(NamedTuple):
    """To show ``behaviour`` after gathering ``more`` items for it; ``score`` is its value."""

    behaviour: int
    more: int
    score: float


def amounts(inventory: Vector, behaviour: int) -> range:
    """How many more items to gather so that ``behaviour`` has the most, and is shown.

    >>> amounts(np.array([2.0, 1.0, 1.0]), 1)
    range(2, 10)
    """
    most_of_others = float(np.delete(inventory, behaviour).max(initial=0.0))
    least = max(0, int(most_of_others - inventory[behaviour]) + 1)
    return range(least, max(least, MOST) + 1)


def mixture_payoff(inventory: Vector, behaviour: int, added: int, pays: Vector) -> Vector:
    """The payoff of the mixture with ``added`` items of ``behaviour``.

    ``inventory`` float64[A] are the items held, ``pays`` float64[A, ...] the payoffs of pure behaviours;
    the result has the trailing shape of ``pays``.
    """
    return (inventory @ pays + added * pays[behaviour]) / (inventory.sum() + added)


def stake(inventory: Vector, pays: Vector, values: Vector, price: float) -> Commitment:
    """The best behaviour and the best amount.

    ``inventory`` float64[A] are the items held for each behaviour; ``pays`` float64[A] the expected
    payoff of each in a pure encounter, ``values`` float64[A] the expected return of each, and
    ``price`` the cost of gathering one item.
    """

    options = (
        Commitment(
            a,
            added,
            float(values[a] - pays[a]) + float(mixture_payoff(inventory, a, added, pays)) - price * added,
        )
        for a in range(len(inventory))
        for added in amounts(inventory, a)
    )
    return max(options, key=lambda option: option.score)


class Hunt(NamedTuple):
    """To seek one of ``seats`` with ``behaviour``, after gathering ``more`` items for it."""

    behaviour: int
    more: int
    seats: tuple[Seat, ...]
    score: float


def hunt(
    believed: Mapping[Seat, PartnerBelief], near: Vector, pays: Vector, inventory: Vector | None, price: float
) -> Hunt:
    """The behaviour to show and the partners to seek with it.

    ``pays`` float64[A, B] are the payoffs, ``near`` float64[partners] weights of how near
    each is, ``inventory`` float64[A] the items held (``None`` where nothing is gathered). Any
    partner may come: the score is the mean over all, in which sought ones weigh more.
    """
    seats = tuple(believed)
    chances = np.array([believed[seat].chances() for seat in seats])
    sure = float(pays.max())
    curious = np.array([CURIOUS * sure * (believed[seat].met == 0) for seat in seats])
    hunts: list[Hunt] = []
    for a in range(len(pays)):
        for added in (0,) if inventory is None else amounts(inventory, a):
            won = pays[a] if inventory is None else mixture_payoff(inventory, a, added, pays)
            gains = chances @ won + curious
            order = np.argsort(-gains, kind="stable")
            weights, worth = near[order], gains[order]
            comes = weights.sum() + (SOUGHT - 1) * np.cumsum(weights)
            means = (weights @ worth + (SOUGHT - 1) * np.cumsum(weights * worth)) / comes
            many = int(means.argmax()) + 1
            chosen = tuple(sorted(seats[i] for i in order[:many]))
            hunts.append(Hunt(a, added, chosen, float(means[many - 1]) - price * added))
    return max(hunts, key=lambda option: option.score)


HEAVY = 12
"""The number of hypotheses to plan against."""
AHEAD = 20
"""The planning horizon in encounters where the end is unknown."""
DOUBT = 0.05
"""The prior share of the library beside a granted family."""
EXACT, ROUGH = (0.01, 0.002), (0.03, 0.005)
"""Noise and hazard where encounters are single actions, and where avatars bring them about."""
PRICE = 0.01
"""The cost of gathering one item, as a share of the game's range of payoffs."""
SURE = 0.8
"""From this probability of a behaviour on, all items are gathered in one skill; else one by one."""
GATHER, SEEK = "collect", "fire_at"
"""Skills of worlds with gathering, whose observation ``INVENTORY`` holds the items held."""


@lru_cache(maxsize=16)
def shelf(game: Game) -> tuple[tuple[Predictor, ...], PredictorTables]:
    """The library for ``game`` and its tables, shared by all episodes."""
    own, theirs = (len(names) for names in game.behaviours)
    return library(Setting(own, theirs, game)), PredictorTables(game)


@minds.register("bayesian")
class Bayesian(Player):
    """Filters a library of predictors for each partner, and plans against those that stay likely.

    ``prior``: ``library`` is granted the payoffs alone; ``family`` (the population it meets)
    and ``mixed`` are also granted a family, which gets most of the prior. ``listed`` is for scenarios whose
    partners' families stand in the library: it declares the grant ``family``, of which it uses nothing. Against one
    partner of a granted family it plays the exact plan while that exists and holds, else
    the best of the rollouts of :mod:`otherminds.games.filtering`. With several partners it
    has a belief about each; those met shape the prior of the others, and it seeks those it
    expects to beat. In worlds with gathering it gathers more with a more certain belief, and
    treats what others gather as a sign. Without ``gathers`` it leaves that to the
    behaviours' own skills, as ``informed`` does: then the difference to ``informed`` is due
    to its beliefs alone.
    """

    several = True

    def __init__(self, prior: str = "library", gathers: bool = True, listed: bool = False) -> None:
        if prior not in ("library", "family", "mixed"):
            raise StudyError(f"the prior of bayesian must be 'library', 'family' or 'mixed', not {prior!r}")
        self.prior = prior
        needed = {"payoffs"} if prior == "library" else {"payoffs", prior}
        self.grants = frozenset(needed | {"family"} if listed else needed)
        self.gathers = gathers

    def start(self, own: int, others: int) -> None:
        game, brief = self.game, self.brief
        family = () if self.prior == "library" else self.family
        shelved, shared = shelf(game)
        # Granted policies are new objects in every episode, so their tables are not shared.
        self._tables = PredictorTables(game) if family else shared
        self._range = float(np.ptp(self._tables.pays))
        noise, hazard = ROUGH if brief.rounds else EXACT
        granted = tuple(of_automaton(p.automaton, f"granted policy {i}") for i, p in enumerate(family))
        prior = np.array([2.0**-p.bits for p in shelved])
        prior = prior / prior.sum()
        if family:
            prior = np.concatenate([(1 - DOUBT) * np.array([p.weight for p in family]), DOUBT * prior])
        self._prior: Vector = prior / prior.sum()
        self._believed = {
            seat: PartnerBelief(
                Filter((*granted, *shelved), others, noise, hazard, self._prior), brief.behaviours[seat]
            )
            for seat in brief.others
        }
        self._alone = len(brief.others) == 1
        self._exact: FamilyPlan | None = None
        if family and self._alone:
            with suppress(WorldError):  # there is no exact plan
                self._exact = FamilyPlan(game, family, brief.planned)
        self._gathers = self.gathers and {GATHER, SEEK} <= set(brief.skills)
        self._held: Vector = np.zeros(own)
        self._near: Vector = np.zeros(len(brief.others))
        self._thwarted = False
        self._met = 0
        self._values: Vector = np.zeros(own)

    async def perceive(self, moment: Moment) -> None:
        ended, brief = moment.ended, self.brief
        for seat, behaviour in ended.seen if ended else ():
            if seat in self._believed:
                self._believed[seat].sign(behaviour)
        met: list[Seat] = []
        for encounter in moment.encounters:
            own = self._own[encounter.did[self.seat][0]]
            self._met += 1
            for seat, names in encounter.did.items():
                if seat in self._believed:
                    met.append(seat)
                    self._near *= FADING
                    self._near[brief.others.index(seat)] += AGAIN
                    could = [self._others[name] for name in names]
                    self._believed[seat].meet(could, own)
                    if self._exact is not None and not self._exact.learn(own, could):
                        self._exact = None
        if met and not self._alone:
            share(list(self._believed.values()), self._prior)
        if self._gathers:
            self._held = np.asarray(moment.observation["INVENTORY"], np.float64)
            if moment.encounters:
                self._thwarted = False
            elif ended is not None:
                self._thwarted = not ended.ok
        if self._alone and (met or ended is not None or moment.step == 0):
            self._values = self._weigh()
        for seat in met if moment.step else self.brief.others:
            self._note(seat)

    async def act(self) -> Action | SkillChoice | Invalid:
        pays = self._tables.pays
        price = PRICE * self._range
        if not self._alone:
            inventory = self._held if self._gathers else None
            best = hunt(self._believed, 1.0 + self._near, pays, inventory, price)
            return self._do(best.behaviour, best.more, best.seats, False)
        if not self._gathers:
            return self._actions[self._target()]
        chances = self._believed[self.other].chances()
        chosen = stake(self._held, pays @ chances, self._values, price)
        return self._do(chosen.behaviour, chosen.more, (), float(chances.max()) >= SURE)

    async def answer(self, question: Question) -> Answer | Invalid:
        believed = self._believed.get(question.about or self.other)
        if believed is None or question.truth_is:
            return Invalid("this mind says what another seat will do, and nothing else")
        if question.supposed:
            later = believed.filter.predict_after(self._own[question.supposed])
            return believed.names[int(later.argmax())]
        return believed.names[int(believed.chances().argmax())]

    def _weigh(self) -> Vector:
        """The value of each own behaviour against the only partner: float64[own]."""
        if self._exact is not None:
            return np.eye(len(self._own))[self._exact.act()] * self._range * AHEAD
        remaining = max(self.brief.planned - self._met, 1)
        if self.brief.rounds:
            remaining = min(remaining, AHEAD)
        believed = self._believed[self.other]
        heavy = believed.heavy(HEAVY)
        return look_ahead(self._tables, heavy, remaining, believed.filter.noise)

    def _target(self) -> int:
        return int((self._values >= self._values.max() - 1e-9).argmax())

    def _do(
        self, behaviour: int, missing: int, seats: tuple[Seat, ...], at_once: bool
    ) -> Action | SkillChoice:
        """The decision that gathers for, seeks with or shows ``behaviour``."""
        action = self._actions[behaviour]
        if not isinstance(action, SkillChoice):
            return action
        if not self._gathers or self._thwarted:
            return SkillChoice(action.name, seats)
        if missing:
            return SkillChoice(GATHER, (action.name, missing if at_once else 1))
        return SkillChoice(SEEK, seats)

    def _note(self, seat: Seat) -> None:
        target: Behaviour | None = self.brief.behaviours[self.seat][self._target()] if self._alone else None
        thinking = self._believed[seat].thinking(seat, target)
        self.context.note(THINKING, msgspec.to_builtins(thinking))
