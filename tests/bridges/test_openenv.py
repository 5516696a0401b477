"""A scenario served by OpenEnv: whatever a client sends, the episode and its record are those of a study."""

from __future__ import annotations

import asyncio
import json
import random
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.resources import files
from typing import Any

import httpx
import msgspec
import pytest
import uvicorn
from hypothesis import example, given, settings
from hypothesis import strategies as st
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
from websockets.asyncio.client import ClientConnection, connect

import otherminds as om
from otherminds.bridges.openenv import TextAction, TextClient, TextEnvironment, TextObservation, make_app
from otherminds.core.record import Record
from otherminds.core.scenario import Participant
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import ScriptedModel
from tests.cases import examples, for_each

SPLITS = {"train": ["rps-single-v1", "rps-mixed-v1"], "held_out": "ipd-tit_for_tat-v1"}
ODD = [
    "I am not sure.",
    {"option": "J"},
    '```json\n{"option": "J"}\n```',
    3,
    True,
    None,
    ["J", 2],
    {"a": {"b": [None, {"c": "J"}]}},
    "",
    "x" * 2**20,
    "\x00\x07\x1b[2J\ud800",
]
make_session = partial(om.asession, "rps-mixed-v1", options={"rounds": 6}, ask=False)


@contextmanager
def serve(make: Callable[[], om.AsyncSession], most: int = 128) -> Iterator[int]:
    """The port of a server in a thread of this process."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        make_app(make, most), log_level="error", timeout_graceful_shutdown=5, ws="websockets-sansio"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serve(make_session) as number:
        yield number


def open_socket(port: int) -> connect:
    return connect(f"ws://127.0.0.1:{port}/ws", compression=None, max_size=None)


async def ask(client: ClientConnection, kind: str, data: object) -> dict[str, Any]:
    """The server's answer to one message."""
    await client.send(json.dumps({"type": kind, "data": data}))
    return json.loads(await asyncio.wait_for(client.recv(), 60))


def reply_from(text: str) -> str:
    """A reply that depends on what is asked, and sometimes has no answer."""
    return random.Random(text).choice(["J", "A: Option J", "A: Option F", '{"option": "F"}', "I cannot say."])


async def play_episode(
    port: int, seed: int, reply: Callable[[TextObservation], Any], split: str | None = None
) -> TextObservation:
    async with TextClient(base_url=f"http://127.0.0.1:{port}") as client:
        result = await client.reset(seed=seed, split=split, record=True)
        while not result.done:
            result = await client.step(reply(result.observation))
    return result.observation


def test_the_validator_of_openenv_passes_every_check(port: int) -> None:
    command = [sys.executable, "-m", "openenv.cli", "validate", "--url", f"http://127.0.0.1:{port}", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["passed"]
    assert [check["id"] for check in report["criteria"] if not check["passed"]] == []
    assert len(report["criteria"]) >= 6


def test_no_odd_reply_ends_an_episode(port: int) -> None:
    async def send_each() -> None:
        async with open_socket(port) as client:
            for odd in ODD:
                await ask(client, "reset", {"seed": 1})
                forms = [{"text": odd}, *([odd] if isinstance(odd, dict) else [])]
                for form in forms:
                    answer = await ask(client, "step", form)
                    assert (answer["type"], answer["data"]["done"]) == ("observation", False), odd
                    assert answer["data"]["observation"]["options"], odd
                answer = await ask(client, "step", {"text": "A: Option J"})
                assert not answer["data"]["done"]

    asyncio.run(send_each())


def test_messages_that_openenv_refuses_leave_the_episode_as_it_was(port: int) -> None:
    async def send_each() -> None:
        async with open_socket(port) as client:
            assert (await ask(client, "step", {"text": "J"}))["data"]["message"].startswith("no episode")
            first = await ask(client, "reset", {"seed": 1})
            for data in (3, True, None, ["J"], "J"):
                assert (await ask(client, "step", data))["type"] == "error"
            for wrong in ({"split": "other"}, {"splitt": "train"}, {"seed": -1}):
                assert (await ask(client, "reset", wrong))["type"] == "error"
            assert await ask(client, "reset", {"seed": 1}) == first

    asyncio.run(send_each())


@for_each("name", ["seed", "index"])
def test_a_seed_or_an_index_that_is_no_seed_is_refused_with_the_sentence_of_every_seed(
    port: int, name: str
) -> None:
    async def send_each() -> None:
        async with open_socket(port) as client:
            for seed in (-1, 2**63, 1.5, True, "7", "", [0], {}):
                answer = await ask(client, "reset", {name: seed})
                assert answer["data"]["message"].startswith(
                    "a seed is a whole number from 0 to 2**63 - 1, not"
                )

    asyncio.run(send_each())
    with pytest.raises(om.StudyError, match="a seed is a whole number"):
        TextEnvironment(make_session).reset(**{name: 10**5000})


@for_each(
    ("wrong", "message"),
    [
        ({"sede": 7}, "reset takes no 'sede'; did you mean seed?"),
        ({"seed": 7, "Split": "train"}, "reset takes no 'Split'; did you mean split?"),
        (
            {"options": {"split": "train"}},
            "reset takes no 'options'; there are seed, episode_id, split, index, record",
        ),
        ({"unknown": 1}, "reset takes no 'unknown'; there are seed, episode_id, split, index, record"),
        ({"\n\ud800" * 99: 1}, "reset takes no "),
    ],
)
def test_reset_refuses_names_that_it_does_not_know(port: int, wrong: dict[str, Any], message: str) -> None:
    async def send() -> None:
        async with open_socket(port) as client:
            assert (await ask(client, "reset", wrong))["data"]["message"].startswith(message)

    asyncio.run(send())
    with pytest.raises(om.StudyError) as refused:
        TextEnvironment(make_session).reset(**wrong)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda parts: st.lists(parts) | st.dictionaries(st.text(), parts),
    max_leaves=8,
)


@settings(examples(3))
@given(sent=JSON)
@example("\ud800")
@example({"text": {"text": "J"}})
@example({"type": "call_tool", "metadata": 3})
def test_any_json_is_a_reply(sent: Any) -> None:
    text = TextAction.model_validate(sent).text
    value = sent["text"] if isinstance(sent, dict) and "text" in sent else sent
    if isinstance(value, str):
        assert text == value or any("\ud800" <= letter <= "\udfff" for letter in value)
    else:
        assert json.loads(text) == value
    msgspec.json.encode(text)
    environment = TextEnvironment(make_session)
    environment.reset(seed=0)
    assert not environment.step(TextAction.model_validate(sent)).done
    environment.close()


@for_each("strategy", ["chat", "qa", "tool_loop"])
def test_the_record_is_that_of_a_study_with_the_same_replies(strategy: str) -> None:
    options = {"rounds": 6}
    mind = Participant(
        make_mind(om.SeatSpec(strategy, model="outside")),
        ScriptedModel(lambda messages, decoding: reply_from(messages[-1].content), spec="outside"),
    )
    with serve(partial(om.asession, "rps-mixed-v1", strategy=strategy, options=options)) as port:
        for seed in range(4):
            end = asyncio.run(
                play_episode(port, seed, lambda observation: reply_from(observation.messages[-1]["content"]))
            )
            played = om.play("rps-mixed-v1", mind, seed=seed, options=options)
            record = msgspec.convert(end.metadata["record"], Record)
            assert msgspec.json.encode(record) == msgspec.json.encode(played)
            assert record.hash == played.hash
            assert end.reward == pytest.approx(sum(end.turn_rewards))
            assert end.metadata["outcome"]["status"] == played.outcome.status


@for_each("strategy", ["chat", "tool_loop"])
def test_a_client_that_appends_has_every_prompt(strategy: str) -> None:
    """Also after replies without an answer, and after questions, which leave no trace in the conversation."""
    make = partial(om.asession, "rps-mixed-v1", strategy=strategy, options={"rounds": 6})
    environment, session = TextEnvironment(make), om.Session(make())
    observation, turn = environment.reset(seed=4), session.reset(4)
    conversation: list[dict[str, str]] = []
    grown = 0
    while isinstance(turn, om.Turn):
        conversation = [*([] if observation.whole else conversation), *observation.messages]
        grown += not observation.whole
        assert conversation == [{"role": each.role, "content": each.content} for each in turn.messages]
        assert (observation.options, observation.purpose) == ([*turn.options], turn.purpose)
        text = reply_from(turn.observation)
        conversation.append({"role": "assistant", "content": text})
        observation, turn = environment.step(TextAction(text=text)), session.step(text)
    assert observation.done
    assert (observation.reward, observation.turn_rewards) == (session.reward, session.turn_rewards)
    assert grown > 0 or strategy != "chat"


def test_clients_that_are_killed_leave_the_others_as_they_were(port: int) -> None:
    def second(observation: TextObservation) -> str:
        return observation.options[1]

    async def kill_client(seed: int) -> None:
        client = await open_socket(port)
        await ask(client, "reset", {"seed": seed})
        await ask(client, "step", {"text": "A: Option J"})
        await client.send(json.dumps({"type": "step", "data": {"text": "A: Option J"}}))
        client.transport.abort()

    async def play_all() -> list[Any]:
        each = [
            kill_client(number) if number % 3 == 2 else play_episode(port, number % 4, second)
            for number in range(36)
        ]
        return await asyncio.gather(*each)

    alone = [asyncio.run(play_episode(port, seed, second)) for seed in range(4)]
    ends = asyncio.run(play_all())
    assert sum(end is None for end in ends) == 12
    assert all(end is None or end == alone[number % 4] for number, end in enumerate(ends))


def test_a_place_is_free_again_when_its_client_is_gone() -> None:
    async def fill(port: int) -> None:
        for _ in range(3):
            async with open_socket(port) as first, open_socket(port) as second:
                assert (await ask(first, "reset", {}))["type"] == "observation"
                refusal = json.loads(await asyncio.wait_for(second.recv(), 60))
                assert refusal["data"]["code"] == "CAPACITY_REACHED"
            while httpx.get(f"http://127.0.0.1:{port}/health").status_code != 200:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.3)

    with serve(make_session, most=1) as port:
        asyncio.run(fill(port))


def test_tasks_are_the_seeds_of_a_split() -> None:
    make = partial(om.asession, SPLITS, options={"rounds": 6}, ask=False)
    with serve(make) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as web:
        assert [split["name"] for split in web.get("/otherminds/splits").json()] == [*SPLITS]
    environment = TextEnvironment(make)
    assert [task["index"] for task in environment.get_task_range("train", 5, 8)] == [5, 6, 7]
    assert len(environment.list_tasks("train")) == 100
    assert environment.num_tasks("held_out") == 2**31
    for split, index in (("train", -1), ("train", 2**31), ("other", 0)):
        with pytest.raises(IndexError):
            environment.get_task(split, index)
    first = environment.reset(split="train", index=3)
    assert environment.reset(split="train", seed=3) == first
    assert environment.reset(split="train", seed=9, index=3) == first
    assert (environment.state.seed, environment.state.split, environment.state.step_count) == (3, "train", 0)
    environment.close()


def test_the_manifest_is_what_openenv_reads_and_its_range_is_exact() -> None:
    folder = files("otherminds.bridges")
    manifest = OpenEnvYamlParser().parse(folder)  # pyright: ignore[reportArgumentType]  # a path, where it is installed
    session = om.session("rps-mixed-v1", ask=False)
    turn = session.reset(0)
    while isinstance(turn, om.Turn):
        turn = session.step(turn.options[0])
    bounds, rounds = turn.record.bounds, len(turn.record.rewards)
    assert bounds is not None
    pays = {pay for row in turn.record.game.payoffs for pay, _ in row}
    assert manifest.reward.range == tuple(
        (rounds * pay - bounds.blind) / (bounds.informed - bounds.blind) for pay in (min(pays), max(pays))
    )
    assert manifest.capabilities.declared_task_count == {"all": 2**31}
