"""Bots follow Melting Pot's policies, shown by trajectories of what a seat hears of its duels."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from otherminds.gridworlds.in_the_matrix.bots import puppeteer
from otherminds.gridworlds.in_the_matrix.charts import Aim, Puppeteer, leader
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_REPEATED, BotPolicy
from otherminds.gridworlds.in_the_matrix.sight import Collect, SeekDuel, goal
from tests.cases import for_each
from tests.gridworlds.in_the_matrix.bots.plain import News, PlainPuppeteer, played
from tests.gridworlds.in_the_matrix.bots.readable import Follower

C, D = 0, 1
QUIET = News((-1, -1))
KIND, UNKIND, TIED = News((4, 1)), News((1, 2)), News((3, 3))


def follows(family: str, gullible: bool = False, **params: Any) -> Puppeteer:
    rules = RWS_REPEATED if family == "best_response_to_last" else PD_REPEATED
    return puppeteer(
        rules, BotPolicy(family, tuple(params.items()), (1, 5, 5)[: len(rules.classes)], gullible)
    )


def kinds(followed: Puppeteer, heard: Sequence[News], seed: int = 0) -> list[int]:
    """The class that a bot raises after the reset and after each of ``heard``."""
    if any(news.taken for news in heard):  # a compiled bot sees it in its window: test_compiled_minds
        plain, rng = PlainPuppeteer(followed.automaton, followed.margins, followed.gullible), Random(seed)
        state = plain.start(rng)
        return [(state := plain.hear(state, news, rng))[1] for news in (QUIET, *heard)]
    rules = PD_REPEATED if len(followed.margins) == 2 else RWS_REPEATED
    bot = Follower(rules, followed, Random(seed))
    raised: list[int] = []
    for news in (News((0,) * len(rules.classes)), *heard):
        bot.hear(news.partner)
        raised.append(bot.aim.kind)
    return raised


def test_a_specialist_plays_one_class_whatever_it_hears() -> None:
    assert kinds(follows("single", behaviour=D), [KIND, QUIET, UNKIND]) == [D] * 4


def test_a_flip_counts_duels_and_ties_but_not_the_reset() -> None:
    flip = follows("flip", first=C, second=D, after=2)
    assert kinds(flip, [KIND, QUIET, UNKIND, QUIET]) == [C, C, C, D, D]
    assert kinds(follows("flip", first=C, second=D, after=1), [TIED, QUIET]) == [C, D, D]


def test_a_class_is_raised_by_its_margin() -> None:
    flip = Follower(PD_REPEATED, follows("flip", first=C, second=D, after=1), Random(0))
    assert flip.aim == Aim(C, 1)
    flip.hear(KIND.partner)
    assert flip.aim == Aim(D, 5)


def test_a_grim_trigger_never_forgives() -> None:
    heard = [UNKIND, KIND, TIED, QUIET, UNKIND, KIND, KIND]
    assert kinds(follows("grim", strikes=2), heard) == [C, C, C, C, C, D, D, D]
    assert kinds(follows("grim", strikes=1), [KIND, UNKIND, KIND]) == [C, C, D, D]


def test_tit_for_tat_copies_the_last_duel_and_keeps_to_it_through_ties() -> None:
    tft = follows("tit_for_tat")
    assert kinds(tft, [QUIET, UNKIND, QUIET, TIED, KIND, QUIET]) == [C, C, D, D, D, C, C]


def test_tit_for_tat_trembles_once_at_the_start_and_once_a_duel() -> None:
    # Under seed 0, after the one that seeds the puppet: .76 .42 .26 .51.
    tft = follows("tit_for_tat", noise=0.45)
    assert kinds(tft, [QUIET, UNKIND, QUIET, KIND, UNKIND]) == [C, C, C, C, D, D]


def test_a_corrigible_one_makes_peace_at_the_third_defection_and_then_copies() -> None:
    heard = [UNKIND, KIND, UNKIND, TIED, UNKIND, QUIET, UNKIND, TIED, KIND]
    assert kinds(follows("corrigible", strikes=3), heard) == [D, D, D, D, D, C, C, D, D, C]


def test_a_corrigible_one_draws_nothing_before_its_switch() -> None:
    # Under seed 0, after the one that seeds the puppet: .76 .42 .26; the first decides on the switch.
    heard = [UNKIND, KIND, UNKIND, KIND, KIND]
    assert kinds(follows("corrigible", strikes=2, noise=0.45), heard) == [D, D, D, C, D, D]


def test_a_counter_starts_anywhere_and_then_best_responds() -> None:
    counter = follows("best_response_to_last")
    rock, paper, scissors = News((9, 1, 1)), News((1, 2, 1)), News((0, 1, 4))
    quiet, tied = News((-1, -1, -1)), News((2, 2, 1))
    assert kinds(counter, [rock, quiet, paper, tied, scissors])[1:] == [1, 1, 2, 2, 0]
    assert {kinds(counter, [], seed)[0] for seed in range(20)} == {0, 1, 2}


def test_a_gullible_one_answers_what_it_sees_collected_too() -> None:
    gullible = follows("best_response_to_last", gullible=True)
    quiet = (-1, -1, -1)
    heard = [News(quiet, (0,)), News(quiet), News((1, 4, 1)), News(quiet, (1, 2))]
    assert kinds(gullible, heard)[1:] == [1, 1, 2, 0]


@for_each(("partner", "shown"), [((-1, -1), None), ((0, 0), None), ((2, 2), None), ((1, 2), 1), ((3, 2), 0)])
def test_a_tie_and_a_step_without_a_duel_show_nothing(partner: tuple[int, int], shown: int | None) -> None:
    assert played(partner) == shown


def test_the_inventory_decides_between_collecting_and_duelling() -> None:
    assert goal(Aim(0, 5), (5, 1, 1)) == Collect(0)
    assert goal(Aim(0, 5), (6, 1, 1)) == SeekDuel(0)
    assert goal(Aim(0, 1), (1, 6, 1)) == Collect(0)
    assert goal(Aim(1, 1), (3, 4, 1), frozenset({2})) == SeekDuel(1, frozenset({2}))
    assert leader((2, 2, 2)).margin == 0
