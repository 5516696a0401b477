"""Where a model is served: read from a spec string, and refused in one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import StudyError
from otherminds.models.hosts import OPENAI, Address, Options, address, base_url, options
from otherminds.models.registry import identity, open_model, open_servers
from tests.cases import for_each

A, B = "http://127.0.0.1:8000/v1", "https://b.example/api/v1"


@for_each(
    ("rest", "found"),
    [
        ("gpt-4o", Address("gpt-4o", (OPENAI,))),
        ("gpt-4o?timeout=5", Address("gpt-4o", (OPENAI,), "timeout=5")),
        (f"meta/llama-3:8b@{A}", Address("meta/llama-3:8b", (A,))),
        (f"a@b@{A},{B}?context=9&key=K", Address("a@b", (A, B), "context=9&key=K")),
    ],
)
def test_a_spec_is_split_at_its_last_at_sign(rest, found):
    assert address(rest) == found


@given(
    st.text("ab:/@.-", min_size=1),
    st.lists(st.sampled_from([A, B]), min_size=1, max_size=3),
    st.sampled_from(["", "context=5"]),
)
def test_each_server_of_a_spec_is_a_spec_of_its_own(model, urls, chosen):
    whole = Address(model, tuple(urls), chosen)
    for spec, url in zip(whole.each(), urls, strict=True):
        assert address(spec.removeprefix("openai:")) == Address(model, (url,), chosen)
        assert identity(spec) == f"openai:{model}"


def test_options_have_defaults_and_are_read():
    assert options("") == Options(None, 16, 120.0, "OPENAI_API_KEY")
    read = options("context=4096&concurrency=2&timeout=0.5&key=MY_KEY")
    assert read == Options(4096, 2, 0.5, "MY_KEY")


@for_each(
    ("text", "why"),
    [
        ("temperature=1", "no option 'temperature'; it takes context, concurrency, timeout, key"),
        ("context", "'context' of an openai: model is a whole number above 0, not ''"),
        ("context=0", "a whole number above 0, not '0'"),
        ("context=1e3", "a whole number above 0, not '1e3'"),
        ("concurrency=-2", "a whole number above 0, not '-2'"),
        ("timeout=nan", "a number of seconds above 0, not 'nan'"),
        ("timeout=inf", "a number of seconds above 0, not 'inf'"),
        ("timeout=soon", "a number of seconds above 0, not 'soon'"),
        ("timeout=1&timeout=2", "'timeout' twice"),
    ],
)
def test_a_wrong_option_is_named(text, why):
    with pytest.raises(StudyError, match=why):
        options(text)


def test_a_key_in_a_spec_is_refused_and_not_repeated():
    with pytest.raises(StudyError, match="name of an environment variable") as caught:
        options("key=sk-hush-4711")
    assert "hush" not in str(caught.value)
    with pytest.raises(StudyError, match="into an environment variable") as caught:
        open_model("openai:toy@http://me:hush@127.0.0.1:8000/v1")
    assert "hush" not in str(caught.value)


@for_each("url", [A, f"{A}/", f"{A}//"])
def test_a_base_url_has_no_slash_at_its_end(url):
    assert base_url(url) == A


@for_each(
    "url",
    [
        *(
            "",
            "127.0.0.1:8000/v1",
            "ftp://a/v1",
            "http://",
            "http:///v1",
            "http://a:b/v1",
            "http://a:99999/v1",
        ),
        *("http://a b/v1", "http://a/v1#x", "http://a/\nv1", "http://[::1/v1", "http://ä.example/v1"),
    ],
)
def test_what_is_no_base_url_is_refused_in_one_line(url):
    with pytest.raises(StudyError, match=r"write openai:MODEL@URL with one such as http://127") as caught:
        base_url(url)
    assert "\n" not in str(caught.value)


@for_each("spec", ["openai:", f"openai:@{A}", "openai:?timeout=3", f"openai:a\nb@{A}"])
def test_a_spec_without_a_model_is_refused(spec):
    with pytest.raises(StudyError, match="names no model; write openai:MODEL@URL") as caught:
        open_model(spec)
    assert "\n" not in str(caught.value)


def test_servers_of_one_model_are_opened_one_by_one():
    spec = f"openai:m@{A},{B}?context=9&concurrency=3"
    assert [one.spec for one in open_servers(spec)] == ["openai:m", "openai:m"], "a name has no address"
    assert [one.inner._server.base for one in open_servers(spec)] == [A, B]
    assert {(one.context, one.concurrency) for one in open_servers(spec)} == {(9, 3)}
    assert open_model(spec).spec == identity(spec)
    assert [one.spec for one in open_servers("scripted:first")] == ["scripted:first"]


@for_each("spec", ["smollm2", "scripted:first", "gguf:a@b?c", "inspect:openai/gpt@x"])
def test_only_servers_are_left_out_of_a_name(spec):
    assert identity(spec) == spec


def test_a_name_lacks_address_and_options():
    assert identity(f"openai:m:8@{A},{B}?timeout=3") == identity("openai:m:8?timeout=9") == "openai:m:8"
