"""A seat for somebody who takes text and gives text: prompts, records and rewards are those of a study."""

from __future__ import annotations

import asyncio
import gc
import random
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

import otherminds as om
from otherminds.core.data import Message
from otherminds.core.scenario import Participant
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import ScriptedModel
from tests.cases import for_each

Reply = Callable[[om.Turn], str]


def play_session(session: om.Session, seed: int, reply: Reply, split: str | None = None) -> om.Done:
    turn = session.reset(seed, split)
    while not isinstance(turn, om.Done):
        turn = session.step(reply(turn))
    return turn


def first_option(turn: om.Turn) -> str:
    return turn.options[0]


def from_prompt(messages: Sequence[Message]) -> str:
    """A reply that depends on the prompt, and sometimes has no answer."""
    return random.Random(messages[-1].content).choice(["J", "A: Option J", "A: Option F", "I cannot say."])


@for_each("strategy", ["chat", "qa", "tool_loop", "cot", "s2a", "reflexion"])
@for_each("scenario", ["rps-mixed-v1", "ipd-tit_for_tat-v1"])
def test_the_record_is_that_of_a_model_with_the_same_replies(scenario: str, strategy: str) -> None:
    session = om.session(scenario, strategy=strategy, options={"rounds": 6})
    model = ScriptedModel(lambda messages, decoding: from_prompt(messages), spec="outside")
    for seed in range(4):
        done = play_session(session, seed, lambda turn: from_prompt(turn.messages))
        mind = Participant(make_mind(om.SeatSpec(strategy, model="outside")), model)
        played = om.play(scenario, mind, seed=seed, options={"rounds": 6})
        assert done.record.hash == played.hash
        assert done.record == played


def test_it_serves_every_kind_of_world() -> None:
    """Two seats at once in a household; a gridworld whose answers are open."""
    house = om.session(
        "household-remote_lights-v1", options={"turns": 3}, strategy="tool_loop", rewards="world"
    )
    seats = set[str]()

    def say_wait(turn: om.Turn) -> str:
        seats.add(turn.seat)
        return "Wait[]"

    assert play_session(house, 0, say_wait).record.seats
    assert len(seats) == 3
    grid = om.session("pd-repeated-mixed-v1", strategy="chat", rewards="world")
    assert isinstance(grid.reset(0), om.Turn)
    grid.leave()


def test_prompts_of_choices_only_grow() -> None:
    prompts: list[tuple[Message, ...]] = []

    def reply(turn: om.Turn) -> str:
        if turn.purpose == "act" and turn.attempt == 0:
            prompts.append((*turn.messages, Message("assistant", "A: Option J")))
        return "A: Option J" if turn.attempt or turn.step % 2 else "no answer"

    play_session(om.session("ipd-mixed-v1", options={"rounds": 8}), 0, reply)
    assert len(prompts) == 8
    for before, after in pairwise(prompts):
        assert after[: len(before)] == before


def test_a_turn_says_what_is_asked() -> None:
    session = om.session("ibs-single-v1", options={"rounds": 2}, strategy="qa")
    turns: list[om.Turn] = []
    play_session(
        session, 0, lambda turn: turns.append(turn) or ("?" if len(turns) == 1 else turn.options[-1])
    )
    assert [(turn.step, turn.purpose, turn.attempt) for turn in turns] == [
        (0, "act", 0),
        (0, "act", 1),
        (0, "predict", 0),
        (1, "act", 0),
        (1, "predict", 0),
    ]
    assert all(turn.observation == turn.messages[-1].content for turn in turns)
    assert all(turn.observation.endswith("\n".join(turn.options)) for turn in turns)


def test_episodes_of_splits_are_of_their_scenarios_in_turn() -> None:
    session = om.session(
        {"train": ["rps-single-v1", "rps-mixed-v1"], "held_out": "rps-grim-v1"}, options={"rounds": 2}
    )
    assert session.splits == ("train", "held_out")
    played = [play_session(session, seed, first_option).record.spec for seed in range(4)]
    assert [(spec.scenario, spec.seed) for spec in played] == [
        ("rps-single-v1", 0),
        ("rps-mixed-v1", 0),
        ("rps-single-v1", 1),
        ("rps-mixed-v1", 1),
    ]
    assert play_session(session, 3, first_option, "held_out").record.spec.scenario == "rps-grim-v1"
    seeds = {play_session(session, None, first_option).record.spec.seed for _ in range(5)}
    assert len(seeds) == 5, "a seed that is not given is drawn, and recorded"


def test_a_session_that_is_left_has_a_record_and_starts_anew() -> None:
    session = om.session("rps-mixed-v1", options={"rounds": 5}, ask=False)
    turn = session.reset(0)
    assert isinstance(turn, om.Turn)
    session.step(turn.options[0])
    session.leave()
    assert session.record is not None
    assert (session.record.outcome.status, session.record.outcome.blame) == ("failed", "provider")
    assert "left" in session.record.outcome.reason
    with pytest.raises(om.StudyError, match="no episode is going on; call reset"):
        session.step("A: Option J")
    session.reset(1)
    session.reset(2)
    assert play_session(session, 3, first_option).outcome.status == "scored"
    session.close()


def test_a_hundred_sessions_at_once_do_not_meet() -> None:
    def plays(k: int) -> om.AsyncSession:
        return om.asession("rps-mixed-v1", options={"rounds": 4}, ask=False)

    async def one(k: int) -> om.Record | None:
        session = plays(k)
        turn = await session.reset(k % 6)
        for n in range(4):
            assert isinstance(turn, om.Turn)
            if k % 3 == 0 and n == 2:
                await session.close()
                return None
            turn = await session.step(turn.options[k % 2])
            await asyncio.sleep(0)
        assert isinstance(turn, om.Done)
        return turn.record

    async def together() -> list[om.Record | None]:
        return await asyncio.gather(*(one(k) for k in range(100)))

    async def after_each_other() -> list[om.Record | None]:
        return [await one(k) for k in range(100)]

    hashes = [record and record.hash for record in asyncio.run(together())]
    assert hashes == [record and record.hash for record in asyncio.run(after_each_other())]


def test_several_seats_and_other_minds_play() -> None:
    both = om.session(
        "rps-mixed-v1", seat=("ego", "partner_0"), options={"rounds": 3}, ask=False, rewards="world"
    )
    seats: list[str] = []
    done = play_session(both, 0, lambda turn: seats.append(turn.seat) or turn.options[0])
    assert sorted(set(seats)) == ["ego", "partner_0"]
    assert {seat: spec.model for seat, spec in done.record.spec.seats.items()} == dict.fromkeys(
        ("ego", "partner_0"), "outside"
    )
    model = om.session(
        "rps-mixed-v1", minds={"partner_0": "qa@scripted:first"}, options={"rounds": 3}, rewards="world"
    )
    assert play_session(model, 0, first_option).record.spec.seats["partner_0"].model == "scripted:first"


@for_each("case", ["rps-mixed-v1", "ipd-mixed-v1", "ibs-single-v1", "rps-win_stay_lose_shift-v1"])
def test_turn_rewards_sum_to_the_return_without_luck(case: str) -> None:
    """The return is F of an episode with the expected payoff of each choice in the place of what luck gave."""
    session = om.session(case, options={"rounds": 8}, ask=False)
    rng = random.Random(case)
    for seed in range(40):
        record = play_session(session, seed, lambda turn: rng.choice(turn.options)).record
        assert len(session.turn_rewards) == 8
        assert sum(session.turn_rewards) == pytest.approx(session.reward, abs=1e-9)
        if all(max(row) == 1 for row in _outputs(record)):
            bounds = record.bounds
            assert bounds is not None
            assert bounds.best is not None
            assert bounds.blind is not None
            share = (record.total("ego") - bounds.blind) / (bounds.best - bounds.blind)
            assert session.reward == pytest.approx(share, abs=1e-9), "a partner without chance has no luck"


def _outputs(record: om.Record) -> list[tuple[float, ...]]:
    (partner,) = record.partners.values()
    assert partner.automaton is not None
    return list(partner.automaton.output)


def mean_return(scenario: str, mind: str | om.SeatSpec, episodes: int = 24) -> float:
    """The mean return of a session that plays what ``mind`` plays."""
    session = om.session(scenario, options={"rounds": 20}, ask=False)
    total = 0.0
    for seed in range(episodes):
        record = om.play(scenario, mind, seed=seed, options={"rounds": 20}, ask=False)
        labels = record.drawn["names"][0]
        replies = [f"A: Option {labels[action[0]]}" for action in record.actions]
        done = play_session(session, seed, partial(_at_step, replies))
        assert done.record.actions == record.actions
        total += session.reward
    return total / episodes


def _at_step(replies: list[str], turn: om.Turn) -> str:
    return replies[turn.step]


@for_each("scenario", ["rps-mixed-v1", "ibs-mixed-v1", "ipd-mixed-v1"], every=3)
def test_one_is_the_best_response_and_minds_that_do_not_look_are_at_most_at_0(scenario: str) -> None:
    assert mean_return(scenario, "informed") == pytest.approx(1, abs=0.02)
    game = om.scenarios.make(scenario).game
    assert game is not None
    constants = [om.SeatSpec("constant", {"behaviour": name}) for name in game.behaviours[0]]
    for null in ("blind", "random", "uniform", "echo", "mirror", "nash", *constants):
        assert mean_return(scenario, null) <= 0.02, null


def test_stopping_never_pays() -> None:
    session = om.session("rps-mixed-v1", options={"rounds": 10}, ask=False)
    worst = min(play_and_return(session, seed, option) for seed in range(6) for option in range(3))
    for stop in range(10):
        play_session(session, 0, lambda turn, stop=stop: "no" if turn.step == stop else turn.options[0])
        record = session.record
        assert record is not None
        assert record.outcome.status == "invalid"
        assert len(session.turn_rewards) == stop + 1
        played_on = sum(session.turn_rewards[:stop]) - 1
        assert session.turn_rewards[-1] < 0
        assert session.reward < max(worst, played_on) + 1


def play_and_return(session: om.Session, seed: int, option: int) -> float:
    play_session(session, seed, lambda turn: turn.options[option])
    return session.reward


def test_what_cannot_be_is_refused_with_its_reason() -> None:
    with pytest.raises(om.StudyError, match="no exact rewards"):
        om.session("household-remote_lights-v1")
    with pytest.raises(om.StudyError, match="no seat 'partner_7'"):
        om.session("rps-mixed-v1", seat="partner_7")
    with pytest.raises(om.StudyError, match="one of exact, world"):
        om.session("rps-mixed-v1", rewards="dense")  # pyright: ignore[reportArgumentType]
    with pytest.raises(om.StudyError, match="no strategy is called 'caht'"):
        om.session("rps-mixed-v1", strategy="caht")
    with pytest.raises(om.StudyError, match="at least one scenario"):
        om.session({"train": []})
    session = om.session("rps-mixed-v1", options={"rounds": 2})
    with pytest.raises(om.StudyError, match="no episode is over"):
        session.reward  # noqa: B018 - reading it raises
    with pytest.raises(om.StudyError, match="no split is called 'test'"):
        session.reset(0, "test")
    with pytest.raises(om.StudyError, match="a seed is a whole number from 0"):
        session.reset(-1)


@for_each("text", [None, b"A: Option J", 3, 1.5, True, ["A: Option J"], {"text": "J"}])
def test_a_reply_that_is_no_text_is_refused_and_the_turn_stays(text: object) -> None:
    session = om.session("rps-mixed-v1", options={"rounds": 2}, ask=False)
    turn = session.reset(seed=7)
    assert isinstance(turn, om.Turn)
    with pytest.raises(om.StudyError, match="a reply is a text, not"):
        session.step(text)  # pyright: ignore[reportArgumentType]  # a caller without types
    assert isinstance(session.step(first_option(turn)), om.Turn)
    session.close()


@pytest.mark.parametrize(
    "scenario",
    [
        "ipd-single-v1",
        "rws-repeated-0-v1",
        "household-remote_lights-v1",
        pytest.param(
            "rps-best_response_to_frequency-v1", marks=pytest.mark.slow
        ),  # its policy has 170,000 states
    ],
)
def test_exact_rewards_that_do_not_exist_are_refused_before_an_episode(scenario: str) -> None:
    with pytest.raises(om.StudyError, match=r"no exact rewards: .*; take rewards='world'"):
        om.session(scenario)


def test_one_call_at_a_time() -> None:
    """Of two tasks that step one session, the second is refused; the first is not disturbed."""

    async def step_twice() -> list[object]:
        session = om.asession("rps-mixed-v1", options={"rounds": 2}, ask=False)
        turn = await session.reset(seed=7)
        assert isinstance(turn, om.Turn)
        answers = await asyncio.gather(
            *(session.step(first_option(turn)) for _ in range(2)), return_exceptions=True
        )
        await session.close()
        return answers

    first, second = asyncio.run(step_twice())
    assert isinstance(first, om.Turn)
    assert isinstance(second, om.StudyError)
    assert "each client needs a session of its own" in str(second)


def test_a_step_that_is_cancelled_can_be_left_and_the_session_starts_anew() -> None:
    async def cancel_a_step() -> tuple[str, str]:
        session = om.asession("rps-mixed-v1", options={"rounds": 2}, ask=False)
        turn = await session.reset(seed=7)
        assert isinstance(turn, om.Turn)
        step = asyncio.ensure_future(session.step(first_option(turn)))
        await asyncio.sleep(0)
        step.cancel()
        await asyncio.gather(step, return_exceptions=True)
        with pytest.raises(om.StudyError, match="cancelled"):
            await session.step(first_option(turn))
        await session.leave()
        assert session.record is not None
        left = session.record.outcome.reason
        turn = await session.reset(seed=7)
        while isinstance(turn, om.Turn):
            turn = await session.step(first_option(turn))
        return left, turn.outcome.status

    left, status = asyncio.run(cancel_a_step())
    assert "the client left" in left
    assert status == "scored"


def test_sessions_that_nobody_closes_end_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    for seed in range(5):
        om.session("rps-mixed-v1", options={"rounds": 3}, ask=False).reset(seed=seed)
    gc.collect()
    other = om.session("rps-mixed-v1", options={"rounds": 1}, ask=False)
    assert play_session(other, 1, first_option).outcome.status == "scored"  # the loop has run since
    gc.collect()
    assert not caplog.records


@for_each(
    "given",
    [
        {"partners": "x"},
        {"minds": "x"},
        {"minds": {"ego": "rmax"}},
        {"partners": {"ego": om.SeatSpec("rmax")}},
    ],
)
def test_who_else_plays_is_a_mapping_without_the_clients_seat(given: dict[str, Any]) -> None:
    with pytest.raises(om.StudyError, match=r"mappings from seats|nobody else can"):
        om.session("rps-mixed-v1", **given)
