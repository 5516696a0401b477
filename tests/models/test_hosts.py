"""Which servers may be asked: those that the user named, whatever a study says."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import StudyError
from otherminds.models.hosts import (
    SERVICES,
    Grant,
    Hosts,
    address,
    allowed_hosts,
    base_url,
    config_file,
    destinations,
    grant,
    options,
    origin,
)
from otherminds.models.registry import check_model, open_model, open_servers
from tests.cases import for_each
from tests.models import serving

OWN = {kind: (service.url, service.key) for kind, service in SERVICES.items()}
NONE = Hosts()


def permitted(kind: str, url: str, key: str, hosts: Hosts = NONE) -> bool:
    try:
        hosts.check(kind, url, key)
    except StudyError:
        return False
    return True


def disguised(host: str) -> list[str]:
    """Base URLs that look like those of ``host``, or that some reader takes for them."""
    first, rest = host[0], host[1:]
    return [
        *(
            f"https://{name}/v1"
            for name in (f"{host}.evil.org", f"evil-{host}", f"evil.org.{host}", f"www.{host}")
        ),
        *(f"https://{host}{mark}evil.org/v1" for mark in "@\\/%#?;,&:\t"),
        *(f"https://evil.org{mark}{host}/v1" for mark in "@\\#?;,&:\t"),
        *(
            f"https://{host}{end}/v1"
            for end in (".", "..", ":443.evil.org", ":8443", "%2eevil.org", "%00.evil.org")
        ),
        f"https://{host}:443@evil.org/v1",
        f"https://me:pass@{host}/v1",
        f"https:/\\evil.org/{host}",
        f"https:////evil.org/{host}",
        f"https://evil.org/../{host}/v1",
        f"https://evil.org/{host}/v1",
        f"//{host}/v1",
        f"http://{host}/v1",
        f"https://{host}/../../v1",
        f"https://{host}/%2e%2e/v1",
        f"https://{first}\u0430{rest}/v1",
        f"https://{host.replace('.', '。')}/v1",
        f"https://{host.replace('.', '%2e')}/v1",
        f"https://xn--{host}/v1",
        f"https://{host.replace('o', '0')}/v1",
    ]


@pytest.mark.parametrize("kind", OWN)
def test_nothing_that_looks_like_a_services_host_is_sent_its_key(kind: str) -> None:
    url, key = OWN[kind]
    assert permitted(kind, url, key)
    assert permitted(kind, url.upper().replace("/V1BETA", "/v1beta"), key), "names have no case"
    host = origin(url).host
    for looks_like in disguised(host):
        urls = address(f"m@{looks_like}", kind).urls
        if all(permitted(kind, one, key) for one in urls):
            assert {origin(one) for one in urls} == {origin(url)}, looks_like


VARIABLES = ["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "HOME", "PATH", "openai_api_key", "OPENAI_API_KEY_2"]


@given(
    st.sampled_from([*OWN]),
    st.sampled_from([*VARIABLES, *(key for _, key in OWN.values())]),
    st.sampled_from(
        [
            *(url for url, _ in OWN.values()),
            "http://127.0.0.1:8000/v1",
            "http://[::1]:9/v1",
            "https://evil.org",
        ]
    ),
)
def test_a_variable_goes_to_its_own_service_or_to_this_machine(kind: str, key: str, url: str) -> None:
    here = "127.0.0.1" in url or "::1" in url
    theirs = (url, key) in OWN.values() or (here and key == OWN[kind][1])
    assert permitted(kind, url, key) is theirs
    naming = Hosts((grant(f"{origin(url).host}={key}"),))
    assert permitted(kind, url, key, naming), "the user may allow any"


def test_a_host_that_is_allowed_gets_the_usual_key_and_no_other() -> None:
    hosts = Hosts((grant("gateway.example"), grant("other.example:8443=GATEWAY_KEY")))
    for kind, (_, usual) in OWN.items():
        for key in (usual, "GATEWAY_KEY", "AWS_SECRET_ACCESS_KEY"):
            assert permitted(kind, "https://gateway.example/v1", key, hosts) is (key == usual)
            assert permitted(kind, "https://gateway.example:1234/v1", key, hosts) is (key == usual)
            assert permitted(kind, "https://other.example:8443/v1", key, hosts) is (key == "GATEWAY_KEY")
            assert not permitted(kind, "https://other.example/v1", key, hosts), "another port"
            assert not permitted(kind, "https://a.gateway.example/v1", key, hosts), "a host, not its domain"


HERE = ["127.0.0.1", "127.8.9.10", "[::1]", "[0:0:0:0:0:0:0:1]"]
ELSEWHERE = [
    *(
        "0.0.0.0",
        "[::]",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.0.0.1.nip.io",
        "localhost.evil.org",
    ),
    *("10.0.0.5", "192.168.1.2", "169.254.169.254", "[fe80::1]", "[fd00::1]", "[::2]", "gpu1", "my_vllm"),
    *("foo.localhost", "localhost.localdomain", "127.0.0.1.", "localhost."),
]


@for_each("host", HERE)
def test_this_machine_may_be_asked_without_encryption(host: str) -> None:
    assert permitted("openai", f"http://{host}:8000/v1", "OPENAI_API_KEY")


@for_each("host", ELSEWHERE)
def test_what_is_not_the_loopback_interface_by_its_name_is_not_this_machine(host: str) -> None:
    for scheme in ("http", "https"):
        assert not permitted("openai", f"{scheme}://{host}:8000/v1", "OPENAI_API_KEY")


@for_each(
    ("found", "local"),
    [
        (["127.0.0.1"], True),
        (["127.0.0.1", "::1"], True),
        (["10.0.0.5"], False),
        (["127.0.0.1", "203.0.113.5"], False),
        ([], True),
    ],
)
def test_localhost_is_this_machine_if_it_leads_nowhere_else(found: list[str], local: bool) -> None:
    def lookup(*_: Any, **__: Any) -> list[tuple[Any, ...]]:
        if not found:
            raise socket.gaierror("no such name")
        return [(0, 0, 0, "", (one, 0)) for one in found]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", lookup)
        assert permitted("openai", "http://localhost:8000/v1", "OPENAI_API_KEY") is (local and bool(found))


@for_each("host", [one for one in ELSEWHERE if not one.endswith(".")])
def test_without_encryption_needs_a_word_of_its_own(host: str) -> None:
    spec = f"openai:m@http://{host}:8000/v1"
    for hosts in (NONE.naming(spec), Hosts((grant(host),)), Hosts((grant(f"https://{host}"),))):
        with pytest.raises(StudyError, match="is not encrypted"):
            check_model(spec, hosts)
        assert check_model(spec.replace("http:", "https:"), hosts.naming(spec.replace("http:", "https:")))
    assert check_model(spec, Hosts((grant(f"http://{host}"),)))
    with pytest.raises(StudyError, match="is not encrypted"):
        open_model(spec)


def test_a_name_on_the_command_line_allows_its_own_host_and_key() -> None:
    hosts = NONE.naming(
        "openai:m@https://a.example:8443/v1,https://b.example/v1?key=MY_KEY", "smollm2", "openai:x@:"
    )
    assert permitted("openai", "https://a.example:8443/other", "MY_KEY", hosts)
    assert permitted("gemini", "https://b.example/v1", "MY_KEY", hosts)
    assert not permitted("openai", "https://a.example/v1", "MY_KEY", hosts), "another port"
    assert not permitted("openai", "https://a.example:8443/v1", "OPENAI_API_KEY", hosts)


def test_each_server_of_a_model_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    spec = "openai:m@https://api.openai.com/v1,https://evil.example/v1?context=9"
    for opening in (check_model, open_servers, open_model):
        with pytest.raises(
            StudyError, match=r"may not be asked at https://evil\.example.*--allow-host evil\.example"
        ):
            opening(spec, NONE)


def test_the_variable_is_not_looked_up_before_it_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    for value in ("", "sk-canary-1"):
        monkeypatch.setenv("SOME_SECRET", value)
        with pytest.raises(StudyError) as caught:
            open_model("openai:m@https://api.openai.com/v1?key=SOME_SECRET&context=9", NONE)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    assert "--allow-host api.openai.com=SOME_SECRET" in texts[0]


@for_each("url", ["https://gateway.example/v1", "https://gateway.example:8443/v1", "http://10.0.0.5:8000/v1"])
def test_what_the_error_says_to_add_is_enough(url: str) -> None:
    for spec in (f"openai:m@{url}", f"openai:m@{url}?key=SOME_SECRET", f"gemini:m@{url}"):
        kind, _, rest = spec.partition(":")
        key, given = options(address(rest, kind).options, kind).key, list[str]()
        for _ in range(3):
            try:
                allowed_hosts(given).check(kind, url, key)
            except StudyError as error:
                given.append(str(error).partition("--allow-host ")[2].partition(",")[0])
        assert permitted(kind, url, key, allowed_hosts(given)), given


@for_each(
    "text",
    [
        *(
            "",
            "*",
            "*.example",
            "a b",
            "a/b",
            "https://a/v1",
            "me@a",
            "a.",
            ".a",
            "a..b",
            "a:0",
            "a:99999",
            "a:x",
            "ftp://a",
        ),
        *("a=", "a=b c", "a=sk-4711", "=KEY", "ä.example", "a\n", "http://", "[::1", "a=KEY=KEY"),
    ],
)
def test_what_names_no_host_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(StudyError, match="names no host; write HOST") as caught:
        grant(text)
    assert "\n" not in str(caught.value)
    assert "4711" not in str(caught.value), "it may be the key itself"


@for_each(
    ("text", "meant"),
    [
        ("a", Grant("a")),
        ("A.Example", Grant("a.example")),
        ("https://a:1/", Grant("a", 1)),
        ("http://a=K", Grant("a", plain=True, key="K")),
        ("[0::1]:5=K_2", Grant("[::1]", 5, key="K_2")),
    ],
)
def test_a_grant_is_read(text: str, meant: Grant) -> None:
    assert grant(text) == meant


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("otherminds.models.hosts.config_file", lambda: tmp_path / "config.toml")
    return tmp_path / "config.toml"


def test_the_users_file_allows_hosts(config: Path) -> None:
    assert allowed_hosts() == NONE
    config.write_text('allow_hosts = ["gateway.example", "http://gpu1"]')
    assert allowed_hosts(["b"]) == Hosts((Grant("gateway.example"), Grant("gpu1", plain=True), Grant("b")))
    assert open_model("openai:m@http://gpu1/v1?context=9").spec == "openai:m"


@for_each(
    "text",
    ["allow_hosts = 'a'", "allow_hosts = [1]", "allow_host = ['a']", "allow_hosts = ['*']", "[", "x = 1"],
)
def test_a_wrong_file_is_refused_and_never_passed_over(text: str, config: Path) -> None:
    config.write_text(text)
    with pytest.raises(StudyError):
        allowed_hosts()


def test_the_file_is_in_the_users_folder_and_not_in_the_present_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("config.toml", "otherminds.toml", ".otherminds.toml", ".env"):
        (tmp_path / name).write_text('allow_hosts = ["evil.example"]')
    assert tmp_path not in config_file().parents
    assert not permitted("openai", "https://evil.example/v1", "OPENAI_API_KEY", allowed_hosts())


def test_where_a_model_is_asked_is_said_without_the_key_and_without_tokens_of_paths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-canary-4711")
    spec = "openai:m@https://gateway.example/token-4711/v1,http://127.0.0.1:8000/v1?key=MY_KEY"
    assert destinations(spec) == [
        "openai:m is asked at https://gateway.example, with the key in MY_KEY",
        "openai:m is asked at http://127.0.0.1:8000, with the key in MY_KEY",
    ]
    monkeypatch.delenv("MY_KEY")
    assert destinations(spec)[0].endswith("without a key (MY_KEY is not set)")
    assert destinations("smollm2") == []


def test_this_machine_is_asked_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would be sent the request with its key, and would look for the server on its own machine."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-4711")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with serving.serving() as proxy, serving.serving() as local:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
            monkeypatch.setenv(name.upper(), proxy.url.removesuffix("/v1"))
        model: Any = open_model(f"openai:toy@{local.url}")
        from otherminds.core.data import Message
        from otherminds.core.model import Decoding

        serving.closing(model, lambda: model.generate([Message("user", "A?")], Decoding()))
    assert {one.method for one in local.asked or ()} == {"GET", "POST"}
    assert not proxy.asked


@given(st.text(max_size=40), st.sampled_from(["https://", "http://", ""]))
def test_every_reader_of_a_base_url_finds_the_same_host(text: str, scheme: str) -> None:
    try:
        url = base_url(f"{scheme}{text}")
    except StudyError:
        return
    assert httpx.URL(url).host == origin(url).host.strip("[]")
