"""What minds thought, for pages and for text."""

from __future__ import annotations

import json

import pytest

from otherminds.core.record import Note
from otherminds.core.scenario import Setup, scenario
from otherminds.reports.replay.replays import minds, tell_thoughts, trains
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played


def noted(step: int, encounter: int, **more: object) -> Note:
    thinking = {
        "partner": "partner_0",
        "encounter": encounter,
        "came": None,
        "thoughts": [],
        "threshold": 0.7,
    }
    return Note("ego", step, "thinking", {**thinking, **more})


def thought(id: int, value: float, hit: bool | None = None, predicts: object = "rock") -> dict[str, object]:
    return {"id": id, "text": f"idea {id}", "value": value, "predicts": predicts, "hit": hit}


@pytest.fixture
def thinker():
    made = scenario("rps-single-v1", {"rounds": 4})
    record = played(Setup(made, {"ego": RandomMind()}, 3))
    record.notes = (
        noted(0, 0, target="paper"),
        noted(1, 1, came="rock", thoughts=[thought(0, 0.0)], used=0),
        noted(
            2,
            2,
            came="rock",
            thoughts=[thought(1, -0.3, False, None), thought(0, 0.8, True)],
            used=0,
            validated=0,
        ),
        Note("ego", 2, "thinking", "no hypotheses"),
    )
    return record


def test_each_pair_of_seats_has_its_train(thinker) -> None:
    ((pair, stream),) = trains(thinker).items()
    assert pair == ("ego", "partner_0")
    assert [one.step for one in stream] == [0, 1, 2]


def test_a_page_gets_values_predictions_hits_and_marks(thinker) -> None:
    (mind,) = json.loads(json.dumps(minds(thinker)))
    assert (mind["seat"], mind["partner"], mind["scale"]) == ("ego", "partner_0", "value")
    last = mind["notes"][-1]
    assert (last["encounter"], last["came"], last["used"], last["validated"], last["threshold"]) == (
        2,
        "rock",
        0,
        0,
        0.7,
    )
    assert last["thoughts"] == [[1, "idea 1", -0.3, None, False], [0, "idea 0", 0.8, "rock", True]]


def test_predictions_that_are_no_words_are_told_in_words(thinker) -> None:
    thinker.notes = (noted(0, 0, thoughts=[thought(0, 0.0, None, {"rock": 5})], target=["p", 1]),)
    (mind,) = minds(thinker)
    assert mind["notes"][0]["thoughts"][0][3] == '{"rock": 5}'
    assert mind["notes"][0]["target"] == '["p", 1]'


def test_text_has_the_best_first_with_what_became_of_it(thinker) -> None:
    assert list(tell_thoughts(thinker)) == [
        "ego about partner_0",
        "  before step 1, at the start; wants: paper",
        "  before step 2, after 1 encounter; came: rock",
        "    [+0.00] idea 0 (→ rock, used)",
        "  before step 3, after 2 encounters; came: rock",
        "    [+0.80] idea 0 (✓, → rock, used, validated)",
        "    [-0.30] idea 1 (✗)",
    ]


def test_who_notes_nothing_has_nothing_told() -> None:
    made = scenario("rps-single-v1", {"rounds": 2})
    record = played(Setup(made, {"ego": RandomMind()}, 0))
    assert (minds(record), list(tell_thoughts(record))) == ([], [])
