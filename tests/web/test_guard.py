"""Attacks on the pages of people: none changes anything, and none is answered with more than a refusal."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from otherminds.api.sessions import Turn
from otherminds.core.data import Message
from otherminds.web.guard import BURST, LARGEST_BODY, Guard
from otherminds.web.people import Desk
from otherminds.web.seats import make_app
from tests.cases import for_each
from tests.web.seats import make_chair

ORIGIN = "http://127.0.0.1:8000"
SECRET = "Jt8_secret-of-ann"
PAGE = f"/s/{SECRET}"
GOOD = {"origin": ORIGIN, "content-type": "application/x-www-form-urlencoded"}
TURN = Turn(
    "ego",
    0,
    "act",
    0,
    (Message("user", "<b>Choose</b> now.\nWrite one of these:\nA: 1\nA: 2"),),
    ("A: 1", "A: 2"),
)


class Server:
    """The app with one open turn of Ann, asked without a network."""

    def __init__(self) -> None:
        self.desk = Desk({label: make_chair(label) for label in ("ann", "ben")})
        self.reply = self.desk.chairs["ann"].ask(TURN)
        self.app = Guard(
            make_app(self.desk, {"ann": SECRET, "ben": "other-secret"}, "a study"),
            [ORIGIN],
            lambda path: path == PAGE,
        )

    def send(self, method: str, path: str, **request: Any) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client:
                return await client.request(method, path, **request)

        return asyncio.run(send())


ATTACKS: list[tuple[str, str, dict[str, Any]]] = [
    # of another site, or under another name
    *[
        ("POST", PAGE, {"headers": GOOD | {"origin": origin}, "content": "turn=1&reply=A: 1"})
        for origin in (
            "https://evil.example",
            "null",
            "",
            "http://127.0.0.1:8001",
            f"{ORIGIN}.evil.example",
            "http://127.0.0.1",
        )
    ],
    ("POST", PAGE, {"content": "turn=1&reply=A: 1"}),
    *[
        ("GET", PAGE, {"headers": {"host": host}})
        for host in ("evil.example", "127.0.0.1:9999", "127.0.0.1:8000.evil.example", "localhost@evil", "")
    ],
    # other methods
    *[
        (method, PAGE, {"headers": GOOD})
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "MOVE")
    ],
    # guessed, cut, longer and strange secrets
    *[
        (
            method,
            f"/s/{secret}",
            {"headers": GOOD, "content": "turn=1&reply=A: 1"} if method == "POST" else {},
        )
        for secret in (
            "",
            "x",
            SECRET[:-1],
            SECRET + "x",
            SECRET.upper(),
            "%00",
            "..",
            "ann",
            "{secret}",
            "'%20or%201=1",
            "*",
            "a" * 5000,
        )
        for method in ("GET", "POST")
    ],
    # files
    *[
        ("GET", path, {})
        for path in (
            "/static/../people.py",
            "/static/%2e%2e/people.py",
            "/static/..%2fpeople.py",
            "/static//etc/passwd",
            "/static/%2fetc%2fpasswd",
            "/static/",
            "/people.json",
            "/",
            "/s/",
            f"{PAGE}/../../people.json",
        )
    ],
    # forms that are none, or that say too much
    *[
        ("POST", PAGE, {"headers": GOOD, "content": content})
        for content in (
            "",
            "turn=1",
            "reply=A: 1",
            "turn=2&reply=A: 1",
            "turn=0&reply=A: 1",
            "turn=-1&reply=A: 1",
            "turn=1.0&reply=A: 1",
            "turn=1e0&reply=A: 1",
            "turn=%C2%B9&reply=A: 1",
            "turn=" + "9" * 5000 + "&reply=A: 1",
            "turn=1&" * 200 + "reply=A: 1",
            b"\xff\xfe\x00",
            b"turn=1&reply=\xff",
            '{"turn": 1, "reply": "A: 1"}',
        )
    ],
    ("POST", PAGE, {"headers": GOOD, "content": b"turn=1&reply=" + b"x" * LARGEST_BODY}),
    (
        "POST",
        PAGE,
        {"headers": GOOD | {"content-type": "multipart/form-data; boundary=x"}, "content": b"--x\r\n" * 900},
    ),
]


def test_no_attack_changes_anything() -> None:
    assert len(ATTACKS) >= 40
    server = Server()
    for method, path, request in ATTACKS:
        answer = server.send(method, path, **request)
        assert answer.status_code in (303, *range(400, 430)), (method, path[:60])
        assert not server.reply.done(), (method, path[:60], request)
        assert b"Choose" not in answer.content
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert server.send("POST", PAGE, headers=GOOD, content="turn=1&reply=A%3A+2").status_code == 303
    assert server.reply.result(0) == "A: 2"


def test_what_models_and_people_write_is_text_on_a_page() -> None:
    page = Server().send("GET", PAGE)
    assert page.status_code == 200
    assert "&lt;b&gt;Choose&lt;/b&gt; now" in page.text
    assert "<b>" not in page.text


@for_each(
    "name", ["x-content-type-options", "referrer-policy", "cache-control", "cross-origin-opener-policy"]
)
def test_every_page_tells_browsers_to_be_careful(name: str) -> None:
    server = Server()
    for path in (PAGE, "/nowhere", "/static/style.css"):
        assert name in server.send("GET", path).headers


def test_a_flood_is_refused_and_people_with_a_link_are_still_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also from the same address, which people behind a proxy share."""
    monkeypatch.setattr("otherminds.web.guard.RATE", 0.0)
    server = Server()
    statuses = [server.send("GET", f"/s/guess-{n}").status_code for n in range(BURST + 20)]
    assert statuses == [404] * BURST + [429] * 20
    assert server.send("GET", PAGE).status_code == 200


def test_a_client_that_sends_its_body_slowly_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otherminds.web.guard.PATIENCE", 0.05)
    server = Server()
    sent: list[dict[str, Any]] = []

    async def attack() -> None:
        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0.02)
            return {"type": "http.request", "body": b"t", "more_body": True}

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"host", b"127.0.0.1:8000"), (b"origin", ORIGIN.encode())]
        scope = {
            "type": "http",
            "method": "POST",
            "path": PAGE,
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "query_string": b"",
        }
        await server.app(scope, receive, send)

    asyncio.run(attack())
    assert sent[0]["status"] == 413
    assert not server.reply.done()
