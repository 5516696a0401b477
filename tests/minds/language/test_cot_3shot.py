"""CoT 3-Shot prompting: three worked examples stand before the history."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from otherminds import EpisodeSpec, Record, Scenario, SeatSpec
from otherminds.core.data import Turn
from otherminds.core.errors import StudyError
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import automaton, games
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play
from otherminds.testing.stage import stage
from otherminds.worlds.registry import scenario

Episode = Callable[..., Record]
SHOT = SeatSpec("cot_3shot", model="stand-in")


def test_the_examples_are_the_tellings_own_and_stand_between_rules_and_history(
    episode: Episode, stand_in: Any, agreeable: Any, said: Any
) -> None:
    record = episode(SHOT, stand_in(agreeable()))
    built = scenario("ipd-tit_for_tat-v1", {"rounds": 5})
    telling = built.telling(record.drawn, "ego")
    world = built.world()
    world.reset(options={"grants": {"ego": {"game": built.game}}})
    brief = world.brief("ego")
    for purpose, about in (("act", Turn(0)), ("predict", record.questions[0])):
        examples = telling.examples(about, brief)
        assert len(examples) == 3
        for prompt in said(record, purpose):
            at = [prompt.index(example) for example in examples]
            assert at == sorted(at)
            assert at[0] > prompt.index("You play 5 rounds in total")
            own = prompt[at[2] + len(examples[2]) :]
            assert own.startswith("\n\nNow it is your turn.\n")
            assert prompt.count("Now it is your turn.") == 1
            assert own.count("Thus, you won") == prompt.count("Thus, you won") - 9, "three rounds an example"


def test_choices_and_predictions_have_examples_of_their_own(
    episode: Episode, stand_in: Any, agreeable: Any, said: Any
) -> None:
    record = episode(SHOT, stand_in(agreeable()))
    for purpose, asks, not_asked in (
        ("act", "Q: Which Option do you choose?", "Q: Which Option does the other player choose?"),
        ("predict", "Q: Which Option does the other player choose?", "Q: Which Option do you choose?"),
    ):
        assert all(prompt.count(asks) == 3 and not_asked not in prompt for prompt in said(record, purpose))


def test_it_reasons_as_cot_does(episode: Episode, stand_in: Any, agreeable: Any, said: Any) -> None:
    few = episode(SHOT, stand_in(agreeable()))
    none = episode(SeatSpec("cot", model="stand-in"), stand_in(agreeable()))
    for purpose in ("act", "predict"):
        for with_examples, without in zip(said(few, purpose), said(none, purpose), strict=True):
            rules, rest = without.split("\n\n", 1)
            assert with_examples.startswith(rules)
            assert with_examples.endswith(rest)


def elsewhere(words: ModuleType, shows: int, stand_in: Any) -> Record:
    """Two rounds in a world whose telling has ``shows`` examples."""
    game = games.get("ipd")()

    built: Scenario = stage(game, 2, lambda: AutomatonPlayer(automaton("tit_for_tat", game, 2, {})))
    built = dataclasses.replace(built, telling=words.telling(built, shows))
    mind = make_mind(SHOT)
    spec = EpisodeSpec(
        built.id, {"ego": SHOT, "partner_0": SeatSpec("partner")}, 0, grants={"ego": ("payoffs",)}
    )
    model = stand_in(lambda prompt, decoding: "Hm.\nVerily <defect>")
    return asyncio.run(play(spec, built, {"ego": mind}, {"ego": model}))[0]


def test_a_world_without_examples_is_a_fault_of_the_study(words: ModuleType, stand_in: Any) -> None:
    with pytest.raises(StudyError, match="no worked examples") as caught:
        elsewhere(words, 0, stand_in)
    assert "\n" not in str(caught.value)
    assert elsewhere(words, 3, stand_in).outcome.status == "scored"


def test_matrix_games_have_none_without_payoffs(episode: Episode, stand_in: Any, agreeable: Any) -> None:
    with pytest.raises(StudyError, match="no worked examples"):
        episode(SeatSpec("cot_3shot", {"payoffs": False}, model="stand-in"), stand_in(agreeable()))
