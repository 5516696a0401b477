"""``otherminds prompts``: what is sent, from the packs, without a model."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from otherminds.core.errors import StudyError
from otherminds.minds.language.wording import content, shipped_packs, wording
from otherminds.wordgames.rules import GAMES
from tests.cases import for_each
from tests.cli.running import invoked


def shown(*arguments: str) -> str:
    found = invoked("prompts", *arguments)
    if isinstance(found.exception, StudyError):
        raise found.exception
    assert found.exit_code == 0, found.output
    return found.output


def test_a_decision_and_a_prediction_are_shown_with_roles() -> None:
    text = shown("show", "qa", "rps")
    assert text.count("--- user ---\nYou play a game repeatedly with another player.") == 2
    assert "=== act: a reply of at most 24 tokens ===" in text
    assert "=== predict: a reply of at most 24 tokens ===" in text
    assert "You are currently playing round 1.\nQ: Which Option do you choose, Option" in text


def test_a_later_round_shows_the_history_and_a_conversation_its_messages() -> None:
    text = shown("show", "tool_loop", "ipd-tit_for_tat-v1", "--round", "3")
    assert text.count("--- system ---") == 2
    assert text.count("--- assistant ---") == 2 + 3, "the prediction comes after the choice of the round"
    assert "In round 2, you chose" in text
    assert "In round 3," not in text


def test_scores_are_shown_as_text_with_its_continuations() -> None:
    text = shown("show", "lm", "ibs")
    assert "log-probabilities of ' " in text
    assert "--- user ---" not in text
    assert re.search(
        r"^In round 1, you chose Option \w and the other player chose Option$", text, re.MULTILINE
    )
    assert "Q: " not in text
    assert shown("show", "lm", "ibs", "--pack", "question").rstrip().endswith("A: Option")


def test_a_round_after_the_default_length_makes_the_game_longer() -> None:
    assert "You play 120 rounds in total" in shown("show", "qa", "ipd", "--round", "120")


ROUNDS = {
    **{f"{game}-mixed-v1": "Round 3" for game in GAMES},
    "tiny_hanabi-mixed-v1": "Game 3",
    "acted_beliefs-tell-first-v1": "Encounter 3",
    "rps-single-v1": "round 3",
}
"""Scenarios whose rounds take one step or several, with the name of the third round in their texts."""


@for_each("scenario", ROUNDS)
def test_a_round_is_what_the_text_counts_however_many_steps_it_takes(scenario: str) -> None:
    called = ROUNDS[scenario]
    text = shown("show", "qa", scenario, "--round", "3")
    requests = re.split(r"^=== .* ===$", text, flags=re.MULTILINE)[1:]
    assert requests
    for request in requests:
        assert re.findall(rf"{called[:-1]}\d+", request)[-1] == called
    number = f"{called[:-1]}1"
    assert re.findall(rf"{called[:-1]}\d+", shown("show", "qa", scenario))[-1] == number


def test_a_world_without_rounds_counts_steps_and_says_so() -> None:
    assert "=== act" in shown("show", "qa", "hanabi-small-2p-mixed-v1")
    with pytest.raises(StudyError, match=r"sends nothing in step 999; the episode has \d+ steps"):
        shown("show", "qa", "hanabi-small-2p-mixed-v1", "--round", "999")


def test_a_pack_of_the_user_is_used_by_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(shown("pack", "terse").replace("Answer with", "Kindly answer with"))
    text = shown("show", "qa", "rps", "--pack", str(file))
    assert "Kindly answer with one line only, exactly as shown:" in text
    assert "Repeated game, two players" in text


@for_each("name", list(shipped_packs()))
def test_a_shipped_pack_can_be_copied_whole(tmp_path: Path, name: str) -> None:
    file = tmp_path / "copy.toml"
    file.write_text(shown("pack", name))
    given = tomllib.loads(file.read_text())
    assert wording(content(file)).answer == wording(name).answer
    assert set(given["frame"]) >= {"rules", "round", "choose", "predict"}
    assert shown("show", "social_qa", "ipd", "--pack", str(file)) == shown(
        "show", "social_qa", "ipd", "--pack", name
    )


def test_a_pack_has_the_frame_of_the_world_that_it_is_printed_for() -> None:
    for name in shipped_packs():
        framed = shown("pack", name)
        assert shown("pack", name, "ipd-tit_for_tat-v1") == framed
        bare = shown("pack", name, "cooking-asymmetric-0-v1")
        assert framed.startswith(bare.rstrip())
        assert ("frame" in tomllib.loads(bare)) == bool(wording(name).frame)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("qaa", "rps"), "no strategy is called 'qaa'; did you mean qa"),
        (("qa", "rpss"), "no game or scenario is called 'rpss'; did you mean rps"),
        (("qa", "rps", "--pack", "ters"), "did you mean terse"),
        (("qa", "rps", "--pack", "none.toml"), "there is no file none.toml"),
        (("qa", "bimatrix-single-v1"), "needs the option 'game'"),
    ],
)
def test_a_wrong_name_is_answered_with_near_ones(arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(StudyError, match=said):
        shown("show", *arguments)
