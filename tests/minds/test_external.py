"""A mind whose decisions are made outside, by a client that talks over queues."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
import pytest

from otherminds.core.data import Invalid, SkillChoice
from otherminds.core.encoding import encode
from otherminds.core.record import Record
from otherminds.core.scenario import Scenario, Setup, scenario
from otherminds.minds.external import (
    ActionWanted,
    AnswerWanted,
    Departure,
    EpisodeClosed,
    EpisodeStart,
    ExternalMind,
    Perception,
)
from otherminds.minds.registry import minds
from otherminds.play.loop import play, play_now

Client = Callable[[ExternalMind], Coroutine[Any, Any, list[Any]]]


async def together(setup: Setup, mind: ExternalMind, client: Client) -> tuple[Record, list[Any]]:
    """The record of an episode, and what the client got, while both run."""
    episode = asyncio.create_task(play(setup))
    episode.add_done_callback(lambda _: mind.close())
    heard = await asyncio.wait_for(client(mind), 60)
    return (await episode)[0], heard


def repeating(record: Record, seat: str) -> Client:
    """A client that decides and answers as ``seat`` did in ``record``."""
    chosen = {choice.step: choice.made for choice in record.choices if choice.seat == seat}
    column = record.seats.index(seat)
    asked = [asked for asked in record.asked if record.questions[asked.question].seat == seat]

    async def client(mind: ExternalMind) -> list[Any]:
        heard: list[Any] = []
        answers = iter(asked)
        while not isinstance(request := await mind.requests.get(), EpisodeClosed):
            heard.append(request)
            if isinstance(request, ActionWanted):
                step = request.step
                mind.replies.put_nowait(chosen.get(step, record.actions[step][column]))
            elif isinstance(request, AnswerWanted):
                answer = next(answers)
                mind.replies.put_nowait(answer.invalid or answer.answer)
        return heard

    return client


async def silent(mind: ExternalMind) -> list[Any]:
    """Listens, and never replies."""
    heard: list[Any] = []
    while not isinstance(request := await mind.requests.get(), EpisodeClosed):
        heard.append(request)
    return heard


def saying(*replies: Any) -> Client:
    async def client(mind: ExternalMind) -> list[Any]:
        waiting = list(replies)
        heard: list[Any] = []
        while not isinstance(request := await mind.requests.get(), EpisodeClosed):
            heard.append(request)
            if isinstance(request, ActionWanted | AnswerWanted):
                mind.replies.put_nowait(waiting.pop(0))
        return heard

    return client


def rps() -> Scenario:
    return scenario("rps-mixed-v1", {"rounds": 12})


@pytest.mark.parametrize(
    ("built", "inside"),
    [(rps, "rmax"), (lambda: scenario("rws-repeated-0-v1", {}), "bayesian")],
)
def test_the_same_decisions_from_outside_give_the_same_record(
    built: Callable[[], Scenario], inside: str
) -> None:
    """In a matrix game, and in a gridworld with skills."""
    made = minds.make(inside, {})
    expected, _ = play_now(Setup(built(), {"ego": made}, seed=3))
    mind = ExternalMind(grants=made.grants)
    record, heard = asyncio.run(
        together(Setup(built(), {"ego": mind}, seed=3), mind, repeating(expected, "ego"))
    )
    assert record.spec.seats["ego"].mind == "otherminds.minds.external:ExternalMind"
    assert record.asked, "questions are put to it too"
    record.spec = expected.spec
    record.notes = expected.notes
    assert encode(record) == encode(expected)
    assert isinstance(heard[0], EpisodeStart)
    moments = [request.moment for request in heard if isinstance(request, Perception)]
    assert len(moments) == len(expected.actions) + 1
    assert moments[-1].last
    wanted = [request.step for request in heard if isinstance(request, ActionWanted)]
    assert len(wanted) == (sum(choice.seat == "ego" for choice in expected.choices) or len(expected.actions))


def test_a_client_that_does_not_reply_in_time_fails_the_episode() -> None:
    mind = ExternalMind(timeout=0.01, answers=False)
    record, heard = asyncio.run(together(Setup(rps(), {"ego": mind}), mind, silent))
    assert (record.outcome.status, record.outcome.blame) == ("failed", "provider")
    assert record.outcome.reason == "no reply from outside for seat 'ego' within 0.01 s"
    assert isinstance(heard[-1], ActionWanted)


def test_a_client_that_leaves_fails_the_episode_with_its_reason() -> None:
    mind = ExternalMind(answers=False)
    record, _ = asyncio.run(
        together(Setup(rps(), {"ego": mind}), mind, saying(0, 1, Departure("window closed")))
    )
    assert (record.outcome.status, record.outcome.blame) == ("failed", "provider")
    assert "window closed" in record.outcome.reason
    assert len(record.actions) == 2


@pytest.mark.parametrize(
    "illegal", [3, -1, "rock", None, SkillChoice("no such skill"), Invalid("I pass", "-")]
)
def test_what_is_no_action_is_invalid(illegal: Any) -> None:
    mind = ExternalMind(answers=False)
    record, _ = asyncio.run(together(Setup(rps(), {"ego": mind}), mind, saying(illegal)))
    assert (record.outcome.status, record.outcome.blame) == ("invalid", "reply")
    assert isinstance(record.choices[0].made, Invalid)
    assert record.actions == []


def test_what_is_no_option_is_an_invalid_answer_and_the_episode_goes_on() -> None:
    mind = ExternalMind()

    async def client(mind: ExternalMind) -> list[Any]:
        while not isinstance(request := await mind.requests.get(), EpisodeClosed):
            if isinstance(request, ActionWanted):
                mind.replies.put_nowait(0)
            elif isinstance(request, AnswerWanted):
                mind.replies.put_nowait("lizard")
        return []

    record, _ = asyncio.run(together(Setup(rps(), {"ego": mind}), mind, client))
    assert record.outcome.status == "scored"
    assert record.asked
    assert {asked.invalid for asked in record.asked} == {Invalid("not an option of the question", "'lizard'")}


def test_a_cancelled_episode_tells_the_client() -> None:
    mind = ExternalMind(answers=False)

    async def cancelled() -> list[Any]:
        episode = asyncio.create_task(play(Setup(rps(), {"ego": mind})))
        episode.add_done_callback(lambda _: mind.close())
        listening = asyncio.create_task(silent(mind))
        for _ in range(3):
            await asyncio.sleep(0)
        assert not listening.done(), "the episode waits for an action"
        episode.cancel()
        with pytest.raises(asyncio.CancelledError):
            await episode
        return await listening

    heard = asyncio.run(asyncio.wait_for(cancelled(), 30))
    assert isinstance(heard[0], EpisodeStart)


def test_a_reply_that_came_too_late_does_not_reach_the_next_episode() -> None:
    mind = ExternalMind(timeout=5, answers=False)
    mind.replies.put_nowait(2)
    two = scenario("rps-mixed-v1", {"rounds": 2})
    record, _ = asyncio.run(together(Setup(two, {"ego": mind}), mind, saying(0, 1)))
    assert [row[0] for row in record.actions] == [0, 1]


def test_two_minds_outside_play_one_episode_together() -> None:
    """Seats that wait are asked at the same time."""
    first, second = ExternalMind(answers=False), ExternalMind(answers=False)
    setup = Setup(scenario("rps-mixed-v1", {"rounds": 2}), {"ego": first, "partner_0": second})

    async def both() -> Record:
        episode = asyncio.create_task(play(setup))
        for mind in (first, second):
            episode.add_done_callback(lambda _, mind=mind: mind.close())
        await asyncio.gather(saying(0, 1)(first), saying(2, 2)(second))
        return (await episode)[0]

    record = asyncio.run(asyncio.wait_for(both(), 30))
    assert record.actions == [(0, 2), (1, 2)]
    assert msgspec.json.decode(encode(record), type=Record).outcome.status == "scored"
