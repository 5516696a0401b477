"""The list of episodes: chosen, ordered, linked from a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from otherminds.reports.build import report
from otherminds.reports.episodes import REPLAYS, EpisodeLine, Wanted, anchor, as_page
from tests.cli.running import otherminds
from tests.reports.test_page import Reader

STUDY = """
name = "few"
episodes = 2
[[cells]]
scenarios = ["rps-single-v1", "ipd-single-v1"]
rounds = 4
minds = ["uniform", "nash"]
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("episodes")
    (folder / "few.toml").write_text(STUDY)
    done = otherminds("run", folder / "few.toml", "--out", folder / "out")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def line(number: int, **more: object) -> EpisodeLine:
    names = {"scenario": "rps-single-v1", "world": "rps", "mind": "nash", "outcome": "scored"} | more
    return EpisodeLine(number=number, id=f"{number:012x}", partner="single", seed=number, **names)


def test_names_are_chosen_by_a_part_and_outcomes_as_a_whole() -> None:
    one = line(0, mind="hm@Model", outcome="cut")
    for wanted in (Wanted(), Wanted("model", "SINGLE", "rps", "Sing", "cut")):
        assert wanted.fits(one)
    for wanted in (
        Wanted(mind="nash"),
        Wanted(scenario="ipd"),
        Wanted(world="ipd"),
        Wanted(partner="tit_for_tat"),
        Wanted(outcome="scored"),
    ):
        assert not wanted.fits(one)


def test_the_command_lists_what_replay_takes(ran: Path) -> None:
    done = otherminds("episodes", ran, "--mind", "nash", "--scenario", "rps", "--json")
    (first, second) = json.loads(done.stdout)
    assert (first["mind"], first["scenario"], first["world"]) == ("nash", "rps-single-v1", "rps")
    for name in (str(first["number"]), first["id"]):
        shown = otherminds("replay", ran, name).stdout.splitlines()
        assert f"seed {first['seed']}  episode {first['id']}" in shown[0]
    assert second["number"] == first["number"] + 1
    text = otherminds("episodes", ran, "--sort", "reward", "--limit", 3).stdout.splitlines()
    assert text[0].split() == [
        "number",
        "id",
        "scenario",
        "mind",
        "partner",
        "seed",
        "outcome",
        "reward",
        "F",
        "L",
    ]
    rewards = [float(row.split()[-3]) for row in text[1:4]]
    assert rewards == sorted(rewards)
    assert text[4].startswith("3 of 8 episodes")


def test_a_name_that_is_none_is_one_line(ran: Path) -> None:
    for words, expected in (
        (("--sort", "luck"), "number, score"),
        (("--outcome", "lost"), "scored, invalid"),
    ):
        done = otherminds("episodes", ran, *words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert expected in done.stderr


def test_cells_of_a_report_link_to_their_episodes(planned, records, tmp_path: Path) -> None:
    page = Path(report(planned, records, "A study", "html", tmp_path)).read_text(encoding="utf-8")
    linked = {
        value for name, value in Reader(page).attributes if name == "href" and "episodes.html#" in value
    }
    played = Reader((tmp_path / "episodes.html").read_text(encoding="utf-8"))
    anchors = {value for name, value in played.attributes if name == "id"}
    minds = {("", mind) for _, mind in planned}
    assert linked == {f"episodes.html#{anchor(key)}" for key in {*planned, *minds}}
    assert {value.split("#")[1] for value in linked} <= anchors
    for record in records:
        assert record.spec.hash[:12] in played.text


def test_an_episode_with_a_page_is_a_link_and_any_other_has_its_command(
    planned, records, tmp_path: Path
) -> None:
    some, other = records[0].spec.hash[:12], records[1].spec.hash[:12]
    (tmp_path / REPLAYS).mkdir()
    (tmp_path / REPLAYS / f"{some}.html").write_text("")
    report(planned, records, "A study", "html", tmp_path)
    page = (tmp_path / "episodes.html").read_text(encoding="utf-8")
    linked = {value for name, value in Reader(page).attributes if name == "href"}
    assert f"{REPLAYS}/{some}.html" in linked
    assert f"{REPLAYS}/{other}.html" not in linked
    command = "".join(Reader(page).text.split("otherminds replay ")[1].splitlines()[0])
    assert command == f"{tmp_path} ID --page {tmp_path}/{REPLAYS}/ID.html"


def test_cells_stand_in_the_order_of_the_plan_and_say_what_they_leave_out() -> None:
    lines = [line(0), line(1, mind="uniform"), line(2)]
    keys = [("rps-single-v1", "uniform"), ("rps-single-v1", "nash")]
    page = as_page(lines, dict(zip(keys, (1, 7), strict=True)), "A study", "out")
    ids = [value for name, value in Reader(page).attributes if name == "id" and value in map(anchor, keys)]
    assert ids == [anchor(key) for key in keys]
    places = [page.index(f"{number:012x}") for number in (1, 0, 2)]
    assert places == sorted(places)
    assert "rps-single-v1, nash: 5 more" in page


def test_names_in_the_list_are_no_markup() -> None:
    evil = "</script><script>alert(1)</script>"
    page = as_page([line(0, mind=evil, reason=evil)], {("rps-single-v1", evil): 2}, evil, evil)
    assert "<script>alert" not in page
    assert page.count("<script") == 1
