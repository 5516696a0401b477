"""People who drop out: what the others see, what is played on, and that no such episode is the person's."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

import otherminds as om
from otherminds.core.record import Record
from otherminds.web.people import Chair
from otherminds.web.protocol import Protocol
from otherminds.web.stays import Journal, Stay
from tests.cases import for_each
from tests.web.seats import make_chair
from tests.web.test_host import Participant, first, served
from tests.web.test_people import TURN

PAIR = """
name = "pair"
episodes = 1
rounds = 4

[[cells]]
scenarios = ["rps-single-v1"]
minds = [{ ego = "chat@person:ann", partner_0 = "chat@person:ben" }]
"""
POLICIES = {
    "cancel": "",
    "wait": 'drop_out = "wait"\nwait_seconds = 1.5',
    "automaton": 'drop_out = "automaton"\nautomaton = "scripted:uniform"',
}


def host_pair(folder: Path, policy: str) -> tuple[str | Path, ...]:
    """The command that hosts a pair, of whom somebody drops out after one turn without a reply."""
    folder.mkdir(exist_ok=True)
    (folder / "pair.toml").write_text(PAIR, "utf-8")
    (folder / "protocol.toml").write_text(f"no_consent = true\nseconds = 2\nmissed = 1\n{policy}", "utf-8")
    words = ("host", folder / "pair.toml", "--out", folder / "run", "--port", "0")
    return (*words, "--protocol", folder / "protocol.toml")


def read_only(folder: Path) -> Record:
    (record,) = om.records(folder / "run")
    return record


@for_each("policy", [*POLICIES])
def test_who_drops_out_ends_the_episode_as_the_protocol_says_and_it_is_lost(
    policy: str, tmp_path: Path
) -> None:
    folder = tmp_path / policy
    with served(*host_pair(folder, POLICIES[policy])) as (process, links):
        assert 'name="turn"' in Participant(links["ann"], first).look()  # and ann never replies
        page = Participant(links["ben"], first).play()
        process.wait(60)
    assert "Thank you" in page
    record = read_only(folder)
    assert record.outcome.status == "failed"
    assert record.outcome.seat == "ego"
    assert "person:ann gave no reply to" in record.outcome.reason
    substituted = {call.seat for call in record.calls if call.finish == "substitute"}
    if policy == "automaton":
        assert record.outcome.blame == "substitute"
        assert "scripted:uniform plays on from step" in record.outcome.reason
        assert len(record.actions) == 4
        assert substituted == {"ego"}
    else:
        assert record.outcome.blame == "person"
        assert not substituted


def test_an_automaton_that_plays_for_a_person_is_known_after_a_kill(tmp_path: Path) -> None:
    """Also where the server was killed between its last reply and the record."""
    words = host_pair(tmp_path, POLICIES["automaton"])
    with served(*words) as (process, links):
        Participant(links["ann"], first).look()
        Participant(links["ben"], first).play(3)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(30)
    with served(*words) as (process, links):
        assert "went on without you" in Participant(links["ann"], first).look()
        Participant(links["ben"], first).play()
        process.wait(60)
    assert read_only(tmp_path).outcome.blame == "substitute"


def test_the_others_see_how_long_they_are_kept_waiting(tmp_path: Path) -> None:
    with served(*host_pair(tmp_path, POLICIES["wait"].replace("1.5", "300"))) as (process, links):
        ann, ben = Participant(links["ann"], first), Participant(links["ben"], first)
        ann.look()
        end, page = time.monotonic() + 60, ""
        while "more seconds" not in page and time.monotonic() < end:
            page = ben.look()
            if 'name="turn"' in page:
                ben.send(int(page.split('name="turn" value="')[1].split('"')[0]), "A: Option J")
        assert "One of the others does not reply" in page
        process.kill()


def make_strict_chair(folder: Path, **keys: object) -> Chair:
    protocol = Protocol.model_validate({"no_consent": True, "seconds": 60, "missed": 1, **keys})
    return make_chair("ann", protocol, folder)


WAITING = {"drop_out": "wait", "wait_seconds": 300}


def miss_turn(chair: Chair) -> None:
    chair.close(chair.ask(TURN), missed=True)


def test_who_comes_back_within_the_wait_goes_on_and_who_does_not_has_left(tmp_path: Path) -> None:
    chair = make_strict_chair(tmp_path, **WAITING)
    miss_turn(chair)
    assert chair.seconds_of_wait is not None
    assert not chair.absence
    reply = chair.ask(TURN)
    assert chair.answer(2, "A: 1")
    assert reply.result(0) == "A: 1"
    assert chair.seconds_of_wait is None
    miss_turn(chair)
    miss_turn(chair)
    assert "gave no reply to 2 turns" in chair.absence


@for_each(("keys", "waits", "left"), [(WAITING, True, False), ({}, False, True)])
def test_a_new_server_knows_who_is_away_and_who_has_left(
    keys: dict[str, object], waits: bool, left: bool, tmp_path: Path
) -> None:
    folder = tmp_path / f"{waits}"
    folder.mkdir()
    chair = make_strict_chair(folder, **keys)
    miss_turn(chair)
    journal = Journal(folder)
    stay = Stay(chair.protocol, "ann", journal, journal.read_events()["ann"])
    again = Chair("ann", chair.protocol, stay)
    assert (again.seconds_of_wait is not None) == waits
    assert bool(again.absence) == left
    assert ("without you" in str(stay.page())) == left


def test_the_time_for_the_whole_study_outlasts_a_restart_and_a_clock_that_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chair = make_strict_chair(tmp_path, total_seconds=1_000)
    assert chair.seconds_left is None
    miss_turn(chair)
    reply = chair.ask(TURN)
    chair.show(2)
    assert chair.seconds_left is not None
    assert not reply.done()
    journal = Journal(tmp_path)
    events = journal.read_events()["ann"]
    begun = next(event.at for event in events if event.name == "begun")
    for clock, over in ((begun + 999, False), (begun + 1_001, True), (begun - 1e6, False)):
        monkeypatch.setattr(time, "time", lambda clock=clock: clock)
        stay = Stay(chair.protocol, "ann", journal, [event for event in events if event.name == "begun"])
        assert stay.is_late == over
        assert ("time for this study is over" in str(stay.page())) == over
    late = events[0]._replace(name="back", at=begun + 1_001)  # written before the clock was set back
    assert Stay(chair.protocol, "ann", journal, [*events[-1:], late]).is_late


def test_whose_time_is_over_gives_no_reply_to_any_further_turn(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(PAIR.replace("person:ben", "scripted:first"), "utf-8")
    (tmp_path / "protocol.toml").write_text("no_consent = true\ntotal_seconds = 2\nmissed = 3", "utf-8")
    words = ("host", tmp_path / "study.toml", "--out", tmp_path / "run", "--port", "0")
    with served(*words, "--protocol", tmp_path / "protocol.toml") as (process, links):
        ann = Participant(links["ann"], first)
        ann.play(1)
        process.wait(60)
    record = read_only(tmp_path)
    assert record.outcome.blame == "person"
    # The third try is the one by which she has dropped out, so that no reply of hers is to blame.
    assert [call.reply for call in record.calls if call.seat == "ego"][1:] == ["", ""]


def test_who_never_comes_has_dropped_out_and_a_free_seat_of_the_link_for_everybody_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chair = make_strict_chair(tmp_path, arrival_seconds=300)
    assert chair.seconds_left is None
    reply = chair.ask(TURN)
    assert chair.seconds_left is not None
    assert chair.seconds_left > 60
    chair.show(1)
    assert chair.seconds_left <= 60
    chair.close(reply)
    reply = chair.ask(TURN)
    later = time.monotonic() + 301
    monkeypatch.setattr(time, "monotonic", lambda: later)
    chair.close(reply, missed=True)
    assert "did not come to a turn within 300 s" in chair.absence

    (tmp_path / "free").mkdir()
    free = make_strict_chair(tmp_path / "free", arrival_seconds=300, join={"parameter": "PID"})
    free.ask(TURN)
    assert free.seconds_left is None
    free.stay.join("x1")
    assert free.seconds_left is not None
