"""Access to OpenAI-compatible servers: what is asked, what is read, and what it costs."""

import asyncio
import json
import subprocess
import sys
from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from otherminds import SeatSpec
from otherminds.core.data import Message
from otherminds.core.errors import ProviderError, StudyError, TransientError
from otherminds.core.model import Completion, Decoding, ToolCall, Usage
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.minds.registry import make_mind
from otherminds.models import http
from otherminds.models.registry import open_model, open_servers
from otherminds.models.wrapper import close
from otherminds.models.wrappers import Retrying
from otherminds.play.loop import play
from otherminds.testing.episodes import body
from tests.models import serving as local
from tests.models.faulty import Rates

HELLO = [Message("system", "Be brief."), Message("user", "Hello \ud800")]
SCHEMA = {"type": "object", "properties": {"option": {"enum": ["J", "F"]}}}


@pytest.fixture(autouse=True)
def _no_key_and_no_waits(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(http, "WAITS", (0.0, 0.0))


@contextmanager
def at(local, answer=None, options="context=9000&timeout=5", name="toy"):
    """A server that answers by ``answer(asked)``, and its model."""
    with local.serving(answer) as server:
        yield server, open_model(f"openai:{name}@{server.url}?{options}")


def run(model, *calls):
    """What the coroutines made by ``calls`` return or raise, all at once; then the model is closed."""

    async def together():
        try:
            return await asyncio.gather(*(call() for call in calls), return_exceptions=True)
        finally:
            await close(model)

    return asyncio.run(together())


def said(model, **decoding):
    (reply,) = run(model, lambda: model.generate(HELLO, Decoding(**decoding)))
    if isinstance(reply, Exception):
        raise reply
    return reply


def replying(local, message, **more):
    """Answers every request with ``message``."""
    return lambda asked: local.Reply({"choices": [{"message": message}], **more})


def test_a_request_says_what_the_decoding_says():
    with at(local, name="meta/toy:8b") as (server, model):
        assert (
            said(model, temperature=0.5, top_p=0.9, max_tokens=7, seed=3).text == "I was offered no options."
        )
        (asked,) = server.asked
        assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
        assert asked.body == {
            "model": "meta/toy:8b",
            "messages": [{"role": one.role, "content": one.content} for one in HELLO],
            "temperature": 0.5,
            "top_p": 0.9,
            "max_tokens": 7,
            "seed": 3,
        }
        said(model, stop=("\n", "Q:"), schema=SCHEMA)
        body = server.asked[-1].body
        assert body["stop"] == ["\n", "Q:"]
        form = {"name": "answer", "strict": False, "schema": SCHEMA}
        assert body["response_format"] == {"type": "json_schema", "json_schema": form}
        said(model, schema={**SCHEMA, "additionalProperties": False})
        assert server.asked[-1].body["response_format"]["json_schema"]["strict"]


def test_the_key_comes_from_the_environment(monkeypatch):
    with at(local) as (server, keyless):
        said(keyless)
        assert "authorization" not in server.asked[-1].headers
        monkeypatch.setenv("OPENAI_API_KEY", " hush \n")
        monkeypatch.setenv("MY_KEY", "other")
        for options, key in (("context=9", "hush"), ("context=9&key=MY_KEY", "other")):
            said(open_model(f"openai:toy@{server.url}?{options}"))
            assert server.asked[-1].headers["authorization"] == f"Bearer {key}"
        monkeypatch.setenv("MY_KEY", "two\nlines")
        with pytest.raises(StudyError, match="API key in MY_KEY") as caught:
            open_model(f"openai:toy@{server.url}?context=9&key=MY_KEY")
        assert "two" not in str(caught.value)


def test_a_server_that_wants_the_newer_limit_gets_it_for_good():
    def picky(asked):
        if "max_tokens" in asked.body:
            said = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return local.Reply({"error": {"message": said}}, 400)
        return local.Reply({"choices": [{"message": {"content": str(asked.body["max_completion_tokens"])}}]})

    with at(local, picky) as (server, model):
        calls = [lambda n=n: model.generate(HELLO, Decoding(max_tokens=n)) for n in (4, 5, 6)]
        assert [reply.text for reply in run(model, *calls)] == ["4", "5", "6"]
        asked = len(server.asked)
        assert said(model, max_tokens=7).text == "7"
        assert len(server.asked) == asked + 1


def test_a_request_that_is_refused_is_sent_once():
    refusal = {"error": {"message": "the prompt is too large\n\x1b[31m" + "x" * 999}}
    with at(local, lambda asked: local.Reply(refusal, 422)) as (server, model):
        with pytest.raises(ProviderError, match="HTTP 422: the prompt is too large") as caught:
            said(model)
        assert not isinstance(caught.value, TransientError)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 400
        assert len(server.asked) == 1
    always = {"error": {"message": "max_completion_tokens is too large"}}
    with at(local, lambda asked: local.Reply(always, 400)) as (server, model):
        with pytest.raises(ProviderError, match="HTTP 400"):
            said(model)
        assert len(server.asked) == 2
        with pytest.raises(ProviderError, match="HTTP 400"):
            said(model)
        assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("message", "completion"),
    [
        ({"content": " A: Option J\n"}, Completion("A: Option J")),
        ({"content": None}, Completion("")),
        ({}, Completion("")),
        ({"content": "<think>It copies.</think>A: Option J"}, Completion("A: Option J", "It copies.")),
        ({"content": "A", "reasoning_content": " It copies.\n"}, Completion("A", "It copies.")),
        (
            {"content": "A", "reasoning": "It copies.", "reasoning_content": None},
            Completion("A", "It copies."),
        ),
        ({"content": "<think>b</think>A", "reasoning": "a"}, Completion("A", "a\nb")),
        (
            {
                "content": None,
                "tool_calls": [{"function": {"name": "f", "arguments": '{"x":1}'}}, {"type": "z"}],
            },
            Completion("", tools=(ToolCall("f", '{"x":1}'),)),
        ),
    ],
)
def test_a_reply_is_taken_apart(message, completion):
    with at(local, replying(local, message)) as (_, model):
        reply = said(model)
        assert replace(reply, usage=Usage()) == completion
        assert reply.usage.estimated.prompt == reply.usage.prompt > 0


@pytest.mark.parametrize(
    ("usage", "found"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4}, Usage(9, 4)),
        ({"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": None}, Usage(9, 4)),
        (
            {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 8}},
            Usage(9, 4, 8),
        ),
        (
            {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"audio_tokens": 8}},
            Usage(9, 4),
        ),
    ],
)
def test_usage_is_what_the_server_counts(usage, found):
    with at(local, replying(local, {"content": "x"}, usage=usage)) as (_, model):
        assert said(model).usage == found


def test_a_reply_cut_by_its_length_is_a_reply():
    cut = {"choices": [{"message": {"content": "A: Opt"}, "finish_reason": "length"}]}
    with at(local, lambda asked: local.Reply(cut)) as (_, model):
        assert said(model).text == "A: Opt"


@pytest.mark.parametrize("end", ["/v1", "", "/"])
def test_models_of_one_server_share_its_limit_and_each_request_has_a_connection(end):
    def slow(asked):
        return local.Reply({"choices": [{"message": {"content": asked.body["model"]}}]}, wait=0.02)

    with local.serving(slow) as server:
        bases = {"a": server.url, "b": server.url.removesuffix("/v1") + end}
        models = [open_model(f"openai:{name}@{bases[name]}?context=9&concurrency=3") for name in "ab"]

        async def both():
            calls = [model.generate(HELLO, Decoding()) for model in models * 8]
            replies = await asyncio.gather(*calls)
            await close(models[0])
            replies.append(await models[1].generate(HELLO, Decoding()))
            await close(models[1])
            return [reply.text for reply in replies]

        assert asyncio.run(both()) == ["a", "b"] * 8 + ["b"]
        assert server.most_at_once == 3
        assert server.connections == 17
        assert {model.concurrency for model in models} == {3}


def test_a_model_is_called_in_several_event_loops():
    with at(local) as (server, model):
        for _ in range(3):
            assert said(model).text
        assert server.connections == 3
        assert asyncio.run(model.close()) is None


def test_a_cancelled_call_leaves_its_place():
    def hanging(asked):
        return local.Reply({"choices": [{"message": {"content": "x"}}]}, wait=30 if asked.body["seed"] else 0)

    with at(local, hanging, "context=9&concurrency=1") as (server, model):

        async def cancel():
            hung = asyncio.create_task(model.generate(HELLO, Decoding(seed=1)))
            while not (server.asked or hung.done()):
                await asyncio.sleep(0.005)
            hung.cancel()
            with pytest.raises(asyncio.CancelledError):
                await hung
            reply = await model.generate(HELLO, Decoding(seed=0))
            await model.close()
            return reply.text

        assert asyncio.run(cancel()) == "x"


def test_calls_that_are_closed_upon_meet_a_passing_fault():
    hanging = local.Reply({"choices": [{"message": {"content": "x"}}]}, wait=30)
    with at(local, lambda asked: hanging, "context=9&concurrency=1") as (server, model):

        async def shut():
            calls = [asyncio.create_task(model.generate(HELLO, Decoding())) for _ in range(2)]
            while not (server.asked or calls[0].done()):
                await asyncio.sleep(0.005)
            await model.close()
            return await asyncio.gather(*calls, return_exceptions=True)

        assert [type(fault) for fault in asyncio.run(shut())] == [TransientError, TransientError]


def test_a_flaky_server_changes_no_record():
    built = scenario("ipd-tit_for_tat-v1", {"rounds": 6})
    ego = SeatSpec("qa", model="toy")

    async def episode(model):
        try:
            return await play(Setup(built, {"ego": Participant(make_mind(ego), model)}, 1))
        finally:
            await close(model)

    rates = Rates(throttled=0.3, failed=0.2, truncated=0.2, hung=0.05)
    with local.serving(rates=rates, seed=2) as server:
        served = open_model(f"openai:toy@{server.url}?timeout=0.4")
        model = Retrying(served, sleep=lambda seconds: asyncio.sleep(0))
        there, _ = asyncio.run(episode(model))
    here, _ = asyncio.run(episode(open_model("scripted:echo_last")))
    assert body(there) == body(here)
    assert model.retries == server.requests - 12 > 10
    assert server.useful == 12


def test_no_redirect_is_followed():
    with local.serving() as other:
        moved = local.Reply(status=307, headers={"location": f"{other.url}/chat/completions"})
        elsewhere = r"HTTP 307; it sends elsewhere \(http.*name that server"
        with at(local, lambda asked: moved) as (_, model), pytest.raises(ProviderError, match=elsewhere):
            said(model)
        assert not other.asked


@pytest.mark.parametrize(
    ("paths", "context"),
    [
        ({"/v1/models": {"data": [{"id": "x"}, {"id": "toy", "max_model_len": 4000}]}}, 4000),
        ({"/v1/models": {"data": [{"id": "toy", "context_length": 5000}]}}, 5000),
        ({"/v1/models": {"data": [{"id": "/a/file.gguf", "max_model_len": 4000}]}}, 4000),
        ({"/v1/models": {"data": [{"id": "x", "max_model_len": 1}, {"id": "y", "max_model_len": 2}]}}, 32768),
        ({"/v1/models": {"data": [{"id": "toy", "meta": {"n_ctx_train": 8192}}]}}, 8192),
        (
            {
                "/v1/models": {"data": [{"id": "toy", "meta": {"n_ctx_train": 8192}}]},
                "/props": {"default_generation_settings": {"n_ctx": 2048}},
            },
            2048,
        ),
        ({"/v1/models": {"data": [{"id": "toy", "max_model_len": -1}]}}, 32768),
        ({"/v1/models": {"data": []}}, 32768),
        ({"/v1/models": {"object": "no list"}}, 32768),
        ({"/v1/models": b"<html>Welcome</html>"}, 32768),
        ({}, 32768),
    ],
)
def test_the_context_is_what_the_server_says(paths, context):
    def answer(asked):
        return local.Reply(paths[asked.path]) if asked.path in paths else local.Reply(b"no", 404)

    with at(local, answer, "timeout=5") as (server, model):
        assert model.context == context
        assert all(asked.method == "GET" for asked in server.asked)


def test_a_given_context_needs_no_server():
    model = open_model("openai:toy@http://127.0.0.1:1/v1?context=123")
    assert (model.context, model.concurrency) == (123, 16)


@pytest.mark.parametrize("fault", ["status", "cut"])
def test_opening_a_server_is_tried_again(fault):
    listed = {"data": [{"id": "toy", "max_model_len": 4000}]}
    bad = {"status": local.Reply(b"", 503), "cut": local.Reply(listed, cut=3)}[fault]
    replies = iter([bad, bad, local.Reply(listed)])
    with at(local, lambda asked: next(replies), "timeout=5") as (_, model):
        assert model.context == 4000


def test_a_server_that_stays_broken_is_not_opened():
    with (
        pytest.raises(ProviderError, match=r"HTTP 503: warming up; try again when"),
        at(local, lambda asked: local.Reply({"error": "warming up"}, 503), "timeout=5"),
    ):
        pass


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_named_by_its_variable(monkeypatch, status):
    def refuse(asked):
        return local.Reply({"error": {"message": f"bad {asked.headers.get('authorization')}"}}, status)

    with (
        pytest.raises(ProviderError, match=r"OPENAI_API_KEY, .* is not set: check it$"),
        at(local, refuse, ""),
    ):
        pass
    monkeypatch.setenv("OPENAI_API_KEY", "hush")
    with (
        pytest.raises(ProviderError, match=r"OPENAI_API_KEY, .* is set: check it$") as caught,
        at(local, refuse, ""),
    ):
        pass
    assert "hush" not in str(caught.value)


def test_a_server_that_is_not_there_is_named():
    with local.serving() as server:
        url = server.url
    with pytest.raises(
        ProviderError, match=rf"cannot reach {url}: .+; is the server running there\?"
    ) as caught:
        open_servers(f"openai:toy@{url}")
    assert "\n" not in str(caught.value)


def test_a_wrong_path_is_mended():
    with (
        at(local, lambda asked: local.Reply(b"", 404)) as (_, model),
        pytest.raises(ProviderError, match="end in /v1"),
    ):
        said(model)


def test_the_client_is_imported_only_when_it_is_used():
    code = "import sys, otherminds.models.openai; print('httpx' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_count_is_an_upper_estimate_and_not_absurd(model):
    served = open_model("openai:toy@http://127.0.0.1:1/v1?context=9")
    rounds = "".join(
        f"In round {n}, you chose Option {'JF'[n % 2]} and the other player chose Option Ballet. "
        f"Thus, you won {n % 11} points and the other player won 10 points.\n"
        for n in range(1, 40)
    )
    form = json.dumps({"skill": "move_to", "args": [3, 5], "why": "it's nearer"}, indent=2)
    for text in (
        rounds,
        form,
        "Überraschung — 石头剪刀布 🙂",
        "cooperate? defect!",
        "strengths unhelpfulness",
    ):
        assert model.count(text) <= served.count(text) <= 2.5 * model.count(text) + 10
    assert served.count("") == 0
