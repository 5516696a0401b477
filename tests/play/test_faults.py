"""Whose fault it is, and that what was played is kept."""

import asyncio
from typing import Any

import msgspec
import pytest

from otherminds.core.contracts import Mind
from otherminds.core.data import Invalid, Moment, Question
from otherminds.core.encoding import encode
from otherminds.core.errors import (
    InternalError,
    OtherMindsError,
    ProviderError,
    ReplyError,
    StudyError,
    TaskError,
    WorldError,
)
from otherminds.core.record import Choice, Outcome, Record
from otherminds.core.scenario import Participant, Setup
from otherminds.play.loop import play, play_now
from tests.cases import for_each
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
        assert (record.outcome.reason, record.outcome.seat) == ("ego: no option named", "ego")
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
    assert (record.outcome.status, record.outcome.step, record.outcome.seat) == ("failed", 1, "ego")
    assert "seat 'ego' returned None" in record.outcome.reason


@pytest.mark.parametrize("kind", [ProviderError, ReplyError, WorldError, TaskError])
def test_a_fault_from_outside_is_written_down(kind: type[ProviderError]) -> None:
    record, _ = play_now(Setup(toys.scenario(), {"ego": toys.Faulty(kind("it broke"))}, 1))
    assert record.outcome.status == "failed"
    assert record.outcome.blame == kind.blame
    assert record.outcome.reason == "it broke"
    assert record.outcome.step == len(record.actions) == 1


class Unreachable(toys.Diary):
    """Fails in one of its methods, at step 1 if this is called at each step."""

    suspends = True

    def __init__(self, method: str, error: OtherMindsError) -> None:
        super().__init__()
        self.method, self.error = method, error

    def fail(self, method: str) -> None:
        if method == self.method and (self.context.step == 1 or method == "message"):
            raise self.error

    async def message(self) -> str:
        self.fail("message")
        return ""

    async def perceive(self, moment: Moment) -> None:
        self.fail("perceive")
        await super().perceive(moment)

    async def act(self) -> Any:
        self.fail("act")
        return await super().act()

    async def answer(self, question: Question) -> Any:
        self.fail("answer")
        return await super().answer(question)


@for_each("kind", [ProviderError, ReplyError, WorldError, TaskError])
@for_each("method", ["message", "perceive", "act", "answer"])
@for_each("seat", toys.SEATS)
@for_each("together", [False, True])
def test_the_outcome_names_the_seat_that_could_not_go_on(
    kind: type[OtherMindsError], method: str, seat: str, together: bool
) -> None:
    world = toys.Line if method != "message" else Talking
    minds: dict[str, Mind] = {each: toys.Speaker() if together else toys.Diary() for each in toys.SEATS}
    minds[seat] = Unreachable(method, kind("gone"))
    setup = Setup(
        toys.scenario(world, probes=(toys.question("q", "before", seat),)),
        {each: Participant(mind, toys.Parrot() if mind.suspends else None) for each, mind in minds.items()},
        1,
        {},
    )
    record, _ = asyncio.run(play(setup))
    assert (record.outcome.status, record.outcome.blame, record.outcome.reason, record.outcome.seat) == (
        *("failed", kind.blame, "gone"),
        seat,
    )
    assert msgspec.json.decode(encode(record), type=Record).outcome == record.outcome


class Talking(toys.Line):
    talks = True


def test_an_old_record_names_no_seat() -> None:
    old = {"status": "failed", "blame": "provider", "reason": "ego: gone", "step": 3}
    assert msgspec.convert(old, Outcome) == Outcome("failed", "provider", "ego: gone", 3, "")


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
