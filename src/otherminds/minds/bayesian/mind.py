"""A mind without a language model: a belief over predictors, and planning against them."""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache

import msgspec
import numpy as np

from otherminds.core.data import Action, Answer, Behaviour, Game, Invalid, Moment, Question, Seat, SkillChoice
from otherminds.core.errors import StudyError, WorldError
from otherminds.core.thinking import THINKING
from otherminds.games.belief import FamilyPlan
from otherminds.games.filtering import Filter, Vector
from otherminds.games.lookahead import PredictorTables, look_ahead
from otherminds.games.player import Player
from otherminds.games.predictor import Predictor, Setting, of_automaton
from otherminds.games.registry import library
from otherminds.minds.bayesian.commitment import AGAIN, FADING, hunt, stake
from otherminds.minds.bayesian.partner import PartnerBelief, share
from otherminds.minds.registry import minds

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
    and ``mixed`` are also granted a family, which gets most of the prior. Against one
    partner of a granted family it plays the exact plan while that exists and holds, else
    the best of the rollouts of :mod:`otherminds.games.lookahead`. With several partners it
    has a belief about each; those met shape the prior of the others, and it seeks those it
    expects to beat. In worlds with gathering it gathers more with a more certain belief, and
    treats what others gather as a sign. Without ``gathers`` it leaves that to the
    behaviours' own skills, as ``informed`` does: then the difference to ``informed`` is due
    to its beliefs alone.
    """

    several = True

    def __init__(self, prior: str = "library", gathers: bool = True) -> None:
        if prior not in ("library", "family", "mixed"):
            raise StudyError(f"the prior of bayesian must be 'library', 'family' or 'mixed', not {prior!r}")
        self.grants = frozenset({"payoffs"} if prior == "library" else {"payoffs", prior})
        self.gathers = gathers

    def start(self, own: int, others: int) -> None:
        game, brief = self.game, self.brief
        family = self.family if len(self.grants) > 1 else ()
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
