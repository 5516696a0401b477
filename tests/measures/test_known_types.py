"""The evidence of rounds with a partner of a known type."""

from collections.abc import Sequence

import pytest

from otherminds.measures.evidence import EpisodeEvidence
from otherminds.measures.known_types import WeighedRound, share_type, sum_rounds
from otherminds.measures.registry import Unknown

SHARES = (share_type("plain", 0.5, 0.5, 2.0, 4.0), share_type("certain", 0.5, 0.0, 0.0, 4.0))
BLIND = WeighedRound(0.5, 0.0, (1,), 0.5, right=False, loss=1.0, random_loss=1.0)
KNOWS = WeighedRound(0.5, 2.0, (1,), 1.0, right=True, loss=0.0, random_loss=1.0)
MISSING = WeighedRound(0.5, -2.0)


def measure(
    rounds: Sequence[WeighedRound], *, partner: str = "plain", tells: bool = True, lost: bool = False
) -> EpisodeEvidence:
    answers = [weighed.answers for weighed in rounds if weighed.answers]
    evidence = sum_rounds(
        rounds, SHARES, partner, tells=tells, gain=2.0, answers=answers, acts=0, lost=lost, design=""
    )
    assert isinstance(evidence, EpisodeEvidence)
    return evidence


@pytest.mark.parametrize(
    ("rounds", "ends"),
    [
        ([KNOWS] * 4, (1.0, 1.0, 0.0, 1.0)),
        ([BLIND] * 4, (0.0, 0.0, 0.0, 0.0)),
        ([KNOWS, BLIND], (0.5, 0.5, 0.0, 0.5)),
    ],
)
def test_the_ends_are_those_of_who_knows_and_of_the_best_blind_mind(
    rounds: list[WeighedRound], ends: tuple[float, ...]
) -> None:
    """What is lost in rounds with wrong answers is no loss of what is known."""
    evidence = measure(rounds)
    assert (evidence.literal, evidence.functional, evidence.unused, evidence.reach) == ends


def test_who_breaks_off_is_wrong_in_what_is_missing() -> None:
    for played in range(4):
        broken = measure([KNOWS] * played + [MISSING] * (4 - played), lost=True)
        assert broken.literal == broken.functional == (2 * played - 4) / 4
        assert broken.lost


def test_an_episode_counts_only_if_its_first_half_tells_who_the_partner_is() -> None:
    unsettled = measure([KNOWS] * 4, tells=False)
    assert (unsettled.literal, unsettled.unused, unsettled.rounds) == (None, None, 0)


def test_a_type_about_which_nothing_is_to_know_does_not_count() -> None:
    evidence = measure([KNOWS] * 4, partner="certain")
    assert (evidence.literal, evidence.unused) == (None, None)
    share = SHARES[1]
    assert (share.literal, share.unused, share.functional, share.slope) == (0, 0, 0, 0)


def test_without_a_question_nothing_is_known() -> None:
    silent = sum_rounds(
        [MISSING], SHARES, "plain", tells=True, gain=2.0, answers=[()], acts=0, lost=False, design=""
    )
    assert isinstance(silent, Unknown)
