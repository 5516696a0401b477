"""What answers would score that never look at who saw or heard what: the floor of L in the household.

A policy answers each question by a rule: a constant; a coin between two or three answers; the asked agent's own
knowledge of the fact, for everybody; what the last message about it said (received, sent, or either), for everybody; or
both together. Where own knowledge or messages say nothing, the rule may go on to a constant. A *mixture* chooses the rule by the form of a question: its depth, its
predicate, and whether it is a chain of the goal, a fact of the goal with other agents, the contrary of one, or none of these; and
it may switch from one rule to another at a quarter, half or three quarters of an episode, or at its end. "The goals came
true, and their contraries did not" is such a mixture. All are evaluated on the same runs as the mind, coins by their exact
expectation, and the best one is the floor. Being the best of many after the fact, it is rather too high than too low.

At depth 1 a question is about the asked agent's own knowledge, so that its knowledge and its messages are no way around
it: there the rules are constants and coins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from otherminds.household.measures.questions import FAILS, HOLDS, UNKNOWN, Item

Rule: TypeAlias = Callable[[Item], float]
"""The probability that a rule answers a question correctly."""


def _constant(answer: int) -> Rule:
    return lambda item: float(item.truth == answer)


def _coin(*answers: int) -> Rule:
    return lambda item: (item.truth in answers) / len(answers)


def _own(otherwise: int = UNKNOWN) -> Rule:
    """Own knowledge; it counts as right where the log cannot determine it."""
    return lambda item: float(
        item.own is None or item.truth == (otherwise if item.own == UNKNOWN else item.own)
    )


def _follow_message(which: Literal["sent", "received", "last"], otherwise: int = UNKNOWN) -> Rule:
    def rule(item: Item) -> float:
        stated: int = getattr(item, which)
        return float(item.truth == (otherwise if stated == UNKNOWN else stated))

    return rule


def _own_or_said(item: Item) -> float:
    return _own()(item) if item.own != UNKNOWN else _follow_message("last")(item)


def _own_and_said(item: Item) -> float:
    return _own()(item) if item.own in (None, item.last) else float(item.truth == UNKNOWN)


BLIND_RULES: dict[str, Rule] = {
    "always holds": _constant(HOLDS),
    "always does not hold": _constant(FAILS),
    "always unknown": _constant(UNKNOWN),
    "coin: holds or not": _coin(HOLDS, FAILS),
    "coin: holds or unknown": _coin(HOLDS, UNKNOWN),
    "coin: does not hold or unknown": _coin(FAILS, UNKNOWN),
    "three-sided coin": _coin(HOLDS, FAILS, UNKNOWN),
}
"""The rules that know nothing at all."""
OWN_RULES: dict[str, Rule] = {
    "own knowledge": _own(),
    "own knowledge, else holds": _own(HOLDS),
    "own knowledge, else does not hold": _own(FAILS),
    "last message": _follow_message("last"),
    "last message, else holds": _follow_message("last", HOLDS),
    "last message, else does not hold": _follow_message("last", FAILS),
    "last message received": _follow_message("received"),
    "last message sent": _follow_message("sent"),
    "own knowledge, else last message": _own_or_said,
    "own knowledge that was said": _own_and_said,
}
"""The rules that take others to know what oneself knows, or what was said."""
RULES = BLIND_RULES | OWN_RULES
BEFORE = ("always holds", "always does not hold", "always unknown", "own knowledge")
"""The rules that a policy may have before it switches."""
SWITCHES = (0.25, 0.5, 0.75, 1.0)
"""The moments of a switch, as shares of the longest episode."""
PLACES = {name: place for place, name in enumerate(RULES)}
"""The places of the rules among plans."""
PLANS = len(RULES) * (1 + len(SWITCHES) * len(BEFORE))
"""The number of plans."""


def score_plans(item: Item) -> NDArray[np.float64]:
    """The probability (0 to 1) that each plan of the panel answers a question correctly: float64[plans].

    A plan is a rule, or two rules with a switch between them. A mixture has one plan for each form of question. At
    depth 1, plans with own knowledge or messages count as wrong.
    """
    rules = BLIND_RULES if item.depth == 1 else RULES
    chances = [rules[name](item) if name in rules else 0.0 for name in RULES]
    chance_blocks = [chances]
    for switch in SWITCHES:
        chance_blocks += [
            [chances[PLACES[name]]] * len(RULES) if item.moment < switch else chances for name in BEFORE
        ]
    return np.array(chance_blocks).reshape(-1)
