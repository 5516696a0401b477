"""Worked examples are right, for every game: each is played again here, and its numbers are counted again."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import Any

import pytest
from gymnasium.spaces import Discrete
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Automaton, Brief, Encounter, Game, Moment, Question, Turn
from otherminds.games.registry import automaton, games
from otherminds.matrix.words import NEUTRAL, MatrixVerbalizer
from tests.cases import for_each

NAMED = {name: games.get(name)() for name in ("rps", "ibs", "ipd")}
LAST, TOTAL = 3, 10
NUMBER = r"[+-]?[\d.]+(?:e[+-]?\d+)?"


def telling(
    game: Game, order: tuple[int, ...], names: Any = NEUTRAL, other_names: Any = None
) -> MatrixVerbalizer:
    rows, columns = (len(behaviours) for behaviours in game.behaviours)
    others = names if other_names is None else other_names
    return MatrixVerbalizer(game, "ego", "partner_0", names[:rows], others[:columns], order, 100)


def brief(game: Game, granted: bool = True) -> Brief:
    seats = dict(zip(("ego", "partner_0"), game.behaviours, strict=True))
    return Brief(
        "ego",
        ("partner_0",),
        Discrete(len(game.behaviours[0])),
        seats,
        (0, 1),
        100,
        game=game if granted else None,
    )


def question(game: Game, when: Any = "before") -> Question:
    return Question("next:partner_0", "ego", when, "", game.behaviours[1], 0.5, about="partner_0")


def course(told: MatrixVerbalizer, example: str) -> list[tuple[int, int]]:
    found = re.findall(
        r"^In round \d+, you chose Option (.+) and the other player chose Option (.+)\. Thus", example, re.M
    )
    return [(told.own_names.index(own), told.other_names.index(other)) for own, other in found]


def answer(example: str) -> str:
    line = example.splitlines()[-1]
    assert line.startswith("A: Option ")
    return line.removeprefix("A: Option ")


def families(told: MatrixVerbalizer) -> list[Automaton]:
    """Who could have played each example: every constant partner, the answering one, every alternating one."""
    game, columns = told.game, range(len(told.other_names))
    constant = [automaton("single", game, TOTAL, {"behaviour": b}) for b in columns]
    same = told.own_names == told.other_names
    answering = (
        automaton("tit_for_tat", game, TOTAL, {}) if same else automaton("level_k", game, TOTAL, {"level": 1})
    )
    alternating = [
        automaton("cycler", game, TOTAL, {"pattern": list(two)}) for two in permutations(columns, 2)
    ]
    return [constant, [answering], alternating]


def follow(partner: Automaton, played: list[tuple[int, int]]) -> int | None:
    """The state after ``played``; None if this partner would have played otherwise."""
    state = partner.start
    for own, other in played:
        if partner.output[state][other] != 1.0:
            return None
        state = partner.next[state][other][own]
    return state


def worths(game: Game, partner: Automaton, state: int, left: int) -> list[float]:
    """The most that each own behaviour can bring in ``left`` rounds, counted by trying everything."""

    @cache
    def most(state: int, left: int) -> float:
        return max(after(state, left)) if left else 0.0

    def after(state: int, left: int) -> list[float]:
        b = partner.output[state].index(1.0)
        return [row[b][0] + most(partner.next[state][b][a], left - 1) for a, row in enumerate(game.payoffs)]

    return after(state, left)


def check(told: MatrixVerbalizer) -> None:
    """Everything that an example says is true of the game and of the partner that plays it."""
    game = told.game
    choices = told.examples(Turn(), brief(game))
    predictions = told.examples(question(game), brief(game))
    assert len(choices) == len(predictions) == 3
    for choice, prediction, candidates in zip(choices, predictions, families(told), strict=True):
        played = course(told, choice)
        assert played == course(told, prediction)
        moment = Moment(
            LAST,
            0,
            encounters=tuple(
                Encounter(
                    t,
                    {"ego": (game.behaviours[0][i],), "partner_0": (game.behaviours[1][j],)},
                    game.payoffs[i][j][0],
                )
                for t, (i, j) in enumerate(played)
            ),
        )
        for example in (choice, prediction):
            assert example.splitlines()[1 : LAST + 1] == told.tell(moment).splitlines()
        possible = [(one, state) for one in candidates if (state := follow(one, played)) is not None]
        assert len(possible) == 1, "the course shows who plays it"
        partner, state = possible[0]
        coming = partner.output[state].index(1.0)
        assert answer(prediction) == told.other_names[coming]
        thoughts = choice.splitlines()[-2]
        assert prediction.splitlines()[-2] in thoughts, "what comes is thought of before what is best"
        worth = worths(game, partner, state, TOTAL - LAST)
        best = told.own_names.index(answer(choice))
        assert worth[best] >= max(worth) - 1e-9
        weighed = thoughts[thoughts.index(" now") :]
        quoted = re.findall(rf"Option (\w+) ({NUMBER})(?: and ({NUMBER}))?[,.]", weighed)
        assert sorted(name for name, *_ in quoted) == sorted(told.own_names), "every own option is weighed"
        for name, now, whole in quoted:
            i = told.own_names.index(name)
            assert float(now) == pytest.approx(game.payoffs[i][coming][0], rel=1e-11)
            if whole:
                assert float(whole) == pytest.approx(worth[i], rel=1e-11)
        tied = sum(one >= max(worth) - 1e-9 for one in worth) > 1
        assert thoughts.endswith(
            "Option is better than" * tied + f" Option {answer(choice)}{' is best' * (not tied)}."
        )
        for example, ask in (
            (choice, told.ask(Turn(), Moment(LAST, None))),
            (prediction, told.ask(question(game), Moment(LAST, None))),
        ):
            asked = "\n".join(example.splitlines()[LAST + 1 : -2])
            assert asked == ask.text, "the question is put as in the prompt"
            assert told.read(ask, example) == ask.options[ask.labels.index(answer(example))]
    assert len({answer(prediction) for prediction in predictions}) > 1


@st.composite
def tellings(draw: st.DrawFn) -> MatrixVerbalizer:
    rows, columns = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    payoff = draw(
        st.sampled_from([st.integers(-3, 3), st.integers(0, 3), st.decimals(-99, 99, places=2)])
    ).map(float)
    payoffs = draw(
        st.lists(
            st.lists(st.tuples(payoff, payoff), min_size=columns, max_size=columns).map(tuple),
            min_size=rows,
            max_size=rows,
        ).map(tuple)
    )
    if draw(st.booleans()):
        payoffs = tuple(tuple((x, 1.0 - x) for x, _ in row) for row in payoffs)
    behaviours = tuple(f"r{i}" for i in range(rows)), tuple(f"c{j}" for j in range(columns))
    others = NEUTRAL if draw(st.booleans()) else ("left", "middle", "right", "back")
    order = tuple(draw(st.permutations(range(max(rows, columns)))))
    return telling(Game("random", behaviours, payoffs), order, NEUTRAL, others)


@given(tellings())
def test_examples_are_right_in_any_game(told: MatrixVerbalizer) -> None:
    check(told)


@for_each("game", NAMED.values(), ids=NAMED)
def test_examples_are_right_in_the_named_games(game: Game) -> None:
    size = len(game.behaviours[0])
    for order in permutations(range(size)):
        for names in (NEUTRAL, ("Rock", "Paper", "Scissors"), ("J" * 21, "F" * 21, "B" * 21)):
            told = telling(game, order, names)
            check(told)
            choices = [answer(example) for example in told.examples(Turn(), brief(game))]
            assert len(set(choices)) == size, "as different as the game permits"


def test_cooperation_is_best_against_a_copy_and_defection_against_a_constant() -> None:
    game = NAMED["ipd"]
    for order in ((0, 1), (1, 0)):
        first, second, _ = telling(game, order, ("Cooperate", "Defect")).examples(Turn(), brief(game))
        assert answer(first) == "Defect"
        assert answer(second) == "Cooperate"
        assert "it copies me" in second


def test_one_example_as_a_person_read_it() -> None:
    game = NAMED["ipd"]
    assert telling(game, (0, 1)).examples(Turn(), brief(game))[1] == (
        "Example 2. The same game, with another player, 10 rounds in total:\n"
        "In round 1, you chose Option J and the other player chose Option J. "
        "Thus, you won 8 points and the other player won 8 points.\n"
        "In round 2, you chose Option F and the other player chose Option J. "
        "Thus, you won 10 points and the other player won 0 points.\n"
        "In round 3, you chose Option J and the other player chose Option F. "
        "Thus, you won 0 points and the other player won 10 points.\n"
        "You are currently playing round 4.\n"
        "Q: Which Option do you choose, Option J or Option F?\n"
        "The other player answered my Option J with Option J and my Option F with Option F: it copies me. "
        "My last choice was Option J, so Option J comes next. My points now, and at best in rounds 4 to 10: "
        "Option J 8 and 58, Option F 10 and 52. Option J is best.\n"
        "A: Option J"
    )


@for_each("game", NAMED.values(), ids=NAMED)
def test_nothing_of_the_episode_at_hand_is_in_them(game: Game) -> None:
    order = tuple(range(len(game.behaviours[0])))
    told = telling(game, order)
    for other in (replace(told, rounds=3), replace(told, seat="partner_0", other="ego")):
        for about in (Turn(), question(game)):
            assert other.examples(about, brief(game)) == told.examples(about, brief(game))


def test_the_own_choice_is_shown_where_the_question_comes_after_it() -> None:
    game = NAMED["ipd"]
    told = telling(game, (0, 1))
    choices = told.examples(Turn(), brief(game))
    for after, before, choice in zip(
        told.examples(question(game, "after"), brief(game)),
        told.examples(question(game), brief(game)),
        choices,
        strict=True,
    ):
        assert after.replace(f" In this round you chose Option {answer(choice)}.", "") == before != after


def test_answers_are_balanced_over_the_orders_of_options() -> None:
    game = NAMED["rps"]
    for about in (Turn(), question(game)):
        told = [telling(game, order).examples(about, brief(game)) for order in permutations(range(3))]
        for place in range(3):
            assert sorted(answer(three[place]) for three in told) == sorted(NEUTRAL[:3] * 2)


def test_where_nothing_is_better_the_option_listed_first_is_chosen() -> None:
    game = Game("flat", (("a", "b"), ("a", "b")), (((1.0, 1.0),) * 2,) * 2)
    for order in ((0, 1), (1, 0)):
        for example in telling(game, order).examples(Turn(), brief(game)):
            assert answer(example) == NEUTRAL[order[0]]
            assert f"No Option is better than Option {NEUTRAL[order[0]]}." in example


def test_there_are_none_without_payoffs_or_without_a_choice() -> None:
    game = NAMED["ipd"]
    assert telling(game, (0, 1)).examples(Turn(), brief(game, granted=False)) == ()
    single = Game("single", (("a",), ("b", "c")), (((1.0, 1.0), (2.0, 2.0)),))
    for one in (single, single.flipped()):
        for about in (Turn(), question(one)):
            assert telling(one, (0, 1)).examples(about, brief(one)) == ()


@for_each("game", NAMED.values(), ids=NAMED)
def test_they_contradict_nothing_that_the_prompt_says(game: Game) -> None:
    """The rules above name the payoffs and the rounds in total; an example says where its own are others."""
    told = telling(game, tuple(range(len(game.behaviours[0]))))
    for about in (Turn(), question(game), question(game, "after")):
        for number, example in enumerate(told.examples(about, brief(game)), 1):
            first = example.splitlines()[0]
            assert first.startswith(f"Example {number}. The same game, with another player")
            ahead = f"to {TOTAL}:" in example
            assert first.endswith(f", {TOTAL} rounds in total:") is ahead
            assert example.count(f"{TOTAL} rounds") == ahead
            assert ahead is (isinstance(about, Turn) and number == 2), "only what follows needs an end"


@for_each("game", NAMED.values(), ids=NAMED)
def test_they_are_short(game: Game) -> None:
    told = telling(game, tuple(range(len(game.behaviours[0]))))
    for about, words in ((Turn(), 70), (question(game), 40)):
        for example in told.examples(about, brief(game)):
            assert len(example.splitlines()[-2].split()) <= words
