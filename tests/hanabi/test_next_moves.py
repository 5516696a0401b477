"""L of Hanabi: who answers by the partner's convention is at 1, and no answer that ignores which convention it is lies above 0."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from otherminds import Record
from otherminds.core.scenario import Setup, scenario
from otherminds.hanabi.next_moves import foresee_moves, measure_next_moves
from otherminds.hanabi.scenarios import POPULATIONS
from otherminds.hanabi.world import EGO, KINDS
from otherminds.measures.basis import read_score_inputs, scores
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown
from otherminds.play.loop import play_now
from tests.cases import for_each

NAME, NEXT, NAMES = "hanabi-2p-mixed-v1", "next:agent_1", POPULATIONS["mixed"]
Answering = Callable[[Sequence[str], int], str]
"""An answer to the question for the next move: from the kind that each convention would choose, and the partner's number."""


def play(seed: int) -> Record:
    """A game with each partner of the population in turn."""
    place = scenario(NAME, {})
    return play_now(Setup(place, {EGO: place.make("iggi", {})}, seed))[0]


RECORDS = [play(seed) for seed in range(21)]
FORESEEN = [{turn: kinds for turn, _, kinds in foresee_moves(record, 1, NAMES)} for record in RECORDS]


def answer_all(record: Record, foreseen: dict[int, list[str]], answering: Answering) -> Record:
    """The record with other answers to the question for the next move."""
    partner = NAMES.index(record.partners["agent_1"].name)
    return replace(
        record,
        asked=tuple(
            replace(asked, answer=answering(foreseen[asked.step + 1], partner))
            if record.questions[asked.question].id == NEXT and asked.truth is not None
            else asked
            for asked in record.asked
        ),
    )


def score(answering: Answering) -> float:
    """L over all games."""
    changed = [answer_all(*pair, answering) for pair in zip(RECORDS, FORESEEN, strict=True)]
    value = scores([read_score_inputs(record) for record in changed])["literal"].mean
    assert value is not None
    return value


def test_what_is_foreseen_of_the_partners_convention_is_what_it_did() -> None:
    """Up to rules that draw at random."""
    right = [
        kinds[NAMES.index(record.partners["agent_1"].name)] == kind
        for record in RECORDS
        for _, kind, kinds in foresee_moves(record, 1, NAMES)
    ]
    assert sum(right) / len(right) > 0.97


def test_who_knows_the_convention_is_at_1() -> None:
    assert score(lambda kinds, partner: kinds[partner]) == pytest.approx(1.0, abs=1e-9)


@for_each("kind", KINDS)
def test_one_answer_for_ever_is_far_below_0(kind: str) -> None:
    assert score(lambda kinds, partner: kind) < -0.5


@for_each("number", range(len(NAMES)))
def test_taking_every_partner_for_the_same_convention_is_no_knowledge(number: int) -> None:
    assert score(lambda kinds, partner: kinds[number]) < 0.1


def test_the_answer_of_most_conventions_is_at_0() -> None:
    assert score(lambda kinds, partner: Counter(kinds).most_common(1)[0][0]) == pytest.approx(0, abs=0.12)


def test_other_records_and_other_partners_have_no_such_score() -> None:
    place = scenario("tiny_hanabi-mixed-v1", {})
    tiny, _ = play_now(Setup(place, {EGO: place.make("bayes", {})}, 0))
    assert isinstance(measure_next_moves(tiny), Inapplicable)
    record = RECORDS[0]
    assert isinstance(measure_next_moves(record), Accuracy)
    assert isinstance(measure_next_moves(replace(record, asked=())), Inapplicable)
    over = tuple(asked for asked in record.asked if record.questions[asked.question].id != NEXT)
    assert measure_next_moves(replace(record, asked=over)) == Accuracy(0, 0, 0)
    stranger = replace(record.partners["agent_1"], name="somebody")
    assert isinstance(measure_next_moves(replace(record, partners={"agent_1": stranger})), Unknown)
