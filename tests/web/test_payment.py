"""Attention checks, the bonus and the table of decisions, of people who are served by the command."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import otherminds as om
from otherminds.core.errors import StudyError
from otherminds.web.people_records import export_decisions
from otherminds.web.protocol import Bonus, Protocol, Return, keep_protocol, kept_protocol
from tests.cases import for_each
from tests.web.seats import make_chair
from tests.web.test_host import Participant, served
from tests.web.test_people import TURN

STUDY = """
name = "paid"
episodes = 2
rounds = 3

[[cells]]
scenarios = ["rps-mixed-v1"]
minds = [{ mind = "chat", model = "person:ann" }, { mind = "chat", model = "person:ben" }]
"""
PROTOCOL = """
no_consent = true
seconds = 60
attention_failures = 0
bonus = { per_point = 0.5, at_most = 100, currency = "EUR" }
code = "PAID-7"
screened_code = "SORRY-8"

[[attention]]
text = "Choose green."
options = ["red", "green"]
answer = "green"
episode = 2
round = 2
"""


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_checks_come_at_their_place_and_the_bonus_is_the_same_on_the_page_and_in_the_table(
    tmp_path: Path,
) -> None:
    (tmp_path / "study.toml").write_text(STUDY, "utf-8")
    (tmp_path / "protocol.toml").write_text(PROTOCOL, "utf-8")
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

        def choose(right: str) -> Participant:
            return Participant(
                links["ann" if right == "green" else "ben"],
                lambda options: right if right in options else options[0],
            )

        attentive, careless = choose("green"), choose("red")
        ends = {"ann": attentive.play(), "ben": careless.play()}
        process.wait(60)
    events = [json.loads(line) for line in (out / "people.jsonl").read_text("utf-8").splitlines()]
    checks = {event["person"]: event["detail"] for event in events if event["event"] == "attention"}
    assert {who: (check["button"], check["right"]) for who, check in checks.items()} == {
        "ann": ("green", True),
        "ben": ("red", False),
    }
    assert len(careless.turns) == 2 * 3 + 2  # the first episode, and the first round of the second
    assert "PAID-7" in ends["ann"]
    assert "PAID-7" not in ends["ben"]
    assert "SORRY-8" in ends["ben"]

    table = tmp_path / "decisions.csv"
    command = [sys.executable, "-m", "otherminds", "people", "export", str(out), "--out", str(table)]
    assert "decisions" in subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = read_table(table)
    records = [*om.records(out)]
    assert len(rows) == sum(len(record.calls) for record in records)
    for person, page in ends.items():
        own = [record for record in records if record.spec.seats["ego"].model == f"person:{person}"]
        scored = [record.total("ego") for record in own if record.outcome.status == "scored"]
        bonus = min(100.0, max(0.0, 0.5 * sum(scored)))
        assert re.search(r"bonus: ([\d.]+) EUR", page)[1] == f"{bonus:.2f}"  # type: ignore[index]
        assert {float(row["bonus"]) for row in rows if row["person"] == person} == {bonus}
    acts = [row for row in rows if row["purpose"] == "act" and row["person"] == "ann"]
    assert {row["act"] for row in acts} <= {"rock", "paper", "scissors"}
    for row in rows:
        assert row["reply"] in json.loads(row["options"])
        assert float(row["seconds"]) > 0
        assert (row["missed"], row["substitute"], row["attempt"]) == ("False", "False", "1")


@for_each(
    ("scored", "lost", "paid"),
    [
        ([], [], 0.0),
        ([-3.0], [], 0.0),
        ([], [5.0, 0.0], 0.0),
        ([10.0, 2.346], [4.0], 1.23),
        ([1e9], [], 5.0),
        ([1.0], [7.0], 0.1),
        ([16.0], [-20.0], 0.0),
        ([16.0], [-6.0, 9.0], 1.0),
    ],
)
def test_a_bonus_stays_within_its_bounds_and_who_spoils_a_lost_episode_gains_nothing(
    scored: list[float], lost: list[float], paid: float
) -> None:
    returns = [*(Return(points, True) for points in scored), *(Return(points, False) for points in lost)]
    bonus = Bonus(per_point=0.1, at_most=5, currency="EUR")
    assert bonus.pay(returns) == paid
    assert f"{paid:.2f} EUR" in bonus.describe(returns)


def make_checked(failures: int | None, tmp_path: Path) -> Protocol:
    return Protocol.model_validate(
        {
            "no_consent": True,
            "seconds": 60,
            "attention_failures": failures,
            "attention": [{"text": "Green?", "options": ["yes", "no"], "answer": "yes"}],
        }
    )


@for_each(("failures", "refused"), [(None, False), (0, True), (1, False)])
def test_a_failed_check_screens_out_only_beyond_what_the_protocol_allows(
    failures: int | None, refused: bool, tmp_path: Path
) -> None:
    folder = tmp_path / str(failures)
    folder.mkdir()
    chair = make_chair("ann", make_checked(failures, tmp_path), folder)
    assert chair.page() is None  # no turn, no check
    chair.ask(TURN)
    page = chair.page()
    assert page is not None
    chair.press(page.number, "no")
    assert bool(chair.absence) == refused
    assert (chair.page() is not None) == refused


def test_an_unanswered_check_takes_the_time_of_its_turn_and_an_answered_one_does_not(tmp_path: Path) -> None:
    chair = make_chair("ann", make_checked(None, tmp_path), tmp_path)
    chair.ask(TURN)
    page = chair.page()
    assert page is not None
    chair.show_page(page)
    assert chair.seconds_left is not None
    chair.press(page.number, "yes")
    assert chair.seconds_left is not None  # also if the page of the turn is never opened


def test_a_run_keeps_its_protocol_and_refuses_another(tmp_path: Path) -> None:
    protocol = make_checked(1, tmp_path)
    keep_protocol(tmp_path, protocol)
    keep_protocol(tmp_path, protocol)
    assert kept_protocol(tmp_path) == protocol
    with pytest.raises(StudyError, match="another protocol"):
        keep_protocol(tmp_path, make_checked(0, tmp_path))
    (tmp_path / "protocol.json").write_text("{", "utf-8")
    with pytest.raises(StudyError, match="damaged"):
        kept_protocol(tmp_path)


def test_a_folder_without_people_has_no_decisions(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="no study with people"):
        export_decisions(tmp_path, tmp_path / "x.csv")
