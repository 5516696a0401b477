"""Known strategies in the language beside the same by hand, after every short history."""

from collections.abc import Callable
from types import ModuleType

import pytest

from otherminds.games.automata import Chances
from otherminds.games.expressions import program
from tests.cases import depth, for_each
from tests.games.expressions import kit as tools

History = list[tuple[int, int]]
"""Pairs (theirs, own), oldest first."""
Rule = Callable[[History], int | Chances]

COOPERATE, DEFECT = 0, 1
HALF = (0.5, 0.5)
THIRD = (1 / 3,) * 3


def theirs(history: History) -> list[int]:
    return [t for t, _ in history]


def own(history: History) -> list[int]:
    return [o for _, o in history]


def win_stay(history: History) -> int:
    if not history:
        return COOPERATE
    t, o = history[-1]
    paid = {(0, 0): 8, (0, 1): 0, (1, 0): 10, (1, 1): 5}[t, o]
    return t if paid >= 8 else 1 - t


def strikes(history: History) -> int:
    return DEFECT if len(history) >= 2 and own(history)[-2:] == [DEFECT, DEFECT] else COOPERATE


def majority(history: History) -> int | Chances:
    shown = own(history)
    return HALF if not shown else COOPERATE if shown.count(0) >= shown.count(1) else DEFECT


def frequencies(history: History) -> Chances:
    shown = theirs(history)
    return HALF if not shown else (shown.count(0) / len(shown), shown.count(1) / len(shown))


def streak(shown: list[int]) -> int:
    length = 0
    for behaviour in reversed(shown):
        if behaviour != shown[-1]:
            break
        length += 1
    return length


IPD: list[tuple[str, Rule]] = [
    ("'defect'", lambda h: DEFECT),
    ("if round == 1 then 'cooperate' else mine(1)", lambda h: h[-1][1] if h else COOPERATE),
    ("mine(1)", lambda h: h[-1][1] if h else HALF),
    ("if mine(1) == 'defect' then 'defect' else 'cooperate'", lambda h: h[-1][1] if h else COOPERATE),
    ("if count(mine, 'defect') > 0 then 'defect' else 'cooperate'", lambda h: int(DEFECT in own(h))),
    ("if 0 < count(mine, 'defect') then 'defect' else 'cooperate'", lambda h: int(DEFECT in own(h))),
    ("if count(mine, 'defect') >= 3 then 'defect' else 'cooperate'", lambda h: int(own(h).count(DEFECT) >= 3)),
    ("if streak(mine, 'defect') >= 2 then 'defect' else 'cooperate'", strikes),
    ("if count(mine, 'defect', 2) == 2 then 'defect' else 'cooperate'", strikes),
    ("if mine(1) == 'defect' and mine(2) == 'defect' then 'defect' else 'cooperate'", strikes),
    (
        "if round == 1 then 'cooperate' else if their_payoff(1) >= 8 then their(1) else other(their(1))",
        win_stay,
    ),
    ("if round == 1 or their(1) == mine(1) then 'cooperate' else 'defect'", lambda h: int(bool(h) and h[-1][0] != h[-1][1])),
    ("first(2, 'cooperate', 'defect')", lambda h: int(len(h) >= 2)),
    ("if round <= 2 then 'cooperate' else 'defect'", lambda h: int(len(h) >= 2)),
    ("if round % 2 == 0 then 'cooperate' else 'defect'", lambda h: int(len(h) % 2 == 0)),
    ("if (round - 1) // 2 % 2 == 0 then 'cooperate' else 'defect'", lambda h: len(h) // 2 % 2),
    ("cycle('cooperate', 'cooperate', 'defect')", lambda h: int(len(h) % 3 == 2)),
    ("most(mine)", majority),
    ("frequencies(their)", frequencies),
    ("frequencies(their, 2)", lambda h: frequencies(h[-2:])),
    ("noisy(mine(1), 0.2)", lambda h: HALF if not h else (0.9, 0.1) if h[-1][1] == 0 else (0.1, 0.9)),
    ("mix({'cooperate': 3, 'defect': 1})", lambda h: (0.75, 0.25)),
    ("mix({mine(1): 1, mine(2): 1, uniform: 0})", lambda h: HALF if len(h) < 1 else (
        tuple(((0.5 if len(h) < 2 else float(h[-2][1] == b)) + (h[-1][1] == b)) / 2 for b in (0, 1))
    )),
    ("if my_payoff(1) > their_payoff(1) then 'defect' else 'cooperate'", lambda h: int(bool(h) and h[-1] == (0, 1))),
    ("if streak(their) >= 2 then other(their(1)) else 'cooperate'", lambda h: 1 - h[-1][0] if streak(theirs(h)) >= 2 else 0),
    ("let n = count(mine, 'defect') in if n * 2 > round then 'defect' else 'cooperate'", lambda h: int(own(h).count(1) * 2 > len(h) + 1)),
    ("best_reply(mine(1))", lambda h: DEFECT if h else HALF),
    ("if their(2) == mine(2) then 'cooperate' else 'defect'", lambda h: int(len(h) < 2 or h[-2][0] != h[-2][1])),
    ("if their(2) != mine(2) then 'defect' else 'cooperate'", lambda h: int(len(h) < 2 or h[-2][0] != h[-2][1])),
    ("if not (round == 2) and (true or false) then 'cooperate' else 'defect'", lambda h: int(len(h) == 1)),
]  # fmt: skip

RPS: list[tuple[str, Rule]] = [
    ("best_reply(mine(1))", lambda h: (h[-1][1] + 1) % 3 if h else THIRD),
    ("best_reply(my_best_reply(their(1)))", lambda h: (h[-1][0] + 2) % 3 if h else THIRD),
    ("next(their(1))", lambda h: (h[-1][0] + 1) % 3 if h else THIRD),
    ("next(their(1), 0 - 1)", lambda h: (h[-1][0] - 1) % 3 if h else THIRD),
    ("next(their(1), round)", lambda h: (h[-1][0] + len(h) + 1) % 3 if h else THIRD),
    ("cycle('rock', 'paper', 'scissors')", lambda h: len(h) % 3),
    ("other(mine(1))", lambda h: tuple(0.5 * (b != h[-1][1]) for b in range(3)) if h else THIRD),
    ("if my_payoff(1) > 0 then best_reply(mine(1)) else their(1)", lambda h: (h[-1][1] + 1) % 3 if h and (h[-1][1] - h[-1][0]) % 3 == 1 else h[-1][0] if h else THIRD),
    ("if their_payoff(1) == -1 then next(their(1)) else their(1)", lambda h: (h[-1][0] + ((h[-1][1] - h[-1][0]) % 3 == 1)) % 3 if h else THIRD),
]  # fmt: skip


def agree(text: str, rule: Rule, tools: ModuleType, names: str, behaviours: int, longest: int) -> None:
    predictor = program(text, getattr(tools, names)).predictor(text)
    for history, chances in tools.histories(behaviours, behaviours, longest, predictor):
        meant = rule(history)
        wanted = tuple(float(b == meant) for b in range(behaviours)) if isinstance(meant, int) else meant
        assert chances == pytest.approx(wanted, abs=1e-12), history


@pytest.mark.parametrize("longest", depth(5, 6))
@for_each(("text", "rule"), IPD, ids=[text for text, _ in IPD])
def test_strategies_for_two_behaviours_do_what_they_say_after_every_history(
    text: str, rule: Rule, longest: int
) -> None:
    agree(text, rule, tools, "IPD", 2, longest)


@for_each(("text", "rule"), RPS, ids=[text for text, _ in RPS])
def test_strategies_for_three_behaviours_do_what_they_say_after_every_history(text: str, rule: Rule) -> None:
    agree(text, rule, tools, "RPS", 3, 3)


@for_each("text", [
    "if round == 1 then 'defect' else mine(1)",
    "if round == 1 then 'cooperate' else their(1)",
    "if round == 2 then 'cooperate' else mine(1)",
    "if round == 1 then 'cooperate' else mine(2)",
    "if count(mine, 'defect') > 1 then 'defect' else 'cooperate'",
])  # fmt: skip
def test_a_strategy_that_differs_in_one_place_is_told_apart(text: str) -> None:
    with pytest.raises(AssertionError):
        agree(text, IPD[1][1], tools, "IPD", 2, 6)
