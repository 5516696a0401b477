"""Policies follow Melting Pot's, told by trajectories of what a seat hears of its duels."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from otherminds.worlds.in_the_matrix.bots.puppet import Collect, Duel
from otherminds.worlds.in_the_matrix.bots.puppeteers import (
    Aim,
    Corrigible,
    CounterPrevious,
    GrimTrigger,
    Gullible,
    News,
    Puppeteer,
    ScheduledFlip,
    Specialist,
    TitForTat,
    goal,
    leader,
    played,
)
from tests.cases import for_each

C, D = 0, 1
RESET, QUIET = News((0, 0)), News((-1, -1))
KIND, UNKIND, TIED = News((4, 1)), News((1, 2)), News((3, 3))


def kinds(followed: Puppeteer, heard: Sequence[News], seed: int = 0) -> list[int]:
    """The class that it raises after the reset and after each of ``heard``."""
    rng = Random(seed)
    state = followed.start(rng)
    raised: list[int] = []
    for news in (RESET, *heard):
        state = followed.hear(state, news, rng)
        raised.append(followed.plays(state).kind)
    return raised


def test_a_specialist_plays_one_class_whatever_it_hears() -> None:
    assert kinds(Specialist(D, 5), [KIND, QUIET, UNKIND]) == [D] * 4


def test_a_flip_counts_the_reset_as_a_duel_so_that_three_is_after_two() -> None:
    flip = ScheduledFlip(3, Aim(C, 1), Aim(D, 5))
    assert kinds(flip, [KIND, QUIET, UNKIND, QUIET]) == [C, C, C, D, D]
    assert kinds(ScheduledFlip(2, Aim(C, 5), Aim(D, 5)), [TIED, QUIET]) == [C, D, D]
    assert (flip.plays(2), flip.plays(3)) == (Aim(C, 1), Aim(D, 5))


def test_a_grim_trigger_never_forgives() -> None:
    grim = GrimTrigger(2, C, D, 5)
    assert kinds(grim, [UNKIND, KIND, TIED, QUIET, UNKIND, KIND, KIND]) == [C, C, C, C, C, D, D, D]
    assert kinds(GrimTrigger(1, C, D, 7), [KIND, UNKIND, KIND]) == [C, C, D, D]


def test_tit_for_tat_copies_the_last_duel_and_keeps_to_it_through_ties() -> None:
    tft = TitForTat(C, D, 5)
    assert kinds(tft, [QUIET, UNKIND, QUIET, TIED, KIND, QUIET]) == [C, C, D, D, D, C, C]


def test_tit_for_tat_trembles_once_at_the_start_and_once_a_duel() -> None:
    # Under seed 0: .84 .76 .42 .26.
    assert kinds(TitForTat(C, D, 5, 0.5), [QUIET, UNKIND, QUIET, KIND, UNKIND]) == [C, C, D, D, D, C]


def test_a_corrigible_one_makes_peace_at_the_third_defection_and_then_copies() -> None:
    corrigible = Corrigible(3, C, D, 5)
    heard = [UNKIND, KIND, UNKIND, TIED, UNKIND, QUIET, UNKIND, TIED, KIND]
    assert kinds(corrigible, heard) == [D, D, D, D, D, C, C, D, D, C]


def test_a_corrigible_one_draws_nothing_before_its_switch() -> None:
    # Under seed 0: .84 .76 .42 .26; the first decides on the switch.
    assert kinds(Corrigible(2, C, D, 5, 0.5), [UNKIND, KIND, UNKIND, KIND, KIND]) == [D, D, D, C, C, D]


def test_a_counter_starts_anywhere_and_then_best_responds() -> None:
    counter = CounterPrevious((1, 2, 0), 5)
    rock, paper, scissors = News((9, 1, 1)), News((1, 2, 1)), News((0, 1, 4))
    quiet, tied = News((-1, -1, -1)), News((2, 2, 1))
    assert kinds(counter, [rock, quiet, paper, tied, scissors])[1:] == [1, 1, 2, 2, 0]
    assert {kinds(counter, [], seed)[0] for seed in range(20)} == {0, 1, 2}


def test_a_gullible_one_answers_what_it_sees_collected_too() -> None:
    gullible = Gullible((1, 2, 0), 5)
    quiet = (-1, -1, -1)
    heard = [News(quiet, (0,)), News(quiet), News((1, 4, 1)), News(quiet, (1, 2))]
    assert kinds(gullible, heard)[1:] == [1, 1, 2, 0]


@for_each(("partner", "shown"), [((-1, -1), None), ((0, 0), None), ((2, 2), None), ((1, 2), 1), ((3, 2), 0)])
def test_a_tie_and_a_step_without_a_duel_show_nothing(partner: tuple[int, int], shown: int | None) -> None:
    assert played(partner) == shown


def test_the_inventory_decides_between_collecting_and_duelling() -> None:
    assert goal(Aim(0, 5), (5, 1, 1)) == Collect(0)
    assert goal(Aim(0, 5), (6, 1, 1)) == Duel(0)
    assert goal(Aim(0, 1), (1, 6, 1)) == Collect(0)
    assert goal(Aim(1, 1), (3, 4, 1), frozenset({2})) == Duel(1, frozenset({2}))
    assert leader((2, 2, 2)).margin == 0
