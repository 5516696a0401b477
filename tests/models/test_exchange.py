"""A reply is that to its own request, or none: whatever a server sends, no reply is shifted to another request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from otherminds.core.data import Message
from otherminds.core.errors import ProviderError
from otherminds.core.model import Completion, Decoding
from otherminds.models.registry import open_model
from otherminds.models.scripted import ScriptedModel
from otherminds.models.wrapper import close
from otherminds.models.wrappers import Retrying
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides
from tests.cases import thinned
from tests.models import serving
from tests.models.miscounting import ATTACKS, HONEST, Attack, miscounting, signed, true_reply
from tests.models.services import Quiet

CALLS = 20
FOUND_OUT = {
    "twice, in one piece",
    "twice, the second another",
    "twice, in chunks",
    "twice, in chunks, the second another",
    "twice, HTTP/1.0 with keep-alive",
    "flood of promises",
    "length too short",
    "length of another",
    "length too long",
    "two lengths",
    "no content",
}
"""Attacks that no reply survives: the surplus is there when the reply ends, or the reply is not whole."""


def question(i: int) -> list[Message]:
    return [Message("user", f"Question {i}: {'which option? ' * (i % 7)}")]


def wanted(i: int) -> str:
    return said(true_reply(question(i), i))


def said(reply: Completion) -> str:
    return f"{reply.reasoning}: {reply.text}"


def answered(url: str, at_once: int, timeout: float = 5.0) -> list[str | None]:
    """The replies to ``CALLS`` calls, ``None`` where one failed with its cause."""

    now = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal now
        now += max(seconds, 1.0)
        await asyncio.sleep(0)

    spec = f"openai:toy@{url}?context=65536&timeout={timeout}&concurrency={at_once}"
    model = Retrying(open_model(spec), 6.0, sleep, lambda: now, Random(1))

    async def call(i: int) -> str | None:
        try:
            reply: Completion = await model.generate(question(i), Decoding(seed=i))
        except ProviderError:
            return None
        return said(reply)

    async def calls() -> list[str | None]:
        try:
            found: list[str | None] = []
            for start in range(0, CALLS, at_once):
                found += await asyncio.gather(*(call(i) for i in range(start, min(start + at_once, CALLS))))
            return found
        finally:
            await close(model)

    return asyncio.run(calls())


def check_none_shifted(found: list[str | None]) -> None:
    for i, text in enumerate(found):
        assert text in (None, wanted(i)), f"call {i}"


def wait_for_the_true_reply(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A reply that is early is found out by the true one, if that comes while the client waits for the end."""
    if name == "early":
        monkeypatch.setattr("otherminds.models.exchange.LINGER", 30.0)


@pytest.mark.parametrize("at_once", [1, 5])
@pytest.mark.parametrize("name", thinned(ATTACKS, 4))
def test_no_reply_is_shifted(name: str, at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    wait_for_the_true_reply(monkeypatch, name)
    with miscounting(ATTACKS[name]) as server:
        found = answered(server.url, at_once)
    check_none_shifted(found)
    if name in FOUND_OUT:
        assert found == [None] * CALLS


@pytest.mark.parametrize("at_once", [1, 5])
@pytest.mark.parametrize("name", HONEST)
def test_every_honest_way_to_reply_is_read(name: str, at_once: int) -> None:
    with miscounting(HONEST[name]) as server:
        assert answered(server.url, at_once) == [wanted(i) for i in range(CALLS)]
        assert server.requests == CALLS


def test_a_reply_that_comes_after_its_time_meets_no_later_call() -> None:
    """The first answer to each question comes when the client has given up on it."""
    asked: set[bytes] = set()
    right = serving.scripted(ScriptedModel(signed))

    def late(request: serving.Asked) -> serving.Reply:
        reply = right(request)
        if request.method == "POST" and request.raw not in asked:
            asked.add(request.raw)
            reply.wait = 0.4
        return reply

    with serving.serving(late) as local:
        assert answered(local.url, 5, timeout=0.2) == [wanted(i) for i in range(CALLS)]


def test_no_connection_carries_two_requests() -> None:
    with miscounting(HONEST["honest"]) as server:
        answered(server.url, 5)
        assert server.connections == server.requests == CALLS


STUDY = """
name = "shifted"
episodes = 10
rounds = 1
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = ["qa@MODEL"]
"""
"""Twenty calls."""


@pytest.mark.parametrize(
    "name",
    ["twice, the second another", "twice, 0.02 s later", "twice, 0.3 s later", "early", "length of another"],
)
def test_twenty_records_are_right_or_failed_with_their_cause(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for_the_true_reply(monkeypatch, name)
    monkeypatch.setattr("otherminds.models.wrappers.BASE", 0.001)
    (tmp_path / "study.toml").write_text(STUDY)

    def recorded(attack: Attack, folder: str) -> dict[str, tuple[str, list[str], str]]:
        with miscounting(attack) as server:
            model = f"openai:toy@{server.url}?context=9000&timeout=5"
            run(plan_file(tmp_path / "study.toml", RunOverrides((model,))), tmp_path / folder, Quiet())
        return {
            record.spec.hash: (
                record.outcome.status,
                [f"{call.reasoning}: {call.reply}" for call in record.calls],
                record.outcome.reason,
            )
            for record in results(tmp_path / folder)[1]
        }

    true, found = recorded(HONEST["honest"], "true"), recorded(ATTACKS[name], "found")
    assert len({reply for _, replies, _ in true.values() for reply in replies}) == CALLS
    assert found
    for episode, (status, replies, reason) in found.items():
        if status == "failed":
            assert "more bytes follow it" in reason
        else:
            assert (status, replies) == true[episode][:2]


def through_proxy(monkeypatch: pytest.MonkeyPatch, url: str, target: str) -> Callable[[], Completion]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("http_proxy", url)
    monkeypatch.setenv("https_proxy", url)
    monkeypatch.setattr("otherminds.models.http.origin", lambda base: _Far())
    model = open_model(f"openai:toy@{target}?context=9000&timeout=5")
    return lambda: serving.closing(model, lambda: model.generate(question(1), Decoding(seed=1)))


class _Far:
    local = False


def test_a_proxy_of_the_environment_is_asked_with_the_whole_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving.serving(lambda asked: serving.Reply(serving.chat(Completion(asked.path)))) as proxy:
        login = proxy.url.removesuffix("/v1").replace("//", "//me:p%40ss@")
        reply = through_proxy(monkeypatch, login, "http://127.0.0.1:9/v1")()
        assert proxy.asked is not None
        (asked,) = proxy.asked
    assert reply.text == "http://127.0.0.1:9/v1/chat/completions"
    assert asked.headers["proxy-authorization"] == "Basic bWU6cEBzcw=="
    assert asked.headers["host"] == "127.0.0.1:9"


def test_a_proxy_that_refuses_a_tunnel_is_a_passing_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving.serving(lambda asked: serving.Reply(b"", 407)) as proxy:
        call = through_proxy(monkeypatch, proxy.url.removesuffix("/v1"), "https://127.0.0.1:9/v1")
        with pytest.raises(ProviderError, match="the proxy refuses with HTTP 407"):
            call()
        assert proxy.asked is not None
        (asked,) = proxy.asked
    assert (asked.method, asked.path) == ("CONNECT", "127.0.0.1:9")
    assert "authorization" not in asked.headers
