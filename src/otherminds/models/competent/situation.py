"""The situation in a prompt: behaviours and payoffs, the history, and assumptions about others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from random import Random
from typing import Any, TypeVar

from msgspec import Struct

from otherminds.core.encoding import stream
from otherminds.models.competent.parsing import Met, Prompt
from otherminds.models.competent.planning import IDLE, KITCHEN_ACTS, acts, cooks
from otherminds.models.competent.strategies import (
    History,
    Matrix,
    StrategyRule,
    StrategySetting,
    best,
    estimate_payoffs,
    explain_history,
    infer_class,
    kind,
    read,
    returns,
    rules,
)

WRITTEN = ("they_play", "i_play", "they_played")
"""Keys whose example values show how behaviours are written."""

T = TypeVar("T")


class Ability(Struct, frozen=True):
    """``accuracy``: the probability that a statement about others is the best possible one.

    ``rationality``: the probability that a choice is the best response to its statements.
    ``insight``: the probability that a strategy is the best explanation; ``accuracy`` by
    default. ``seed`` draws its errors, together with the seed of each call.
    """

    accuracy: float = 1.0
    rationality: float = 1.0
    insight: float | None = None
    seed: int = 0

    @property
    def finds(self) -> float:
        return self.accuracy if self.insight is None else self.insight


class Situation:
    """The inferences from a prompt, with the earlier answers of the same reply.

    These are what ``came`` in the last encounter, the ``rule`` that explains the history, what
    is ``coming``, the behaviour ``chosen`` and the others ``sought``.

    Errors depend on the call's seed and their subject, so that each answer errs independently.
    An intermediate result that the prompt neither contains nor asks for errs like an answer.
    """

    def __init__(self, prompt: Prompt, ability: Ability, seed: int) -> None:
        self.prompt = prompt
        self.form = prompt.form or {}
        self.ability = ability
        self._seed = seed
        self.came: int | None = None
        self.rule: StrategyRule | None = None
        self.coming: int | None = None
        self.chosen: int | None = None
        self.sought: tuple[str, ...] = ()
        self._supposed: dict[str, StrategyRule] = {}

    def rng(self, *about: str) -> Random:
        return stream(self.ability.seed, "call", self._seed, self.prompt.system, self.prompt.user, *about)

    def steady(self, *about: str) -> Random:
        """A random stream that stays the same until the next encounter, so that plans continue each other."""
        # The text of an encounter names its class: under another name of Met, each seed would draw other chances.
        history = [str(mets) for mets in self.prompt.encounters.values()]
        return stream(self.ability.seed, "steady", self.prompt.system, *history, *about)

    def erring(self, right: T, all_of: Sequence[T], share: float, *about: str) -> T:
        """``right`` with probability ``share``, else another of ``all_of``, uniformly."""
        rng = self.steady("error", *about) if "plan" in self.form else self.rng("error", *about)
        return _erring(rng, right, all_of, share)

    @cached_property
    def others(self) -> tuple[str, ...]:
        prompt = self.prompt
        return tuple(dict.fromkeys([*prompt.encounters, *prompt.earlier, *prompt.hypotheses]))

    @cached_property
    def setting(self) -> StrategySetting:
        """Behaviours and payoffs of the prompt; without payoffs, the behaviours that it names."""
        payoffs = self.prompt.payoffs
        if payoffs is not None:
            kindly = kind(payoffs.mine, payoffs.partner_payoffs)
            return StrategySetting(payoffs.own, payoffs.theirs, payoffs.partner_payoffs, kindly)
        examples = [self.form[key] for key in WRITTEN if key in self.form]
        if cooks(self.prompt):
            return StrategySetting((), KITCHEN_ACTS)
        own = self._named("What you can play", [*examples, *(met.own for met in self.mets)])
        theirs = self._named("What they can play", [*own, *(met.theirs for met in self.mets)])
        return StrategySetting(own, theirs)

    def _named(self, label: str, otherwise: Sequence[Any]) -> tuple[str, ...]:
        """The behaviours of the line ``label``; without one, those in ``otherwise``."""
        listed = self.prompt.value(label)
        behaviours = listed if isinstance(listed, list) else otherwise
        return tuple(dict.fromkeys(name for behaviour in behaviours for name in _names(behaviour)))

    @cached_property
    def mets(self) -> list[Met]:
        """The encounters with all others."""
        return [met for mets in self.prompt.encounters.values() for met in mets]

    def unknown(self, other: str) -> bool:
        """Whether there was no encounter yet, and no hypothesis about ``other``."""
        return not self.mets and other not in self.prompt.hypotheses

    @cached_property
    def mine(self) -> Matrix:
        """The own payoffs: from the prompt, else estimated."""
        payoffs = self.prompt.payoffs
        if payoffs is not None:
            return payoffs.mine
        own, theirs = self.setting.own, self.setting.theirs
        plays = [(_index(met.theirs, theirs), _index(met.own, own), met.reward) for met in self.mets]
        return estimate_payoffs(plays, len(own), len(theirs))

    def written(self, index: int, key: str) -> Any:
        """A behaviour, written as in the form."""
        names = self.setting.own if key.startswith("i_") else self.setting.theirs
        example = self.form.get(key)
        if isinstance(example, dict):
            return {name: max(example.values()) if name == names[index] else 1 for name in example}
        return names[index]

    def own(self, behaviour: Any) -> int | None:
        return _index(behaviour, self.setting.own)

    def history(self, other: str) -> History:
        """The encounters with ``other``; hidden behaviours are inferred where possible."""
        mets = self.prompt.encounters.get(other, ())
        usual = Counter(act for met in mets if isinstance(met.theirs, list) for act in acts(met.theirs))
        plays = [(self._theirs(met, usual), self.own(met.own)) for met in mets]
        if self.came is not None and plays:
            plays[-1] = (self.came, plays[-1][1])
        return plays

    def infer(self, met: Met) -> int | None:
        """The other's behaviour, inferred from the reward; ``None`` without payoffs or inventories."""
        own, payoffs = met.own, self.prompt.payoffs
        if payoffs is None or not isinstance(own, dict) or {*own} != {*payoffs.own}:
            return None
        return infer_class([own[name] for name in payoffs.own], met.reward, payoffs.mine)

    def _theirs(self, met: Met, usual: Counter[str]) -> int | None:
        """The other's behaviour; of several acts, the most usual one. Who was never seen to do anything may be idle."""
        behaviour = met.theirs
        if isinstance(behaviour, list):
            behaviour = max(acts(behaviour), key=lambda act: usual[act], default=None)
        if behaviour is None and not usual and cooks(self.prompt):
            behaviour = IDLE
        index = _index(behaviour, self.setting.theirs)
        right = self.infer(met) if index is None and met.theirs is None else None
        if right is None:
            return index
        # The guess is the same in every prompt with this encounter.
        rng = stream(self.ability.seed, "inferred", met.when, str(met.own), f"{met.reward:g}")
        return _erring(rng, right, range(len(self.setting.theirs)), self.ability.accuracy)

    def explanation(self, other: str) -> StrategyRule:
        earlier = self.prompt.earlier.get(other, ()) or self.prompt.strategies
        trusted = [(value, rule.sentence) for value, text in earlier if (rule := read(text, self.setting))]
        return explain_history(self.setting, self.history(other), trusted)

    def held(self, other: str) -> StrategyRule:
        """The assumed strategy: as answered, as in the prompt, else an explanation of the history."""
        sentence = self.prompt.hypotheses.get(other, "") or self.prompt.strategy
        rule = self.rule or read(sentence, self.setting)
        if rule is not None:
            return rule
        if other not in self._supposed:
            self._supposed[other] = self.mistaken(self.explanation(other), other)
        return self._supposed[other]

    def mistaken(self, right: StrategyRule, other: str) -> StrategyRule:
        """``right``, or another strategy in error."""
        by_sentence = rules(self.setting)
        return by_sentence[
            self.erring(right.sentence, list(by_sentence), self.ability.finds, "strategy", other)
        ]

    def foreseen(self, other: str) -> int:
        """The prediction of the assumed strategy; without one, the most frequent behaviour."""
        if self.unknown(other):
            return self.rng("opening", other).randrange(len(self.setting.theirs))
        history = self.history(other)
        rule = self.held(other)
        prediction = rule.says(rule.state(history))
        if prediction is not None:
            return prediction
        their_plays = [theirs for theirs, _ in history if theirs is not None]
        return max(range(len(self.setting.theirs)), key=their_plays.count)

    def response(self, other: str) -> int:
        """The best own behaviour, without error; at the start the kind one, else a random one."""
        if self.unknown(other):
            kindly = self.setting.kind
            return kindly[0] if kindly else self.steady("opening").randrange(len(self.setting.own))
        return best(returns(self.held(other), self.history(other), self.mine, self.expected(other)))

    def chooses(self, other: str) -> int:
        many = range(len(self.setting.own))
        return self.erring(self.response(other), many, self.ability.rationality, "i_play")

    def expected(self, other: str) -> int:
        """The expected next behaviour: as answered, as predicted in the prompt, else as foreseen."""
        if self.coming is not None:
            return self.coming
        predicted = _index(self.prompt.predictions.get(other), self.setting.theirs)
        return self.predicts(other) if predicted is None else predicted

    def predicts(self, other: str) -> int:
        many = range(len(self.setting.theirs))
        return self.erring(self.foreseen(other), many, self.ability.accuracy, "they_play", other)

    def target(self) -> str | None:
        """The target of a plan: from the prompt, else the best behaviour."""
        behaviour = self.own(self.prompt.value("Your next behaviour"))
        if behaviour is None and self.setting.own:
            behaviour = self.chooses(next(iter(self.others), ""))
        return None if behaviour is None else self.setting.own[behaviour]


def _erring(rng: Random, right: T, all_of: Sequence[T], share: float) -> T:
    others = [alternative for alternative in all_of if alternative != right]
    return right if rng.random() < share or not others else rng.choice(others)


def _names(behaviour: Any) -> list[str]:
    if isinstance(behaviour, dict | list):
        return [str(name) for name in behaviour]
    return [behaviour] if isinstance(behaviour, str) else []


def _index(behaviour: Any, names: tuple[str, ...]) -> int | None:
    """The index of a written behaviour: a name, or an inventory with a single largest kind."""
    if isinstance(behaviour, str):
        return names.index(behaviour) if behaviour in names else None
    if not isinstance(behaviour, dict) or not {*behaviour} <= {*names}:
        return None
    most = max(behaviour.values())
    leading = [name for name, count in behaviour.items() if count == most]
    return names.index(leading[0]) if len(leading) == 1 else None
