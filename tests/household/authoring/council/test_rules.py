"""The two rules by which a council accepts."""

from __future__ import annotations

import pytest

from otherminds.household.authoring.council import CouncilRule, gather_quotable_text, occurs, read_judgement
from otherminds.household.authoring.results import Judgement
from tests.household.authoring.council.made import reply, sound

LINE = sound().agent_secrets["agent_1"][-1]


def judged(score: float = 0.9, quote: str = LINE, **scores: float) -> Judgement:
    found = read_judgement(reply("cooperative", score, quote, **scores), "cooperative", "fake")
    assert isinstance(found, Judgement)
    return found


INVALID = Judgement("fake", invalid="no JSON object")


@pytest.mark.parametrize(
    ("judgements", "accepted"),
    [
        ([judged(), judged()], True),
        ([judged(0.65), judged(0.65)], True),
        ([judged(0.64), judged(1.0)], False),
        ([judged(agent_necessity=0.5), judged()], True),
        ([judged(agent_necessity=0.49), judged(1.0)], False),
        ([judged(quote=""), judged(quote="")], True),
        ([judged(), INVALID], False),
        ([judged(), judged(), judged(0.2)], False),
        ([], False),
    ],
)
def test_by_the_paper_each_judge_must_accept(judgements: list[Judgement], accepted: bool) -> None:
    report = CouncilRule().decide(judgements, sound())
    assert report.accepted is accepted
    assert bool(report.why) is not accepted


@pytest.mark.parametrize(
    ("judgements", "accepted"),
    [
        ([judged(), judged()], True),
        ([judged(0.5), judged(0.5)], True),
        ([judged(), judged(), judged(0.2)], True),
        ([judged(), judged(0.2), judged(0.2)], False),
        ([judged(), judged(0.2)], False),
        ([judged(), judged(agent_necessity=0.2), judged(secret_quality=0.2)], True),
        ([judged(), judged(agent_necessity=0.2), judged(agent_necessity=0.2)], False),
        ([judged(quote=""), judged()], False),
        ([judged(quote="This line is not in the task."), judged()], False),
        ([judged(), judged(), INVALID], True),
        ([judged(), INVALID, INVALID], False),
        ([INVALID, INVALID], False),
        ([], False),
    ],
)
def test_by_the_median_most_judges_must_accept_with_a_line(
    judgements: list[Judgement], accepted: bool
) -> None:
    report = CouncilRule("median").decide(judgements, sound())
    assert report.accepted is accepted
    assert bool(report.why) is not accepted


@pytest.mark.parametrize(
    ("quote", "there"),
    [
        (LINE, True),
        (f'  "{LINE}",', True),
        ('"mechanic_type": "limited_bandwidth"', True),
        (sound().task, True),
        ("bag_0", False),
        (f"{LINE} And more.", False),
        ("", False),
        ('"""""""""""', False),
    ],
)
def test_a_quote_counts_if_it_occurs(quote: str, there: bool) -> None:
    assert occurs(quote, gather_quotable_text(sound())) is there
