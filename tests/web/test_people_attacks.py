"""Attacks on studies with people from inside and outside: on payment, identity, time, deletion and the record."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

import otherminds as om
from otherminds.core.errors import StudyError
from otherminds.web.deletion import delete_person
from otherminds.web.links import make_deletion_code, read_links
from otherminds.web.people import ARRIVAL, Chair
from otherminds.web.people_records import export_decisions, read_returns
from otherminds.web.protocol import Protocol, Return
from otherminds.web.stays import Event, Journal, Stay
from tests.web.seats import make_chair, serve_chair
from tests.web.test_drop_out import POLICIES, host_pair
from tests.web.test_host import Participant, first, served, write_study
from tests.web.test_people import TURN


def test_an_automatons_episode_is_neither_paid_nor_a_persons_score(tmp_path: Path) -> None:
    with served(*host_pair(tmp_path, POLICIES["automaton"])) as (process, links):
        Participant(links["ann"], first).look()
        Participant(links["ben"], first).play()
        process.wait(60)
    run = tmp_path / "run"
    for label in ("ann", "ben"):
        (own,) = read_returns(run, label)
        assert not own.is_scored
    command = [sys.executable, "-m", "otherminds", "report", str(run), "--json"]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert {cell["scored"] for cell in report["cells"]} == {0}
    table = tmp_path / "decisions.jsonl"
    export_decisions(run, table)
    rows = [json.loads(line) for line in table.read_text("utf-8").splitlines()]
    substituted = [row for row in rows if row["substitute"]]
    assert {row["person"] for row in substituted} == {"ann"}
    assert not any(row["missed"] for row in substituted)


def test_a_second_server_of_the_same_run_and_a_deletion_beside_a_running_one_are_refused(
    tmp_path: Path,
) -> None:
    words = ("host", write_study(tmp_path), "--out", tmp_path / "run", "--port", "0", "--no-consent")
    with served(*words) as (_, links):
        ann = Participant(links["ann"], first)
        ann.play(1)
        run = tmp_path / "run"
        code = make_deletion_code(read_links(run, ["ann"])["ann"])
        for command in (words, ("people", "delete", run, code)):
            done = subprocess.run(
                [sys.executable, "-m", "otherminds", *map(str, command)],
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
            )
            assert done.returncode == 2
            assert "another run is writing here" in done.stderr
            assert "Traceback" not in done.stderr
        assert 'name="turn"' in ann.play(2)


def test_a_deletion_after_a_kill_leaves_no_reply_and_the_study_goes_on_for_the_others(tmp_path: Path) -> None:
    words = ("host", write_study(tmp_path), "--out", tmp_path / "run", "--port", "0", "--no-consent")
    run = tmp_path / "run"
    with served(*words) as (process, links):
        Participant(links["ann"], first).play(3)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(30)
    assert any(b"Option" in path.read_bytes() for path in run.glob("calls.sqlite*"))
    delete_person(run, make_deletion_code(read_links(run, ["ann"])["ann"]))
    assert not any(b"Option" in path.read_bytes() for path in run.glob("calls.sqlite*"))
    with served(*words) as (process, links):
        assert "was deleted" in Participant(links["ann"], first).look()
        assert "Thank you" in Participant(links["ben"], first).play()
        process.wait(60)
    outcomes = {record.spec.seats["ego"].model: record.outcome for record in om.records(run)}
    assert outcomes["person:ann"].status == "failed"
    assert "asked for the deletion" in outcomes["person:ann"].reason
    assert outcomes["person:ben"].status == "scored"


def test_the_bonus_cannot_be_raised_by_another_protocol_at_a_restart(tmp_path: Path) -> None:
    study, protocol = write_study(tmp_path), tmp_path / "protocol.toml"
    text = 'no_consent = true\nbonus = { per_point = 0.1, at_most = 1, currency = "EUR" }'
    protocol.write_text(text, "utf-8")
    words = ("host", study, "--out", tmp_path / "run", "--port", "0", "--protocol", protocol)
    with served(*words):
        pass
    protocol.write_text(text.replace("at_most = 1", "at_most = 1000"), "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "otherminds", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "another protocol" in done.stderr


def test_an_attention_check_takes_one_answer_and_none_that_is_no_option(tmp_path: Path) -> None:
    check = {"text": "Green?", "options": ["yes", "no"], "answer": "yes"}
    protocol = Protocol.model_validate({"no_consent": True, "attention": [check], "attention_failures": 0})
    chair = make_chair("ann", protocol, tmp_path)
    reply = chair.ask(TURN)
    page = chair.page()
    assert page is not None
    for number, button in (
        (page.number + 1, "yes"),
        (page.number - 1, "yes"),
        (page.number, "YES"),
        (page.number, ""),
    ):
        chair.press(number, button)
        assert chair.page() == page
    chair.press(page.number, "yes")
    chair.press(page.number, "no")
    chair.press(page.number + 1, "no")
    assert not chair.absence
    assert len((tmp_path / "people.jsonl").read_text("utf-8").splitlines()) == 1
    assert not reply.done()


def test_a_clock_that_jumps_while_the_server_runs_changes_no_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = Protocol.model_validate({"no_consent": True, "seconds": 60, "total_seconds": 100})
    chair = make_chair("ann", protocol, tmp_path)
    chair.ask(TURN)
    chair.show(1)
    for jump in (-1e9, 1e9):
        monkeypatch.setattr(time, "time", lambda jump=jump: 1.8e9 + jump)
        assert chair.seconds_left is not None
        assert 0 < chair.seconds_left <= 60
        assert not chair.stay.is_late


def test_events_from_the_future_end_a_stay_and_never_lengthen_it(tmp_path: Path) -> None:
    protocol = Protocol.model_validate({"no_consent": True, "total_seconds": 100})
    now = datetime.now(UTC)
    for begun, late in ((now - timedelta(days=1), True), (now + timedelta(days=1), False)):
        event = Event("begun", {}, begun.timestamp())
        left = Stay(protocol, "ann", Journal(tmp_path), [event]).seconds_left
        assert left is not None
        assert (left <= 0) == late
        assert left <= 100


def test_a_flood_of_the_last_page_reads_the_records_once(tmp_path: Path) -> None:
    reads: list[int] = []

    def read_returns() -> list[Return]:
        reads.append(1)
        return [Return(1.0, True)]

    bonus = {"per_point": 1, "at_most": 5, "currency": "EUR"}
    protocol = Protocol.model_validate({"no_consent": True, "bonus": bonus})
    stay = Stay(protocol, "ann", Journal(tmp_path), [], read_returns, "CODE")
    stay.leave("gave no reply")
    texts = {str(stay.page()) for _ in range(500)}
    assert len(texts) == len(reads) == 1
    assert "1.00 EUR" in texts.pop()


def test_a_journal_that_was_edited_by_hand_is_refused_with_its_line(tmp_path: Path) -> None:
    for line in (
        "[]",
        '{"person": "ann"}',
        '{"at": "x", "person": "ann", "event": "left", "detail": {}}',
        '{"at": 1}',
        "\x00",
    ):
        (tmp_path / "people.jsonl").write_text(f"{line}\n", "utf-8")
        with pytest.raises(StudyError, match="line 1: is damaged"):
            Journal(tmp_path).read_events()


def test_guessing_links_and_codes_over_http_opens_nothing(tmp_path: Path) -> None:
    words = ("host", write_study(tmp_path), "--out", tmp_path / "run", "--port", "0", "--no-consent")
    with served(*words) as (_, links):
        base, _, secret = links["ann"].rpartition("/")
        code = make_deletion_code(secret)
        guesses = [
            code,
            code.lower(),
            secret[::-1],
            secret + "%00",
            "people.json",
            "..%2fpeople.json",
            "join",
            "?code=" + code,
        ]
        for guess in guesses:
            assert httpx.get(f"{base}/{guess}", timeout=30).status_code == 404
        site = base.rpartition("/s")[0]
        for path in (
            "/join",
            "/join?PID=x",
            "/people.jsonl",
            "/protocol.json",
            "/calls.sqlite",
            f"/delete/{code}",
        ):
            assert httpx.get(f"{site}{path}", timeout=30).status_code == 404


def make_strict(folder: Path, **rules: object) -> Chair:
    return make_chair(
        "ann", Protocol.model_validate({"no_consent": True, "seconds": 60, "missed": 2, **rules}), folder
    )


def pass_time(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    later = time.monotonic() + seconds
    monkeypatch.setattr(time, "monotonic", lambda: later)


def test_who_leaves_the_page_after_a_reply_drops_out_though_no_turn_is_shown_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chair = make_strict(tmp_path)
    chair.ask(TURN)
    pass_time(monkeypatch, 1_000)
    assert chair.seconds_left is None  # it has not come yet
    chair.show(1)
    chair.answer(1, "A: 1")
    for _ in range(2):
        reply = chair.ask(TURN)
        assert chair.seconds_left is not None
        assert 0 < chair.seconds_left <= 60 + ARRIVAL
        pass_time(monkeypatch, 61 + ARRIVAL)
        assert chair.seconds_left < 0
        chair.close(reply, missed=True)
    assert chair.absence == "gave no reply to 2 turns in a row"


def test_who_still_reads_the_instructions_has_no_time_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chair = make_strict(
        tmp_path, instructions="Read this.", questions=[{"text": "?", "options": ["a", "b"], "answer": "a"}]
    )
    chair.press(0, "Go on")
    chair.ask(TURN)
    pass_time(monkeypatch, 10_000)
    assert chair.seconds_left is None
    chair.press(1, "a")
    assert chair.page() is None
    assert chair.seconds_left is not None


def test_whose_time_for_the_study_is_over_is_not_said_to_give_no_replies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chair = make_strict(tmp_path, total_seconds=100)
    chair.ask(TURN)
    chair.show(1)
    chair.answer(1, "A: 1")
    pass_time(monkeypatch, 101)
    for _ in range(2):
        chair.close(chair.ask(TURN), missed=True)
    assert chair.absence == "had no time left: 100 s from the first page"


def test_after_a_restart_a_form_of_an_earlier_turn_fits_no_other_one(tmp_path: Path) -> None:
    chair = make_strict(tmp_path)
    chair.ask(TURN)
    chair.answer(1, "A: 1")
    chair.close(chair.ask(TURN), missed=True)
    again = Chair(
        "ann",
        chair.protocol,
        Stay(chair.protocol, "ann", Journal(tmp_path), Journal(tmp_path).read_events()["ann"]),
    )
    again.ask(TURN)
    assert not again.answer(1, "A: 2")
    assert not again.answer(2, "A: 2")
    assert again.answer(3, "A: 2")


def test_a_check_whose_time_is_over_is_failed_and_comes_once(tmp_path: Path) -> None:
    check = {"text": "Choose b.", "options": ["a", "b"], "answer": "b"}
    chair = make_strict(tmp_path, attention=[check], attention_failures=1)
    reply = chair.ask(TURN)
    page = chair.page()
    assert page is not None
    assert page.check == 0
    chair.show_page(page)
    chair.close(reply, missed=True)
    chair.ask(TURN)
    assert chair.page() is None
    strict = make_strict(tmp_path / "strict", attention=[check], attention_failures=0)
    (tmp_path / "strict").mkdir()
    strict.close(strict.ask(TURN), missed=True)
    assert strict.absence == "did not pass the attention checks"


def test_a_reply_that_no_button_has_spoils_nothing(tmp_path: Path) -> None:
    chair = make_chair()
    reply = chair.ask(TURN)
    with serve_chair(chair) as link:
        headers = {"origin": link.rpartition("/s/")[0]}
        for form in (
            {"turn": "1", "reply": "qwertz"},
            {"turn": "1", "reply": "A: 1\nA: 2"},
            {"turn": "1", "reply": ["A: 1", "A: 2"]},
            {"turn": "1", "reply": "1"},
            {"turn": "1", "reply": "x", "text": "A: 1"},
        ):
            assert httpx.post(link, data=form, headers=headers).status_code == 303
            assert not reply.done(), form
        httpx.post(link, data={"turn": "1", "reply": "A: 2"}, headers=headers)
        assert reply.result(0) == "A: 2"


def test_a_preview_of_a_link_begins_no_time() -> None:
    chair = make_chair("ann", Protocol(no_consent=True, seconds=60, total_seconds=600))
    chair.ask(TURN)
    with serve_chair(chair) as link:
        assert httpx.head(link).status_code == 200
        assert chair.seconds_left is None
        httpx.get(link)
        assert chair.seconds_left is not None


def test_the_time_of_a_reply_is_from_when_it_was_shown_and_outlasts_a_restart(
    tmp_path: Path,
) -> None:
    run = tmp_path / "run"
    words = ("host", write_study(tmp_path), "--out", run, "--port", "0", "--no-consent")
    with served(*words) as (_, links):
        time.sleep(1.5)  # nobody has come
        ann = Participant(links["ann"], first)
        ann.look()
        time.sleep(0.4)
        ann.play(2)
    with served(*words) as (process, links):
        for label in ("ann", "ben"):
            Participant(links[label], first).play()
        process.wait(60)
    export_decisions(run, tmp_path / "rows.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()]
    times = [row["seconds"] for row in rows if row["person"] == "ann"]
    assert None not in times
    assert 0.4 <= times[0] < 1.5 + 0.4 + 30
    assert all(seconds > 0.001 for seconds in times)


@pytest.mark.parametrize(
    "origin", ["http://study.example", "ftp://study.example", "study.example", "http://10.0.0.5:80"]
)
def test_links_are_never_for_an_address_without_tls(tmp_path: Path, origin: str) -> None:
    words = ("host", write_study(tmp_path), "--out", tmp_path / "run", "--no-consent", "--origin", origin)
    done = subprocess.run(
        [sys.executable, "-m", "otherminds", *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "begins with https://" in done.stderr


def test_what_people_answered_is_for_the_owner_of_the_folder_alone(tmp_path: Path) -> None:
    chair = make_strict(tmp_path)
    chair.close(chair.ask(TURN), missed=True)
    assert (tmp_path / "people.jsonl").stat().st_mode & 0o077 == 0


def test_nobody_plays_on_in_the_name_of_who_had_its_data_deleted(tmp_path: Path) -> None:
    words = host_pair(tmp_path, POLICIES["automaton"])
    run = tmp_path / "run"
    with served(*words) as (_, links):
        Participant(links["ann"], first).look()
        code = make_deletion_code(links["ann"].rpartition("/")[2])
    delete_person(run, code)
    with served(*words) as (process, links):
        Participant(links["ben"], first).look()
        process.wait(60)
    for record in om.records(run):
        assert record.outcome.status == "failed"
        assert record.outcome.blame == "person"
        assert not [call for call in record.calls if call.seat == "ego" and call.finish == "substitute"]
