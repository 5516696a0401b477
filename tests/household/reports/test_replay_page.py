"""The page of an episode in the household: it has every turn, and what is said is never markup."""

from __future__ import annotations

import re
from xml.etree.ElementTree import fromstring

import pytest
from msgspec.structs import replace

from otherminds import Record, SeatSpec
from otherminds.core.data import Invalid
from otherminds.core.record import Note, Outcome
from otherminds.core.scenario import Scenario
from otherminds.household.reports.replay import HouseReplay, as_household_page, household_again
from otherminds.household.reports.state import falsehoods
from tests.household.reports import household_episodes as small
from tests.reports.replay import reading

Reader, told = reading.Reader, reading.told


@pytest.fixture(scope="module")
def page(house_replay: HouseReplay) -> str:
    return as_household_page(house_replay)


def test_it_is_small(page: str) -> None:
    assert len(page) < 80_000


def test_what_agents_say_is_never_markup(page: str) -> None:
    assert "onerror" not in page
    story = told(page)
    assert [one["text"] for one in story["messages"]].count(small.EVIL) == 2
    assert all("onerror" not in turn["moment"] + turn["views"] for turn in story["turns"])


def test_only_the_map_is_put_in_as_markup(page: str) -> None:
    script = Reader(page).scripts[""]
    assert re.findall(r"\S+\.innerHTML = \S+", script) == [
        'el("views").innerHTML = story.turns[now].views;',
        'el("moment").innerHTML = story.turns[now].moment;',
    ]


def test_names_of_minds_and_tasks_are_no_markup(house_replay: HouseReplay) -> None:
    evil = "</script><script>alert(1)</script>$title"
    seats = dict.fromkeys(house_replay.record.seats, SeatSpec("x", label=evil))
    spec = replace(house_replay.record.spec, label=evil, seats=seats)
    changed = HouseReplay(
        replace(house_replay.record, spec=spec),
        house_replay.house,
        house_replay.turns,
        house_replay.facts,
        fault=evil,
    )
    page = as_household_page(changed)
    assert "alert(1)</script>" not in page
    assert Reader(page).tags.count("script") == 3
    assert Reader(page).text.count(evil) == 3


def test_every_turn_has_its_map_its_agents_and_what_of_the_goal_holds(
    page: str, house_replay: HouseReplay
) -> None:
    story = told(page)
    assert len(story["turns"]) == len(house_replay.turns) == story["last"] + 1
    for shown, turn in zip(story["turns"], house_replay.turns, strict=True):
        for part in ("views", "moment"):
            fromstring(f"<svg>{shown[part]}</svg>")
        assert tuple(shown["holding"]) == turn.holding
        for seat, agent in zip(house_replay.record.seats, shown["agents"], strict=True):
            assert agent["room"] == turn.state.agents[seat].room
            wrong = [
                (about, believed, true) for about, believed, true in agent["beliefs"] if true is not None
            ]
            found = [(one.about, one.believed, one.true) for one in falsehoods(turn.state, seat)]
            assert [about for about, _, _ in wrong] == [about for about, _, _ in found]
            assert [true for _, _, true in wrong] == [true for _, _, true in found]
    assert story["turns"][5]["agents"][0]["holds"] == ["bowl_0"]


def test_what_an_agent_alone_was_told_stands_with_it_and_what_binds_it(page: str) -> None:
    zero, one, two = told(page)["seats"]
    assert one["secrets"] == ["You cannot enter kitchen_1."]
    assert one["binds"] == ["may write to agent_0, agent_2", "may not enter kitchen_1"]
    assert zero["binds"] == ["may write to agent_1, agent_2", "may send 2 messages"]
    assert two["binds"] == ["may write to agent_0"]


def test_goals_and_questions_are_told_with_answers_and_truths(page: str, house_replay: HouseReplay) -> None:
    story = told(page)
    assert story["wishes"] == [
        ["", "(is_on_top bowl_0 table_5)"],
        ["", "(is_open cabinet_2)"],
        ["agent_2", "(is_on_top book_0 shelves_8)"],
    ]
    assert story["chains"] == [
        "(K agent_1 (is_open cabinet_2))",
        "(K agent_2 (K agent_1 (is_open cabinet_2)))",
    ]
    assert len(story["probes"]) == len(house_replay.record.asked)
    asked = {one["text"]: one for one in story["probes"] if one["role"] == "probe"}
    one = asked["Report about: cabinet_2 is open."]
    assert (one["answer"], one["right"], one["known"]) == ("is_open cabinet_2", True, "holds")
    roles = [one["role"] for one in story["probes"]]
    assert len(asked) == 2
    assert set(roles) == {"probe", "foil"}, "what the deeper one's helper would ask is a probe itself"


def test_an_invalid_answer_and_a_wrong_one_are_said_to_be_so(house_replay: HouseReplay) -> None:
    first, *others = house_replay.record.asked
    asked = (replace(first, answer=None, invalid=Invalid("no JSON", "hm")), *others)
    record = replace(house_replay.record, asked=asked)
    page = as_household_page(HouseReplay(record, house_replay.house, house_replay.turns, house_replay.facts))
    assert told(page)["probes"][0]["answer"] == "invalid: no JSON"
    assert told(page)["probes"][0]["right"] is False


def test_the_log_has_every_call_message_and_question(page: str, house_replay: HouseReplay) -> None:
    kinds = [line[1] for line in told(page)["log"]]
    assert kinds.count("call") + kinds.count("failed call") == len(house_replay.record.facts["log"])
    assert kinds.count("message") == 3
    assert kinds.count("question") == len(house_replay.record.asked)


def test_the_map_is_readable_in_light_and_in_dark(page: str) -> None:
    assert page.count("prefers-color-scheme: dark") == 2 + 1  # the page, the map, and the script that redraws


def test_a_departure_is_said(house_replay: HouseReplay) -> None:
    page = as_household_page(
        HouseReplay(
            house_replay.record,
            house_replay.house,
            house_replay.turns,
            house_replay.facts,
            fault="it departs",
        )
    )
    assert Reader(page).text.count("it departs") == 1
    assert "departs from the record" in Reader(page).text


def test_an_episode_that_failed_before_its_first_turn_has_a_page(
    made: Scenario, house_replay: HouseReplay
) -> None:
    nothing = replace(
        house_replay.record,
        actions=[],
        rewards=[],
        asked=(),
        facts={},
        outcome=Outcome("failed", "provider", "no answer", 0),
    )
    again = household_again(nothing, made)
    assert again.fault == ""
    page = as_household_page(again)
    assert "failed (provider: no answer)" in Reader(page).text
    assert len(told(page)["turns"]) == 1


def test_what_minds_thought_has_its_panel(house_replay: HouseReplay) -> None:
    thinking = {"partner": "agent_1", "encounter": 0, "came": None, "thoughts": []}
    record: Record = replace(house_replay.record, notes=(Note("agent_0", 0, "thinking", thinking),))
    (mind,) = told(
        as_household_page(HouseReplay(record, house_replay.house, house_replay.turns, house_replay.facts))
    )["minds"]
    assert (mind["seat"], mind["partner"]) == ("agent_0", "agent_1")
