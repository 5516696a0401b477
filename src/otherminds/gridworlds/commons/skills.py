"""Skills: what a mind can choose instead of primitive actions; each behaviour is one, and ``wait``.

A skill starts with what it sees from then on. It ends when the seat has shown the behaviour, and gives up after ``PATIENCE`` steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Any

from otherminds.core.contracts import Controller, Skill
from otherminds.core.data import Action, Behaviour, Brief, Ended, Moment
from otherminds.gridworlds.commons.acts import ATE, BEHAVIOURS, CLEANED, NONE, OWN, ZAPPED
from otherminds.gridworlds.commons.forager import SPARED, Cell, Forager
from otherminds.gridworlds.commons.rules import CLEAN, COIN, DIRT, NOTHING, ZAP, Rules
from otherminds.gridworlds.grid.rules import NOOP
from otherminds.gridworlds.grid.words import format_arguments, refuse_skill

PATIENCE = 100
"""Steps after which a skill gives up."""
PAUSE = 10
"""Steps that ``wait`` takes."""
WAIT, SPARE = "wait", "spare"

Choose = Callable[[Forager], int]


def skills(rules: Rules) -> dict[str, Skill]:
    """The skills by name: the behaviours of the substrate; in Commons Harvest ``spare``, which eats an apple that has others near; ``wait``."""
    able: dict[str, Skill] = {name: partial(_behave, rules, name) for name in BEHAVIOURS[rules.law]}
    if rules.law == "density":
        able[SPARE] = partial(_behave, rules, SPARE)
    return able | {NONE if rules.law == "chance" else WAIT: _wait}


def _behave(rules: Rules, name: Behaviour, brief: Brief, rng: Random, *args: Any) -> Controller:
    if args:
        return refuse_skill(f"this takes nothing, not {format_arguments(args)}")
    forager, begun = Forager(rules, rng), list[int]()

    def controller(moment: Moment) -> Action | Ended:
        forager.see(moment.observation)
        begun.append(moment.step)
        did = [act for encounter in moment.encounters for act in encounter.did.get(brief.seat, ())]
        if len(begun) > 1 and (ATE if name == SPARE else name) in did:
            return Ended(True)
        if moment.step - begun[0] >= PATIENCE:
            return Ended(False, f"{PATIENCE} steps were not enough")
        return _choose(forager, name) if forager.alive else NOOP

    return controller


def _choose(forager: Forager, name: Behaviour) -> int:
    """The next action towards a behaviour."""
    rules = forager.rules
    if name == ZAPPED and rules.zap:
        aimed = forager.aim(forager.others, rules.zap.length, NOTHING)
        return _go(forager, list(forager.others)) if aimed is None else aimed or ZAP
    if name == CLEANED and rules.cleaner:
        dirt = forager.list_dirt()
        aimed = forager.aim(dirt, rules.cleaner.length, DIRT)
        return _go(forager, dirt) if aimed is None else aimed or CLEAN
    if name == SPARE:
        return _go(forager, forager.list_spared(SPARED), forager.list_food())
    if name == ATE:
        return _go(forager, forager.list_food())
    own = COIN + forager.colour
    return _go(forager, forager.list_food(lambda cell, thing: (thing == own) == (name == OWN)))


def _go(forager: Forager, goals: Sequence[Cell], avoid: Sequence[Cell] = ()) -> int:
    others = set(avoid).difference(goals)
    action = forager.approach(goals, others)
    return forager.wander(others) if action is None else action


def _wait(brief: Brief, rng: Random, *args: Any) -> Controller:
    if args:
        return refuse_skill(f"this takes nothing, not {format_arguments(args)}")
    begun: list[int] = []

    def controller(moment: Moment) -> Action | Ended:
        begun.append(moment.step)
        return NOOP if moment.step - begun[0] < PAUSE else Ended(True, f"waited for {PAUSE} steps")

    return controller
