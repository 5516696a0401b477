"""L of Hanabi: who answers by the partner's convention is at 1, and no answer that ignores which convention it is lies above 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from otherminds import Record
from otherminds.core.scenario import Setup, scenario
from otherminds.hanabi.next_moves import draw_hands, foresee_moves, measure_next_moves
from otherminds.hanabi.rules import Table, size_rules
from otherminds.hanabi.scenarios import POPULATIONS
from otherminds.hanabi.view import look
from otherminds.hanabi.world import EGO, KINDS
from otherminds.measures.basis import read_score_inputs, scores
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown
from otherminds.play.loop import play_now
from tests.cases import for_each

NAME, NEXT, NAMES = "hanabi-2p-mixed-v1", "next:agent_1", POPULATIONS["mixed"]
Votes = Sequence[Counter[str]]
Answering = Callable[[Votes, int], str]
"""An answer to the question for the next move: from what each convention would choose, and the partner's number."""


def play(seed: int) -> Record:
    """A game with each partner of the population in turn."""
    place = scenario(NAME, {})
    return play_now(Setup(place, {EGO: place.make("iggi", {})}, seed))[0]


class Foreseen(NamedTuple):
    """A game, what each convention would choose in the partner's turns, and the ends."""

    record: Record
    votes: dict[int, list[Counter[str]]]
    ends: Accuracy


@cache
def list_games() -> list[Foreseen]:
    """Three games with each partner."""
    games: list[Foreseen] = []
    for seed in range(3 * len(NAMES)):
        record = play(seed)
        ends = measure_next_moves(record)
        assert isinstance(ends, Accuracy)
        votes = {turn: votes for turn, _, votes in foresee_moves(record, NAMES)}
        games.append(Foreseen(record, votes, ends))
    return games


def answer_all(game: Foreseen, answering: Answering) -> Record:
    """The record with other answers to the question for the next move."""
    record = game.record
    partner = NAMES.index(record.partners["agent_1"].name)
    return replace(
        record,
        asked=tuple(
            replace(asked, answer=answering(game.votes[asked.step + 1], partner))
            if record.questions[asked.question].id == NEXT and asked.truth is not None
            else asked
            for asked in record.asked
        ),
    )


def name_mode(votes: Counter[str]) -> str:
    return votes.most_common(1)[0][0]


def score(answering: Answering) -> float:
    """L over all games: the ends are those of the records, whatever the answers are."""
    told = blind = known = 0.0
    for game in list_games():
        record, ends = answer_all(game, answering), game.ends
        asked = [
            asked
            for asked in record.asked
            if record.questions[asked.question].id == NEXT and asked.truth is not None
        ]
        told += sum(one.answer == one.truth for one in asked) / len(asked)
        blind += ends.blind
        known += ends.known
    return (told - blind) / (known - blind)


def test_l_of_a_report_is_that_of_all_games() -> None:
    def say_play(votes: Votes, partner: int) -> str:
        return "play"

    changed = [answer_all(game, say_play) for game in list_games()]
    value = scores([read_score_inputs(record) for record in changed])["literal"].mean
    assert value == pytest.approx(score(say_play))


def test_who_knows_the_convention_is_at_1() -> None:
    assert score(lambda votes, partner: name_mode(votes[partner])) == pytest.approx(1, abs=0.1)


def test_who_takes_all_conventions_for_equally_likely_is_at_0() -> None:
    assert score(lambda votes, partner: name_mode(sum(votes, Counter()))) == pytest.approx(0, abs=0.1)


@for_each("kind", KINDS)
def test_one_answer_for_ever_is_far_below_0(kind: str) -> None:
    assert score(lambda votes, partner: kind) < -0.5


@for_each("number", range(len(NAMES)))
def test_taking_every_partner_for_the_same_convention_is_no_knowledge(number: int) -> None:
    assert score(lambda votes, partner: name_mode(votes[number])) < 0.2


def test_drawn_hands_are_those_that_the_player_may_have() -> None:
    rules, rng = size_rules("full", 2), Random(0)
    table = Table(rules, rules.shuffle(rng))
    while not table.ended:
        view = look(table, 0)
        unseen, sets = view.count_unseen(), view.list_own()
        for hand in draw_hands(sets, unseen, rng):
            assert all(cards >> card & 1 for card, cards in zip(hand, sets, strict=True))
            assert all(hand.count(card) <= unseen[card] for card in hand)
        known = [1 << card for card in table.hands[0]]
        assert {*draw_hands(known, unseen, rng)} == {tuple(table.hands[0])}
        table.act(rng.choice(table.list_legal()))


def test_other_records_and_other_partners_have_no_such_score() -> None:
    place = scenario("tiny_hanabi-mixed-v1", {})
    tiny, _ = play_now(Setup(place, {EGO: place.make("bayes", {})}, 0))
    assert isinstance(measure_next_moves(tiny), Inapplicable)
    record = list_games()[0].record
    assert isinstance(measure_next_moves(replace(record, asked=())), Inapplicable)
    over = tuple(asked for asked in record.asked if record.questions[asked.question].id != NEXT)
    assert measure_next_moves(replace(record, asked=over)) == Accuracy(0, 0, 0)
    stranger = replace(record.partners["agent_1"], name="somebody")
    assert isinstance(measure_next_moves(replace(record, partners={"agent_1": stranger})), Unknown)
