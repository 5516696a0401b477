"""Whatever a server does: a reply, a fault that may pass, or one that will not. Nothing else."""

import asyncio
import json
import ssl
import zlib
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import cycle

import certifi
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Message
from otherminds.core.encoding import encode
from otherminds.core.errors import ProviderError, StudyError, TransientError
from otherminds.core.model import Completion, Decoding
from otherminds.models import http
from otherminds.models.faults import MalformedError, RefusedError, wanted_wait
from otherminds.models.http import Server
from otherminds.models.registry import open_model
from otherminds.models.wire import ChatReply, ModelsReply, TextReply, completion
from otherminds.models.wrapper import LONGEST
from otherminds.models.wrappers import SHAPELESS, Retrying
from tests.cases import for_each
from tests.models import serving as local

SERVER = Server("openai:toy", "http://127.0.0.1:1/v1", "NO_SUCH_KEY", 1.0, 1)
GOOD = {
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "A: Option J",
                "reasoning_content": "It copies.",
                "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            },
            "logprobs": {"content": [{"top_logprobs": [{"token": "J", "logprob": -0.1}]}]},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}},
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def fault_of(local, answer, timeout=5.0):
    """What a call to a server that answers so raises."""
    found = []

    async def call(model):
        try:
            await model.generate([Message("user", "Hello")], Decoding())
        except Exception as error:  # noqa: BLE001 - the type is what is tested
            found.append(error)
        await model.close()

    with local.serving(answer) as server:
        asyncio.run(call(open_model(f"openai:toy@{server.url}?context=9&timeout={timeout}")))
    (error,) = found
    assert isinstance(error, ProviderError)
    assert str(error).isprintable()
    return error


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529, 599])
def test_faults_that_may_pass_say_when_to_come_back(status):
    reply = local.Reply({"error": {"message": "busy"}}, status, {"Retry-After": "1.5"})
    error = fault_of(local, lambda asked: reply)
    assert isinstance(error, TransientError)
    assert error.after == 1.5
    assert f"HTTP {status}: busy" in str(error)


@for_each("status", [301, 302, 400, 401, 402, 403, 404, 405, 413, 422, 451, 501])
def test_refusals_are_not_worth_another_try(status):
    error = fault_of(local, lambda asked: local.Reply({"detail": "no\nway"}, status))
    assert isinstance(error, RefusedError)
    assert error.status == status
    assert f"HTTP {status}: no way" in str(error)


@for_each("cut", [1, 30, 60])
def test_a_body_cut_short_may_come_whole_the_next_time(cut):
    error = fault_of(local, lambda asked: local.Reply(GOOD, cut=cut))
    assert isinstance(error, TransientError)


def test_a_hanging_call_ends_in_time():
    error = fault_of(local, lambda asked: local.Reply(GOOD, wait=30), timeout=0.1)
    assert isinstance(error, TransientError)
    assert "no answer within 0.1 s" in str(error)


@pytest.mark.parametrize(
    ("begin", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\n", b"x: y\r\n"),
        (b"HTTP/1.1 200 OK\r\nx: ", b"y"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["body", "headers", "one header", "promises"],
)
def test_a_dripping_reply_ends_in_time(begin, drop):
    async def drip(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(begin)
        try:
            with suppress(ConnectionError):
                while not writer.is_closing():
                    writer.write(drop)
                    await writer.drain()
                    await asyncio.sleep(0.02)
        finally:
            writer.close()

    async def call():
        server = await asyncio.start_server(drip, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        model = open_model(f"openai:toy@http://127.0.0.1:{port}/v1?context=9&timeout=0.2&concurrency=1")
        for _ in range(2):
            with pytest.raises(TransientError, match=r"no answer within 0\.2 s"):
                await model.generate([Message("user", "Hello")], Decoding())
        await model.close()
        server.close()
        await server.wait_closed()

    asyncio.run(asyncio.wait_for(call(), 60))


def test_a_reply_without_end_is_malformed(monkeypatch):
    whole = local.Reply(json.dumps(GOOD).encode())
    monkeypatch.setattr(http, "MOST", len(whole.body))

    async def call(model):
        try:
            return (await model.generate([Message("user", "Hello")], Decoding())).text
        finally:
            await model.close()

    with local.serving(lambda asked: whole) as server:
        assert asyncio.run(call(open_model(f"openai:toy@{server.url}?context=9"))) == "A: Option J"
    error = fault_of(local, lambda asked: local.Reply(whole.body + b" "))
    assert isinstance(error, MalformedError)
    assert f"more than {len(whole.body)} bytes" in str(error)


def test_what_a_server_says_of_its_models_without_end_is_passed_over(monkeypatch):
    listed = json.dumps({"data": [{"id": "toy", "max_model_len": 99}]}).encode()
    contexts = []
    for most in (len(listed), len(listed) - 1):
        monkeypatch.setattr(http, "MOST", most)
        with local.serving(lambda asked: local.Reply(listed)) as server:
            contexts.append(open_model(f"openai:toy@{server.url}").context)
    assert contexts == [99, 32768]


def test_calls_that_end_in_a_fault_leave_no_connection_behind():
    waits, cuts = cycle([0, 0, 0.01, 0, 30]), cycle([0, 1, 0])

    async def many(models):
        async def calls(model):
            for _ in range(25):
                with suppress(TransientError):
                    await model.generate([Message("user", "Hello")], Decoding())

        await asyncio.gather(*(calls(model) for model in models * 4))
        for model in models:
            await model.close()
        async with asyncio.timeout(30):
            while server.open:
                await asyncio.sleep(0.01)

    with local.serving(lambda asked: local.Reply(GOOD, wait=next(waits), cut=next(cuts))) as server:
        # Time-outs that strike at every point of a call.
        specs = [f"openai:toy@{server.url}?context=9&timeout={0.001 * 2**i}&concurrency=64" for i in range(6)]
        asyncio.run(many([open_model(spec) for spec in specs]))
        assert server.connections > 24


def reply_of(answer):
    """The reply of a server that answers so."""
    with local.serving(answer) as server:
        model = open_model(f"openai:toy@{server.url}?context=9")
        return local.closing(model, lambda: model.generate([Message("user", "Hello")], Decoding()))


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (r"a\ud800b", "a\ufffdb"),
        (r"\uDC00", "\ufffd"),
        (r"\ud83d\ude00 \ud83d", "\U0001f600 \ufffd"),
        (r"\\ud800", r"\ud800"),
    ],
)
def test_half_a_character_in_an_escape_is_read_as_a_mark_of_replacement(escaped, text):
    body = f'{{"choices":[{{"message":{{"content":"{escaped}"}}}}]}}'.encode()
    assert reply_of(lambda asked: local.Reply(body)).text == text


def test_content_in_parts_is_read_and_its_reasoning_kept_apart():
    parts = [
        {
            "type": "thinking",
            "thinking": [{"type": "text", "text": "It "}, {"type": "text", "text": "copies."}],
        },
        {"type": "text", "text": "A: Option"},
        {"type": "text", "text": " J"},
    ]
    reply = reply_of(lambda asked: local.Reply({"choices": [{"message": {"content": parts}}]}))
    assert (reply.text, reply.reasoning) == ("A: Option J", "It copies.")


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "gzip, gzip"])
def test_a_compressed_reply_is_not_inflated(encoding):
    """512 MiB in half a megabyte; no compression was asked for."""
    bomb = zlib.compress(bytes(2**20), 9) * 512

    def answer(asked):
        assert asked.headers["accept-encoding"] == "identity"
        return local.Reply(bomb, headers={"content-encoding": encoding})

    error = fault_of(local, answer)
    assert isinstance(error, MalformedError)
    assert "compressed" in str(error)


def test_a_reply_longer_than_any_budget_is_cut():
    reply = reply_of(lambda asked: local.Reply({"choices": [{"message": {"content": "x" * 3_000_000}}]}))
    assert (len(reply.text), reply.finish) == (LONGEST, "length")


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"null", b"[]", b"{", b"\xff", b"{}x", b"[" * 9999, b'{"x":' * 9999, b'{"choices":[]}'),
        *(b'{"choices":[{}]}', b'{"choices":[{"message":{"content":1}}]}', b'{"choices":{"message":1}}'),
        b"<html>Welcome</html>",
    ],
)
def test_malformed_replies_may_be_well_formed_the_next_time(body):
    error = fault_of(local, lambda asked: local.Reply(body))
    assert isinstance(error, TransientError)
    assert "malformed reply" in str(error)


@pytest.mark.parametrize(
    ("error", "kind", "status"),
    [
        ({"message": "slow down", "code": 429}, TransientError, 429),
        ({"message": "no such model", "code": 404}, RefusedError, 404),
        ({"message": "upstream", "code": "x"}, TransientError, 500),
        ("upstream", TransientError, 500),
    ],
)
def test_an_error_sent_as_a_success_is_an_error(error, kind, status):
    found = fault_of(local, lambda asked: local.Reply({"error": error}))
    assert type(found) is kind
    assert f"HTTP {status}: " in str(found)


HEAD = b"HTTP/1.1 200 OK\r\n"
BODY = json.dumps(GOOD).encode()
BROKEN_OFF = {
    "nothing": b"",
    "half a head": HEAD,
    "half of a chunk": HEAD + b'transfer-encoding: chunked\r\n\r\n5\r\n{"cho',
    "half of a body": HEAD + b"content-length: 9999\r\n\r\n" + BODY,
}
NO_HTTP = {
    "garbage": b"\x00\xff garbage\r\n\r\n",
    "another protocol": b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "another version": b"HTTP/9.9 200 OK\r\n\r\n",
    "a length that is no number": HEAD + b"content-length: x\r\n\r\n",
    "two lengths": HEAD + b"content-length: 5\r\ncontent-length: %d\r\n\r\n" % len(BODY) + BODY,
    "another protocol that nobody asked for": b"HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
    "a chunk without a length": HEAD + b"transfer-encoding: chunked\r\n\r\nx\r\n",
    "an unknown coding": HEAD + b"transfer-encoding: br\r\n\r\n" + BODY,
    "a head without end": HEAD + b"a: b\r\n" * 20_000,
    "a compressed body": HEAD + b"content-encoding: deflate\r\n\r\n" + BODY,
}


async def fault_of_bytes(reply, retrying=False):
    """What a call to a server that sends these bytes and ends raises, and how often it was asked."""
    asked = 0

    async def answer(reader, writer):
        nonlocal asked
        asked += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        writer.close()

    async def sleep(seconds):
        pass

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    model = open_model(f"openai:toy@http://127.0.0.1:{port}/v1?context=9&timeout=5")
    try:
        with pytest.raises(ProviderError) as raised:
            await (Retrying(model, sleep=sleep) if retrying else model).generate(
                [Message("user", "Hello")], Decoding()
            )
    finally:
        await model.close()
        server.close()
        await server.wait_closed()
    return raised.value, asked


@pytest.mark.parametrize("name", BROKEN_OFF)
def test_a_reply_that_is_broken_off_is_a_fault_of_the_connection(name):
    error, _ = asyncio.run(fault_of_bytes(BROKEN_OFF[name]))
    assert type(error) is TransientError


@pytest.mark.parametrize("name", NO_HTTP)
def test_a_reply_that_is_no_http_is_malformed_and_given_up_after_five(name):
    error, asked = asyncio.run(fault_of_bytes(NO_HTTP[name], retrying=True))
    assert "a malformed reply" in str(error)
    assert str(error).isprintable()
    assert asked == SHAPELESS


def test_a_server_that_is_not_there_may_come_back():
    with local.serving() as server:
        url = server.url

    async def call():
        model = open_model(f"openai:toy@{url}?context=9")
        try:
            await model.generate([Message("user", "Hello")], Decoding())
        finally:
            await model.close()

    with pytest.raises(TransientError, match="onnect"):
        asyncio.run(call())


def date(seconds):
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@for_each(
    ("headers", "least", "most"),
    [
        ({"retry-after": "0"}, 0, 0),
        ({"retry-after": "7"}, 7, 7),
        ({"retry-after": "-7"}, 0, 0),
        ({"retry-after-ms": "250"}, 0.25, 0.25),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "1"}, 1, 1),
        ({"retry-after": date(7200)}, 3600, 7200),
        ({"retry-after": date(-100)}, 0, 0),
        ({"retry-after": date(7200).replace("GMT", "-0000")}, 3600, 7200),
    ],
)
def test_how_long_to_wait_is_read_in_each_form(headers, least, most):
    assert least <= wanted_wait(headers) <= most


@for_each("text", ["", "soon", "nan", "inf", "1e999", "Mon, 99 Foo 2020 00:00:00 GMT", "1,5"])
def test_what_says_nothing_about_waiting_is_passed_over(text):
    assert wanted_wait({"retry-after": text}) is None
    assert wanted_wait({"retry-after-ms": text}) is None
    assert wanted_wait({}) is None


@given(st.text())
def test_any_text_about_waiting_is_read_or_passed_over(text):
    wait = wanted_wait({"retry-after": text, "retry-after-ms": text})
    assert wait is None or wait >= 0


def read(status, headers, body):
    """The completion in a response, checked, or the fault that it is."""
    try:
        found = completion(SERVER.read(status, headers, body, ChatReply))
    except ProviderError as error:
        found = error
    if isinstance(found, ProviderError):
        assert str(found).isprintable()
        assert len(str(found)) < 400
    else:
        assert isinstance(found, Completion)
        assert encode(found)
    return found


STATUSES = st.sampled_from([200, 200, 200, 204, 307, 400, 401, 404, 429, 500, 501]) | st.integers(100, 999)
HEADERS = st.dictionaries(st.sampled_from(["retry-after", "location", "retry-after-ms"]), st.text())


@given(STATUSES, HEADERS, st.binary() | VALUES.map(json.dumps).map(str.encode))
def test_any_response_is_a_reply_or_a_fault(status, headers, body):
    read(status, headers, body)
    for form in (TextReply, ModelsReply):
        try:
            SERVER.read(status, headers, body, form)
        except ProviderError:
            continue


def places(value, path=()):
    """The paths to every part of a JSON value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(copy[path[0]], path[1:], new)
    return copy


@given(st.sampled_from(list(places(GOOD))), VALUES)
def test_a_good_reply_with_any_part_exchanged_is_a_reply_or_a_fault(path, new):
    read(200, {}, json.dumps(replaced(GOOD, path, new)).encode())


@given(st.integers(0, len(json.dumps(GOOD)) - 1))
def test_no_part_of_a_reply_is_taken_for_the_whole(end):
    assert isinstance(read(200, {}, json.dumps(GOOD).encode()[:end]), TransientError)


def test_the_good_reply_is_good():
    assert read(200, {}, json.dumps(GOOD).encode()).text == "A: Option J"


def test_certificates_are_read_once_for_each_place_that_the_environment_names(monkeypatch):
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    usual = http.trusted_certificates()
    assert http.trusted_certificates() is usual
    assert (usual.verify_mode, usual.check_hostname) == (ssl.CERT_REQUIRED, True)
    monkeypatch.setenv("SSL_CERT_FILE", certifi.where())
    assert http.trusted_certificates() is not usual
    monkeypatch.setenv("SSL_CERT_FILE", "no/such.pem")
    with pytest.raises(StudyError, match=r"such\.pem: certificates cannot be read here \(No such file"):
        http.trusted_certificates()
