"""One link for everybody: a seat for each participant, the same one again, and none for who only knows a label."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from otherminds.web.guard import BURST, Guard
from otherminds.web.people import Chair, Desk
from otherminds.web.protocol import Protocol
from otherminds.web.seats import make_app
from otherminds.web.stays import Journal, Stay
from tests.cases import for_each
from tests.web.test_host import Participant, first, served

ORIGIN = "http://127.0.0.1:8000"
PROTOCOL = Protocol.model_validate(
    {"no_consent": True, "join": {"parameter": "PID", "pattern": "[a-z0-9-]+", "full_code": "FULL-9"}}
)
LINKS = {label: f"secret-of-{label}" for label in ("p1", "p2", "p3")}


class Server:
    """The app with three seats, as a server that has just started makes it; a browser is a jar of cookies."""

    def __init__(self, folder: Path) -> None:
        journal = Journal(folder)
        events = journal.read_events()
        self.chairs = {
            label: Chair(label, PROTOCOL, Stay(PROTOCOL, label, journal, events.get(label, [])))
            for label in LINKS
        }
        self.app = Guard(make_app(Desk(self.chairs), LINKS, "a study", PROTOCOL.join), [ORIGIN])

    def send(
        self, method: str, query: str, cookies: httpx.Cookies | None = None, **headers: str
    ) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, cookies=cookies) as client:
                given = {"origin": ORIGIN, **headers} if method == "POST" else headers
                return await client.request(method, f"/join{query}", headers=given)

        return asyncio.run(send())

    def join(self, label: str, cookies: httpx.Cookies | None = None) -> httpx.Response:
        return self.send("POST", f"?PID={label}", cookies)

    @property
    def seats(self) -> dict[str, str]:
        return {
            label: chair.stay.participant for label, chair in self.chairs.items() if chair.stay.participant
        }


def test_each_participant_gets_a_free_seat_and_who_comes_when_none_is_free_a_code(tmp_path: Path) -> None:
    server = Server(tmp_path)
    places = [server.join(label).headers["location"] for label in ("x1", "x2", "x3")]
    assert places == [f"/s/{secret}" for secret in LINKS.values()]
    full = server.join("x4")
    assert full.status_code == 409
    assert "FULL-9" in full.text
    assert server.seats == {"p1": "x1", "p2": "x2", "p3": "x3"}
    assert Server(tmp_path).seats == server.seats


def test_a_look_at_the_link_takes_no_seat(tmp_path: Path) -> None:
    server = Server(tmp_path)
    for method in ("GET", "HEAD"):
        assert server.send(method, "?PID=x1").status_code == 200
    assert not server.seats
    assert not (tmp_path / "people.jsonl").exists()


def test_the_same_browser_comes_back_to_its_seat_also_after_a_restart(tmp_path: Path) -> None:
    joined = Server(tmp_path).join("x1")
    for method in ("GET", "POST"):
        again = Server(tmp_path).send(method, "?PID=x1", joined.cookies)
        assert again.headers["location"] == joined.headers["location"]
    assert len((tmp_path / "people.jsonl").read_text("utf-8").splitlines()) == 1


def test_a_label_alone_opens_no_seat_that_is_taken(tmp_path: Path) -> None:
    server = Server(tmp_path)
    joined, other = server.join("x1"), server.join("x2")
    secret = joined.headers["location"].removeprefix("/s/")
    (name,) = joined.cookies.keys()
    forged = [
        httpx.Cookies({name: value})
        for value in ("", "x", secret[:-1], secret.upper(), LINKS["p2"], "x" * 3_000)
    ]
    for cookies in (None, other.cookies, httpx.Cookies({"seat": secret}), *forged):
        for method in ("GET", "POST"):
            answer = server.send(method, "?PID=x1", cookies)
            assert answer.status_code == 403
            assert secret not in answer.text + str(answer.headers)
    assert server.seats == {"p1": "x1", "p2": "x2"}


HOSTILE = [
    "",
    "?",
    "?PID=",
    "?PID=" + "x" * 65,
    "?PID=" + "x" * 5_000,
    "?PID=%00",
    "?PID=a%0Ab",
    "?PID=a%1B[2J",
    "?PID=%E2%80%AEx",
    "?PID=<script>alert(1)</script>",
    "?PID=%3Cb%3E",
    "?PID=../p1",
    "?PID=a%20b",
    "?PID=a&PID=b",
    "?pid=a",
    "?PID[]=a",
    "?PID=%FF",
    "?PID='%20or%201=1",
    "?PID=UPPER",
    "?PID=.x",
    "?" + "&".join(f"PID=x{n}" for n in range(500)),
]


@for_each("query", HOSTILE)
def test_a_hostile_label_is_refused_and_shown_nowhere(query: str, tmp_path: Path) -> None:
    server = Server(tmp_path)
    for method in ("GET", "POST"):
        answer = server.send(method, query)
        assert answer.status_code == 400
        assert "no proper PID" in answer.text
        assert "script>" not in answer.text
        assert "UPPER" not in answer.text
    assert not server.seats


def test_another_site_cannot_make_a_browser_join(tmp_path: Path) -> None:
    server = Server(tmp_path)
    for origin in ("https://evil.example", "null", ""):
        assert server.send("POST", "?PID=x1", origin=origin).status_code == 403
    assert not server.seats


def test_a_flood_of_labels_takes_free_seats_at_most_and_disturbs_no_taken_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("otherminds.web.guard.RATE", 0.0)
    server = Server(tmp_path)
    joined = server.join("x0")
    statuses = [server.join(f"flood-{n}").status_code for n in range(BURST + 20)]
    assert statuses.count(303) == len(LINKS) - 1
    assert statuses.count(429) >= 1
    assert server.seats["p1"] == "x0"
    assert Server(tmp_path).send("GET", "?PID=x0", joined.cookies).status_code == 303


def test_a_seat_that_somebody_has_opened_by_its_own_link_is_given_to_nobody(tmp_path: Path) -> None:
    Journal(tmp_path).add("p1", "consent", {"button": "I agree", "sha256": ""})
    assert Server(tmp_path).join("x1").headers["location"] == f"/s/{LINKS['p2']}"


def read_cookie_attributes(cookie: str) -> set[str]:
    return {part.strip().partition("=")[0].lower() for part in cookie.split(";")}


def test_the_cookie_is_for_the_link_alone_and_no_script_reads_it(tmp_path: Path) -> None:
    cookie = Server(tmp_path).join("x1").headers["set-cookie"]
    assert {"httponly", "samesite", "path", "max-age"} <= read_cookie_attributes(cookie)
    assert "Path=/join" in cookie


def test_a_participant_of_a_served_study_is_in_the_journal_and_the_table_but_not_in_the_record(
    tmp_path: Path,
) -> None:
    (tmp_path / "study.toml").write_text(
        'name = "open"\nepisodes = 1\nrounds = 2\n[[cells]]\nscenarios = ["rps-mixed-v1"]\n'
        'minds = [{ mind = "chat", model = "person:p1" }]\n',
        "utf-8",
    )
    (tmp_path / "protocol.toml").write_text(
        'no_consent = true\njoin = { parameter = "PROLIFIC_PID" }', "utf-8"
    )
    out = tmp_path / "run"
    words = (
        "host",
        tmp_path / "study.toml",
        "--out",
        out,
        "--port",
        "0",
        "--protocol",
        tmp_path / "protocol.toml",
    )
    with served(*words) as (process, links):
        link = links["everybody"].replace("LABEL", "5f0c1a2b")
        assert "Begin" in httpx.get(link, timeout=30).text
        base = link.rpartition("/join")[0]
        place = httpx.post(link, headers={"origin": base}, timeout=30).headers["location"]
        assert "Thank you" in Participant(f"{base}{place}", first).play()
        process.wait(60)
    assert json.loads((out / "people.jsonl").read_text("utf-8").splitlines()[0])["detail"] == {
        "participant": "5f0c1a2b"
    }
    assert b"5f0c1a2b" not in (out / "records" / "00000.jsonl").read_bytes()
