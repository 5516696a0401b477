"""A cook that infers the kind of its teammate, and plays the best role with it.

A Bayesian filter over a few kinds (:mod:`.teammate_model`), each followed as a
:class:`~otherminds.gridworlds.cooking.teammate_model.TeammateModel`: log w += log p(signs), and a small share of
all belief returns to the prior at every step, since a teammate may change. That it knows the kinds is the
grant ``family``. Of the teammate it observes its own window and its rewards.
"""

from __future__ import annotations

import msgspec

from otherminds.core.contracts import MindContext
from otherminds.core.data import (
    Action,
    Answer,
    Behaviour,
    Brief,
    Encounter,
    Invalid,
    Moment,
    Question,
    SkillChoice,
)
from otherminds.core.thinking import THINKING, Thinking, Thought
from otherminds.gridworlds.cooking.acts import BEHAVIOURS, STOOD
from otherminds.gridworlds.cooking.cooks import FIXED, Cook
from otherminds.gridworlds.cooking.kitchen import Role
from otherminds.gridworlds.cooking.rules import Rules
from otherminds.gridworlds.cooking.teammate_model import KINDS, TeammateModel, Watch, best
from otherminds.gridworlds.grid.actions import player_of

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
