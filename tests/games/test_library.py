"""The library: what each predictor says in words it also does."""

from __future__ import annotations

from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Game
from otherminds.games.automata import Predictor, Setting, of_automaton
from otherminds.games.registry import automaton, games, library
from tests.cases import for_each

RPS = Setting(3, 3, games.get("rps")())
IPD = Setting(2, 2, games.get("ipd")())
IBS = Setting(2, 2, games.get("ibs")())
BARE = Setting(4, 3)
R, P, S = range(3)
C, D = range(2)


def named(setting: Setting, name: str) -> Predictor:
    return next(p for p in library(setting) if p.name == name)


def course(predictor: Predictor, own: list[int]) -> list[tuple[float, ...]]:
    """What it predicts before each of ``own``, if the partner always does what it finds likeliest."""
    state, said = predictor.start, []
    for mine in own:
        chances = predictor.output(state)
        said.append(chances)
        state = predictor.after(state, chances.index(max(chances)), mine)
    return said


def likeliest(predictor: Predictor, own: list[int]) -> list[int]:
    return [chances.index(max(chances)) for chances in course(predictor, own)]


@for_each(
    ("setting", "name", "own", "theirs"),
    [
        (RPS, "always paper", [R, P, S], [P, P, P]),
        (RPS, "cycle rock, paper", [R, R, R, R], [R, P, R, P]),
        (RPS, "rock twice, then scissors", [P, P, R, R], [R, R, S, S]),
        (RPS, "best response to last", [R, P, S, S], [R, P, S, R]),
        (IPD, "tit for tat", [C, D, D, C, C], [C, C, D, D, C]),
        (IPD, "tit for 2 tats", [D, C, D, D, C], [C, C, C, C, D]),
        (IPD, "grim after 1", [C, D, C, C], [C, C, D, D]),
        (IPD, "grim after 2", [D, C, D, C, C], [C, C, C, D, D]),
        (IPD, "corrigible after 3", [C, D, D, D, C, D, C], [D, D, D, D, C, C, D]),
        (IPD, "stays with what did not lose, else the next one", [C, D, D, C], [C, C, D, C]),
        (IPD, "copy", [D, C, D], [C, D, C]),
    ],
)
def test_trajectories(setting: Setting, name: str, own: list[int], theirs: list[int]) -> None:
    assert likeliest(named(setting, name), own) == theirs


def test_who_answers_opens_with_anything() -> None:
    assert (
        named(RPS, "best response to last").output(named(RPS, "best response to last").start) == (1 / 3,) * 3
    )


def test_slips_and_forgiveness_are_probabilities() -> None:
    assert course(named(IPD, "copy with slips"), [D, C])[1] == pytest.approx((0.15, 0.85))
    assert course(named(IPD, "generous tit for tat"), [D, C])[1] == pytest.approx((1 / 3, 2 / 3))


def test_counts_learn_what_follows_what() -> None:
    """With .2 of each beforehand, two of two seen in a context leave 2.2 of 2.4."""
    order = named(IPD, "counts after what they played last and what you played last")
    history = [(C, D), (D, C), (C, D), (D, C), (C, D)]
    assert order.predict(history) == pytest.approx((0.2 / 2.4, 2.2 / 2.4))
    state = order.start
    for pair in history:
        state = order.after(state, *pair)
    assert order.settled is not None
    settled = order.settled(state)
    assert settled.output(settled.start) == order.output(state)
    assert settled.output(settled.after(settled.start, D, C)) == order.output(order.after(state, D, C))


def test_among_pure_rivals_nobody_is_kind() -> None:
    names = {p.name for p in library(RPS)}
    assert not names & {"tit for tat", "grim after 1", "corrigible after 1", "copy"}
    assert {"tit for tat", "grim after 1", "corrigible after 1", "copy"} <= {p.name for p in library(IPD)}


def test_best_responses_that_say_nothing_new_are_left_out() -> None:
    """In the dilemma the best response is always to defect, in the battle of the sexes a copy."""
    for setting in (IPD, IBS):
        assert "best response to last" not in {p.name for p in library(setting)}


def test_a_simpler_hypothesis_is_likelier() -> None:
    bits = {p.name: p.bits for p in library(IPD)}
    assert (
        bits["always cooperate"] < bits["cooperate once, then defect"] < bits["cooperate twice, then defect"]
    )
    assert bits["grim after 1"] < bits["grim after 2"]


@for_each("setting", [RPS, IPD, IBS, BARE, Setting(1, 1), Setting(2, 5)])
def test_names_are_unique_and_sentences_are_sentences(setting: Setting) -> None:
    found = library(setting)
    assert len({p.name for p in found}) == len(found) > 0
    for predictor in found:
        assert predictor.sentence.endswith(".")
        assert predictor.sentence.startswith("They ")
        assert predictor.bits >= 0


@given(
    st.integers(1, 4).flatmap(
        lambda own: st.integers(1, 4).flatmap(
            lambda theirs: st.tuples(
                st.just(Setting(own, theirs)),
                st.lists(st.tuples(st.integers(0, theirs - 1), st.integers(0, own - 1)), max_size=7),
            )
        )
    )
)
def test_every_predictor_gives_a_distribution_after_any_history(
    drawn: tuple[Setting, list[tuple[int, int]]],
) -> None:
    setting, history = drawn
    for predictor in library(setting):
        chances = predictor.predict(history)
        assert len(chances) == setting.theirs
        assert min(chances) >= 0
        assert isclose(sum(chances), 1.0)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=8))
def test_a_granted_automaton_predicts_what_it_plays(history: list[tuple[int, int]]) -> None:
    game: Game = games.get("ipd")()
    played = automaton("grim", game, 20, {"strikes": 2})
    state = played.start
    for theirs, own in history:
        state = played.next[state][theirs][own]
    assert of_automaton(played, "grim").predict(history) == played.output[state]
