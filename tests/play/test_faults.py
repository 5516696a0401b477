"""Whose fault it is, and that what was played is kept."""

from typing import Any

import pytest

from otherminds.core.data import Invalid
from otherminds.core.errors import InternalError, ProviderError, ReplyError, StudyError, TaskError, WorldError
from otherminds.core.record import Choice
from otherminds.core.scenario import Participant, Setup
from otherminds.play.loop import play_now
from tests.play import toys

UNCLEAR = Invalid("no option named", "hm")


class TestInvalid:
    def test_costs_the_fallback_where_there_is_one(self) -> None:
        ego = toys.Diary([2, UNCLEAR, 2])
        record, _ = play_now(Setup(toys.scenario(lambda: toys.Line(3, fallback=0)), {"ego": ego}, 1))
        assert [row[0] for row in record.actions] == [2, 0, 2]
        assert record.choices == (Choice(1, "ego", UNCLEAR),)
        assert record.outcome.status == "scored"

    def test_ends_the_episode_where_there_is_none(self) -> None:
        ego = toys.Diary([2, UNCLEAR])
        probes = (toys.question("after", "after"), toys.question("end", "end"))
        record, _ = play_now(Setup(toys.scenario(probes=probes), {"ego": ego}, 1))
        assert (record.outcome.status, record.outcome.blame, record.outcome.step) == ("invalid", "reply", 1)
        assert record.outcome.reason == "ego: no option named"
        assert record.choices == (Choice(1, "ego", UNCLEAR),)
        assert record.actions == [(2, 1)]
        assert [a.step for a in record.asked] == [0]
        assert not ego.moments[-1].last

    def test_is_never_an_action_even_if_its_text_is_one(self) -> None:
        ego = toys.Diary([Invalid("two answers", "0")])
        record, _ = play_now(Setup(toys.scenario(), {"ego": ego}, 1))
        assert record.actions == []


@pytest.mark.parametrize("action", [3, -1, "left", 1.5, (0, 1), {"go": 1}], ids=repr)
def test_an_illegal_action_fails_the_episode_and_keeps_what_was_played(action: Any) -> None:
    probes = (toys.question("next", "after"),)
    ego = toys.Diary([2, action])
    record, _ = play_now(Setup(toys.scenario(probes=probes), {"ego": ego}, 1))
    assert (record.outcome.status, record.outcome.blame, record.outcome.step) == ("failed", "world", 1)
    assert "ego" in record.outcome.reason
    assert record.actions == [(2, 1)]
    assert record.rewards == [(2.0, 1.0)]
    assert [(a.step, a.truth) for a in record.asked] == [(0, "stay"), (1, None)]
    assert len(record.met["ego"]) == 1


def test_no_action_is_no_action() -> None:
    record, _ = play_now(Setup(toys.scenario(), {"ego": toys.Diary([2, None])}, 1))
    assert (record.outcome.status, record.outcome.step) == ("failed", 1)
    assert "seat 'ego' returned None" in record.outcome.reason


@pytest.mark.parametrize("kind", [ProviderError, ReplyError, WorldError, TaskError])
def test_a_fault_from_outside_is_written_down(kind: type[ProviderError]) -> None:
    record, _ = play_now(Setup(toys.scenario(), {"ego": toys.Faulty(kind("it broke"))}, 1))
    assert record.outcome.status == "failed"
    assert record.outcome.blame == kind.blame
    assert record.outcome.reason == "it broke"
    assert record.outcome.step == len(record.actions) == 1


@pytest.mark.parametrize("error", [StudyError("no model"), InternalError("ours"), ValueError("a bug")])
def test_a_fault_of_the_study_or_of_code_is_raised(error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)):
        play_now(Setup(toys.scenario(), {"ego": toys.Faulty(error)}, 1))


def test_a_failed_model_is_the_providers_fault() -> None:
    ego = Participant(toys.Speaker(), toys.Parrot(ProviderError("gone: try again later")))
    record, _ = play_now(Setup(toys.scenario(), {"ego": ego}, 1))
    assert (record.outcome.status, record.outcome.blame) == ("failed", "provider")
    assert record.calls == ()


def test_a_mind_that_waits_must_say_so() -> None:
    with pytest.raises(InternalError, match="set `suspends = True`"):
        play_now(Setup(toys.scenario(), {"ego": toys.Sleepy()}, 1))


def test_a_mind_without_its_model_is_a_fault_of_the_study() -> None:
    with pytest.raises(StudyError, match="seat 'ego' needs a language model"):
        play_now(Setup(toys.scenario(), {"ego": toys.Speaker()}, 1))
