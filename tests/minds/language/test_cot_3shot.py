"""CoT 3-Shot prompting: three worked examples stand before the history."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from otherminds import Record, Scenario, SeatSpec
from otherminds.core.contracts import Probe
from otherminds.core.data import Question, Turn
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import automaton, games
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play
from otherminds.testing.partners import stage
from tests.minds.language import words

Episode = Callable[..., Record]
SHOT = SeatSpec("cot_3shot", model="stand-in")


def test_the_examples_are_the_tellings_own_and_stand_between_rules_and_history(
    episode: Episode, stand_in: Any, agreeable: Any, said: Any
) -> None:
    record = episode(SHOT, stand_in(agreeable()))
    built = scenario("ipd-tit_for_tat-v1", {"rounds": 5})
    telling = built.verbalizer(record.drawn, "ego")
    world = built.world()
    world.reset(options={"grants": {"ego": {"game": built.game}}})
    brief = world.brief("ego")
    for purpose, about in (("act", Turn()), ("predict", record.questions[0])):
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
        ("act", "Q: Which Option do you choose, ", "Q: Which Option does the other player choose, "),
        ("predict", "Q: Which Option does the other player choose, ", "Q: Which Option do you choose, "),
    ):
        assert all(prompt.count(asks) == 4 and not_asked not in prompt for prompt in said(record, purpose))


def test_it_reasons_as_cot_does(episode: Episode, stand_in: Any, agreeable: Any, said: Any) -> None:
    few = episode(SHOT, stand_in(agreeable()))
    none = episode(SeatSpec("cot", model="stand-in"), stand_in(agreeable()))
    for purpose in ("act", "predict"):
        for with_examples, without in zip(said(few, purpose), said(none, purpose), strict=True):
            rules, rest = without.split("\n\n", 1)
            assert with_examples.startswith(rules)
            assert with_examples.endswith(rest)


def elsewhere(words: ModuleType, shows: int, model: Any, rounds: int = 2, telling: Any = None) -> Record:
    """A world whose telling has ``shows`` examples, or is ``telling(scenario)``."""
    game = games.get("ipd")()

    built: Scenario = stage(game, rounds, lambda: AutomatonPlayer(automaton("tit_for_tat", game, rounds, {})))
    options = game.behaviours[1]
    probes = tuple(
        Probe(Question(f"next:partner_0:{when}", "ego", when, "", options, 0.5, about="partner_0"))
        for when in ("before", "after")
    )
    told = telling(built) if telling else words.telling(built, shows)
    built = dataclasses.replace(built, verbalizer=told, probes=probes)
    return asyncio.run(play(Setup(built, {"ego": Participant(make_mind(SHOT), model)})))[0]


def obliging(prompt: str, decoding: Any) -> str:
    return "Hm.\nVerily <defect>"


def test_a_world_without_examples_is_a_fault_of_the_study(stand_in: Any) -> None:
    with pytest.raises(StudyError, match="no worked examples") as caught:
        elsewhere(words, 0, stand_in(obliging))
    assert "\n" not in str(caught.value)
    assert elsewhere(words, 3, stand_in(obliging)).outcome.status == "scored"


@pytest.mark.parametrize("longer", ["deed", "before", "after"])
def test_room_is_kept_for_the_longer_examples_which_are_built_once_an_episode(
    stand_in: Any, monkeypatch: pytest.MonkeyPatch, longer: str
) -> None:
    monkeypatch.setattr("otherminds.minds.language.requests.RESERVE", 60)
    built: list[str] = []

    class Long(words.Words):
        def examples(self, about: Any, brief: Any) -> tuple[str, ...]:
            kind = "deed" if isinstance(about, Turn) else about.when
            built.append(kind)
            return (f"Example of a {kind}. " + "so " * (300 if kind == longer else 100),) * 3

    def telling(scene: Scenario) -> Any:
        make = words.telling(scene)

        def long(drawn: dict[str, Any], who: str) -> Any:
            told = make(drawn, who)
            return Long(told.seat, told.behaviours, told.skills)

        return long

    def episode(context: int) -> tuple[Any, Record]:
        model = stand_in(obliging, context=context)
        return model, elsewhere(words, 3, model, 60, telling)

    # 256 for the reply and 300 for the history.
    model, record = episode(60 + 256 + 3 * 306 + 300)
    assert record.outcome.status == "scored"
    assert any(note.kind == "context_folded" for note in record.notes)
    for prompt, decoding in zip(model.prompts, model.decodings, strict=True):
        assert model.count(prompt) + decoding.max_tokens <= model.context
    for call, prompt in zip(record.calls, model.prompts, strict=True):
        assert ("a deed." in prompt) is (call.purpose == "act")
        assert sum(f"a {kind}." in prompt for kind in built) == 1
    assert sorted(built) == ["after", "before", "deed"]
    assert not episode(60 + 256 + 3 * 306 + 700)[1].notes, "no room is kept twice"


def test_matrix_games_have_none_without_payoffs(episode: Episode, stand_in: Any, agreeable: Any) -> None:
    with pytest.raises(StudyError, match="no worked examples"):
        episode(SeatSpec("cot_3shot", {"payoffs": False}, model="stand-in"), stand_in(agreeable()))
