"""Drawn turns: a form shows what the messages of its turn say, and its buttons send what a model could write."""

from __future__ import annotations

import html
import re
from typing import Any

import httpx
import pytest

import otherminds as om
from otherminds.core.data import Message
from otherminds.core.record import SeatSpec
from otherminds.core.registry import Registry
from otherminds.play.seat_context import Scene
from otherminds.web.forms import TEXT, Board, Form, FormMaker, Table, Writing, draw_form, forms, list_buttons
from otherminds.web.seats import hide_form
from tests.cases import for_each
from tests.web.drawing import (
    DRAWN,
    FIXED,
    HOUSE,
    MAPS,
    draw_episode,
    list_facts,
    list_fixed,
    list_partners,
    list_words,
)
from tests.web.seats import make_chair, serve_chair

FILLERS = list_words(
    "and are chose choose in option thus won win wins win receive received score scores points a of is key it no not seen at on nothing none whole map view other player players your teammate"
)
"""Words of sentences that a table or a map needs no longer."""
NONE = re.compile(r"[\w ]+(?: at|:) none")
"""Things that the text says are not there."""


@for_each("name", DRAWN)
def test_a_form_shows_nothing_that_the_messages_do_not_say(name: str) -> None:
    check_words_of_forms(name, 1)


@pytest.mark.slow
@for_each("name", DRAWN)
def test_a_form_shows_nothing_more_in_many_episodes(name: str) -> None:
    for seed in range(2, 12):
        check_words_of_forms(name, seed)


def check_words_of_forms(name: str, seed: int) -> None:
    turns, _ = draw_episode(name, seed)
    assert any(form is not None for _, _, form, _ in turns)
    for turn, _, form, _ in turns:
        if form is not None:
            said = list_words("\n".join(message.content for message in turn.messages))
            assert list_words("\n".join(list_facts(form))) <= said | list_fixed(name)


@for_each("name", DRAWN)
def test_what_a_form_takes_out_of_the_text_is_drawn(name: str) -> None:
    for turn, _, form, _ in draw_episode(name, 1)[0]:
        if form is not None:
            undrawn = list_words(form.leave_out(turn.observation))
            left = list_words(NONE.sub("", turn.observation)) - undrawn
            assert left - FILLERS <= list_words("\n".join(list_facts(form)))


@for_each("name", MAPS)
def test_everything_on_a_map_is_where_the_text_says(name: str) -> None:
    for turn, _, form, _ in draw_episode(name, 1)[0]:
        said = "\n".join(message.content for message in turn.messages)
        for board in form.parts if form is not None else ():
            assert isinstance(board, Board)
            for y, row in zip(board.row_names, board.rows, strict=True):
                for x, square in zip(board.columns, row, strict=True):
                    assert not square.text or f"({x}, {y})" in said


@for_each("name", DRAWN)
def test_turns_with_the_same_messages_have_the_same_form(name: str) -> None:
    """Partners differ in what is hidden; until they act in another way, their messages are the same."""
    partners = [*range(min(4, len(list_partners(name))))]
    by_messages: dict[Any, Any] = {}
    repeated = 0
    for seed in range(20):
        for met in partners:
            for turn, _, form, _ in draw_episode(name, seed, met)[0]:
                key = (turn.messages, turn.purpose)
                repeated += key in by_messages
                assert by_messages.setdefault(key, form) == form
        if repeated:
            return
    pytest.fail("no two turns had the same messages")


@for_each("name", DRAWN)
def test_each_button_sends_the_option_that_it_names(name: str) -> None:
    for turn, scene, form, _ in draw_episode(name, 1)[0]:
        if form is None or scene is None:
            continue
        buttons = [*list_buttons(form)]
        assert len({button.reply for button in buttons}) == len(buttons)
        for button in buttons:
            option = scene.verbalizer.read(scene.ask, button.reply)
            if scene.ask.forms:
                assert option == button.name
            else:
                assert button.reply in turn.options
                assert scene.ask.labels[scene.ask.options.index(option)] in button.name


@for_each("name", DRAWN)
def test_an_episode_by_buttons_has_the_record_of_a_model_with_the_same_acts(name: str) -> None:
    turns, record = draw_episode(name, 1)
    session = om.session(
        name, strategy=SeatSpec("chat", model="person:ann"), options=DRAWN[name], rewards="world"
    )
    turn = session.reset(seed=1)
    for drawn in turns:
        assert isinstance(turn, om.Turn)
        assert turn == drawn.turn
        turn = session.step(drawn.reply)
    assert isinstance(turn, om.Done)
    assert turn.record == record


@for_each("name", DRAWN)
def test_without_a_history_in_the_prompts_a_form_has_none(name: str) -> None:
    for turn, _, form, _ in draw_episode(name, 1, without="history")[0]:
        said = list_words("\n".join(message.content for message in turn.messages))
        assert form is None or list_words("\n".join(list_facts(form))) - FIXED <= said


def test_a_form_of_a_matrix_game_has_the_payoffs_only_where_the_prompt_has_them() -> None:
    titles = [
        [part.title for part in form.parts if isinstance(part, Table)]
        for without in ("", "payoffs")
        if isinstance(form := draw_episode("ipd-mixed-v1", 0, without=without)[0][-1].form, Form)
    ]
    assert [len(tables) for tables in titles] == [2, 1]


@for_each(("name", "knows"), [("wavelength-giver-mixed-v1", True), ("wavelength-guesser-mixed-v1", False)])
def test_the_dial_shows_the_target_to_who_gives_the_clue(name: str, knows: bool) -> None:
    for turn, _, form, _ in draw_episode(name, 1)[0]:
        assert form is not None
        targets = [
            square.text
            for part in form.parts
            if isinstance(part, Board)
            for square in part.rows[0]
            if square.colour != "plain"
        ]
        assert targets == re.findall(r"The target is position (\d)", turn.observation)[-1:]
        assert bool(targets) == knows


def test_rounds_that_the_messages_do_not_tell_are_not_drawn() -> None:
    turn, scene, _, _ = draw_episode("ipd-mixed-v1", 0)[0][-1]
    form = draw_form(scene, [turn.messages[0], turn.messages[-1]])
    assert form is not None
    said = list_words(turn.messages[0].content + turn.observation)
    assert list_words("\n".join(list_facts(form))) - FIXED <= said
    assert len([*list_facts(form)]) < len([*list_facts(draw_form(scene, turn.messages) or form)])


def test_a_question_that_the_messages_do_not_ask_is_not_drawn() -> None:
    turn, scene, form, _ = draw_episode("ipd-mixed-v1", 0)[0][0]
    assert form is not None
    assert draw_form(scene, turn.messages) == form
    assert draw_form(scene, turn.messages[:1]) is None
    assert draw_form(scene, [Message("user", turn.observation)]) is None
    assert draw_form(None, turn.messages) is None


@for_each("name", DRAWN)
def test_a_page_has_each_button_once_the_text_and_sends_what_is_pressed(name: str) -> None:
    press_buttons(name, 3)


@pytest.mark.slow
@for_each("name", DRAWN)
def test_whole_episodes_are_played_by_buttons_of_pages(name: str) -> None:
    press_buttons(name, 1_000)


def press_buttons(name: str, most: int) -> None:
    """Plays the first ``most`` turns of an episode on the pages that a server sends."""
    chair = make_chair()
    with serve_chair(chair) as link, httpx.Client(headers={"origin": link.rpartition("/s/")[0]}) as client:
        for turn, scene, form, reply in draw_episode(name, 1)[0][:most]:
            answer = chair.ask(turn, scene)
            page = client.get(link).text
            values = [
                html.unescape(value) for value in re.findall(r'name="reply"[^>]* value="([^"]+)"', page)
            ]
            pressed = [value for value in values if TEXT not in value]
            assert len(pressed) == len({*pressed})
            assert ("<textarea" in page) == bool(scene and scene.ask.forms)
            assert reply in pressed
            if form is not None:
                assert all(line in html.unescape(page) for line in hide_form(turn).splitlines())
            number = re.findall(r'name="turn" value="(\d+)"', page)[0]
            assert (
                client.post(link, data={"turn": number, "reply": reply, "text": "other"}).status_code == 303
            )
            assert answer.result(0) == reply


def test_a_field_sends_its_text_as_a_message_of_the_household() -> None:
    chair = make_chair()
    turn, scene, form, _ = draw_episode(HOUSE, 1)[0][0]
    assert scene is not None
    assert form is not None
    fields = [part for part in form.parts if isinstance(part, Writing)]
    assert [[button.name for button in part.buttons] for part in fields] == [
        ["Communicate agent_1", "Communicate agent_2", "Communicate all"],
        ["FindObjectTool", "FindReceptacleTool", "FindRoomTool"],
    ]
    with serve_chair(chair) as link, httpx.Client(headers={"origin": link.rpartition("/s/")[0]}) as client:
        for number, button in enumerate([button for part in fields for button in part.buttons], 1):
            answer = chair.ask(turn, scene)
            text = "hat_0 is on\n stand_60." if "Communicate" in button.name else "hat"
            client.post(link, data={"turn": str(number), "reply": button.reply, "text": text})
            call = scene.verbalizer.read(scene.ask, answer.result(0))
            assert call.replace("[", " ").startswith(button.name)
            assert " ".join(text.split()) in call


def test_a_form_that_raises_an_error_is_logged_and_the_next_one_is_drawn(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    turn, scene, form, _ = draw_episode("ipd-mixed-v1", 0)[0][0]
    registry: Registry[FormMaker] = Registry("form")
    for each in forms:
        registry.add(each, forms.get(each))
    monkeypatch.setattr("otherminds.web.forms.forms", registry)

    @registry.register("a_broken_one")
    def break_down(scene: Scene) -> Form | None:
        raise ZeroDivisionError("no board")

    assert draw_form(scene, turn.messages) == form
    assert "form 'a_broken_one' is left out" in caplog.text
    assert "no board" in caplog.text
