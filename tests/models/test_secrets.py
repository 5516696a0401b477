"""A key that a server repeats is masked, whatever way it is written."""

from __future__ import annotations

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from html import escape
from time import process_time
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Message
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Decoding
from otherminds.models.http import MASK, Secrets, Server
from otherminds.models.registry import open_model
from tests.models import serving

KEY = "sk-ab/4711+Zz=Q9_x"
SECRETS = Secrets([KEY])
HELLO = (Message("user", "hello"),)
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "capitals": str.upper,
    "JSON, every character": lambda key: "".join(f"\\u{ord(char):04x}" for char in key),
    "JSON, twice": lambda key: json.dumps(json.dumps("".join(f"\\u{ord(char):04X}" for char in key))),
    "JSON, slashes": lambda key: key.replace("/", "\\/"),
    "Python": lambda key: "".join(f"\\x{ord(char):02x}" for char in key),
    "JavaScript": lambda key: "".join(f"\\u{{{ord(char):x}}}" for char in key),
    "a URL": lambda key: quote(key, safe=""),
    "a URL, every character": lambda key: "".join(f"%{ord(char):02X}" for char in key),
    "a URL, twice": lambda key: quote(quote(key, safe=""), safe=""),
    "HTML": escape,
    "HTML, decimal": lambda key: "".join(f"&#{ord(char)};" for char in key),
    "HTML, hexadecimal": lambda key: "".join(f"&#x00{ord(char):X}" for char in key),
    "HTML, twice": lambda key: escape("".join(f"&#{ord(char)};" for char in key)),
    "HTML, names": lambda key: key.replace("/", "&sol;").replace("+", "&plus;").replace("=", "&equals;"),
    "zero width": "\u200b".join,
    "zero width, escaped": "\\u200b".join,
    "control characters": "\x00\x1b".join,
    "lines": "\n".join,
    "hexadecimal digits": lambda key: key.encode().hex(),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_key_is_masked_in_every_form(name: str) -> None:
    text = f"no access with {FORMS[name](KEY)} here"
    for hide in (SECRETS.masked, SECRETS.masked_reply):
        hidden = hide(text)
        assert hidden.startswith("no access with ")
        assert hidden.endswith(" here")
        assert hidden.removeprefix("no access with ").removesuffix(" here").strip('"\\') == MASK


@given(st.binary(max_size=7), st.binary(max_size=7), st.booleans())
def test_in_base64_no_character_of_a_key_is_left_but_half_of_the_first_and_last(
    before: bytes, after: bytes, urls: bool
) -> None:
    encoded = (urlsafe_b64encode if urls else b64encode)(before + KEY.encode() + after).decode()
    left, _, right = Secrets([KEY]).masked(encoded).partition(MASK)
    assert len(left) <= -(-len(before) * 8 // 6) + 1
    assert len(right) <= len(encoded) - (len(before) + len(KEY)) * 8 // 6 + 1
    assert len(left) + len(right) < len(encoded) - 20


@given(st.text(), st.text(min_size=1, max_size=16).filter(str.isprintable))
def test_other_text_is_left_alone(text: str, key: str) -> None:
    hidden = Secrets([key]).masked(text)
    assert hidden == text or MASK in hidden
    assert Secrets([""]).masked(text) == Secrets([]).masked_reply(text) == text


def test_words_that_are_short_keys_stay_in_replies() -> None:
    for word in ("EMPTY", "none", "password", "token-abc", "a-gateway-without-digits"):
        assert Secrets([word]).masked(f"my {word}!") == f"my {MASK}!"
        assert Secrets([word]).masked_reply(f"my {word}!") == f"my {word}!"


@pytest.mark.parametrize("piece", ["\\", "%25", "&amp;", "s\u200b", "s", KEY[:-1], "\\u200b", "&#00"])
def test_masking_takes_linear_time(piece: str) -> None:
    secrets = Secrets([KEY])

    def seconds(many: int) -> float:
        start = process_time()
        secrets.masked(piece * many)
        return process_time() - start

    seconds(10)
    assert seconds(40_000) < 8 * seconds(10_000) + 0.05


def faults(answer: Callable[[Any], serving.Reply], path: str = "") -> list[str]:
    """The texts of all errors of a model on a server that answers so."""
    found: list[str] = []
    with serving.serving(answer) as local:
        url = local.url.replace("/v1", f"{path}/v1")
        model: Any = open_model(f"openai:toy@{url}?context=999&key=MY_KEY&timeout=5")
        for call in (lambda: model.generate(HELLO, Decoding()), lambda: model.score("A:", [" J", " F"])):
            with pytest.raises(ProviderError) as caught:
                serving.closing(model, call)
            found.append(str(caught.value))
    return found


BODIES: dict[str, Callable[[str], serving.Reply]] = {
    "an error": lambda key: serving.Reply({"error": {"message": f"wrong key: {key}"}}, 400),
    "an error, escaped": lambda key: serving.Reply(
        b'{"error": {"message": "%s"}}' % "".join(f"\\u{ord(char):04x}" for char in key).encode(), 400
    ),
    "an error far behind": lambda key: serving.Reply(b" " * 700 + key.encode() * 40, 500),
    "a page": lambda key: serving.Reply(f"<p>{escape(key)}</p>".encode(), 502),
    "an error as a success": lambda key: serving.Reply({"error": {"message": quote(key), "code": 402}}),
    "elsewhere": lambda key: serving.Reply(
        b"", 307, {"location": f"http://a.example/{key}?key={quote(key)}"}
    ),
    "a field's name": lambda key: serving.Reply({"choices": [{"message": {"tool_calls": [{key: 1}, key]}}]}),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("path", ["", "/in/sk-path-2222-3333"])
def test_no_error_of_a_server_shows_the_key_or_a_token_in_its_path(
    name: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    for text in faults(lambda asked: BODIES[name](KEY + " " + asked.path), path):
        assert text.isprintable()
        for secret in (KEY, quote(KEY), KEY[:8], "sk-path", "2222"):
            assert secret not in text


def test_a_key_in_a_reply_is_masked_before_it_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    call = {"type": "function", "function": {"name": "f", "arguments": json.dumps({"key": KEY})}}
    message = {"content": f"A: {KEY}", "reasoning_content": quote(KEY), "tool_calls": [call]}
    with serving.serving(lambda asked: serving.Reply({"choices": [{"message": message}]})) as local:
        model: Any = open_model(f"openai:toy@{local.url}?context=999&key=MY_KEY")
        reply = serving.closing(model, lambda: model.generate(HELLO, Decoding()))
    assert (reply.text, reply.reasoning, reply.tools[0].arguments) == (f"A: {MASK}", MASK, '{"key": "***"}')


@pytest.mark.parametrize(
    "spec",
    [
        "openai:m@ftp://host.example/sk-hush-4711/v1",
        "openai:m@http://host.example/sk-hush-4711/v1#sk-hush-4711",
        "openai:m@http://host.example/v1?sk-hush-4711",
        "openai:m@http://host.example/v1?token=1&sk-hush-4711=1",
        "openai:@http://host.example/sk-hush-4711/v1",
        "openai:http://host.example/sk-hush-4711/v1",
    ],
)
def test_a_secret_in_an_address_is_not_repeated(spec: str) -> None:
    with pytest.raises(StudyError) as caught:
        open_model(spec)
    assert "hush" not in str(caught.value)


def test_a_server_that_is_not_there_is_named_without_its_path() -> None:
    with pytest.raises(ProviderError, match=r"cannot reach http://127\.0\.0\.1:9/…/v1") as caught:
        open_model("openai:m@http://127.0.0.1:9/sk-hush-4711/v1")
    assert "hush" not in str(caught.value)
    assert Server("m", "http://a.example/v1", "NO_SUCH_KEY", 1.0, 1).secrets.masked("v1 api") == "v1 api"


def test_of_two_secrets_that_begin_alike_the_longer_one_is_masked_whole() -> None:
    """In whatever order they are given."""
    long, short = "abc-123-wxyz-789", "abc-123"
    for secrets in ([short, long], [long, short]):
        assert Secrets(secrets).masked(f"{long} and {short}.") == "*** and ***."
