"""The sentence that a language model reads in each arm: in the prompt of its choice, in the words of the prompt, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from otherminds import Record, SeatSpec
from otherminds.core.data import Automaton, Notice
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.games.registry import automaton, ibs, rps
from otherminds.minds.language.notices import describe_policy, write_notice
from otherminds.minds.language.wording import wording
from otherminds.minds.registry import make_mind
from otherminds.play.interventions import ADVICE, BELIEF, OWN, PREDICTION, REMIND, TYPE
from otherminds.play.loop import play

LETTERS = ("J", "F", "B")
SENTENCES = {
    PREDICTION: "You know for certain what the other player does next: Option {}.",
    REMIND: "You predict what the other player does next: Option {}.",
    OWN: "You predict what the other player does next: Option {}.",
    ADVICE: "You are given this advice: what the other player does next is Option {}.",
}
STRATEGIES = ("qa", "cot", "plans_insights", "reflexion", "social_qa", "tool_loop", "chat", "lm", "social_lm")


def play_arm(arm: str, strategy: str, model: Any, name: str = "rps-mixed-v1") -> Record:
    """Four rounds with the behaviours called J, F and B in this order."""
    built = scenario(name, {"rounds": 4, "names": [*LETTERS]})
    ego = Participant(make_mind(SeatSpec(strategy, {}, "stand-in")), model)
    return asyncio.run(play(Setup(built, {"ego": ego}, 1, intervention=arm)))[0]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("arm", SENTENCES)
def test_the_prompt_of_each_choice_and_no_other_has_the_sentence(
    stand_in: Any, agreeable: Any, said: Callable[..., list[str]], arm: str, strategy: str
) -> None:
    record = play_arm(arm, strategy, stand_in(agreeable(), favourite=" J"))
    shown = [note.data["behaviour"] for note in record.notes if note.kind == "shown"]
    assert len(shown) == 4
    behaviours = rps().behaviours[1]
    wanted = [SENTENCES[arm].format(LETTERS[behaviours.index(behaviour)]) for behaviour in shown]
    for sentence, prompt in zip(wanted, said(record, "act"), strict=True):
        assert sentence in prompt.splitlines()
    if arm in (PREDICTION, ADVICE):  # social prompting has a sentence of its own about predictions
        start = SENTENCES[arm].partition("{}")[0]
        others = {call.purpose for call in record.calls} - {"act"}
        assert not any(start in prompt for purpose in others for prompt in said(record, purpose))


@pytest.mark.parametrize("strategy", ["qa", "tool_loop", "lm"])
def test_the_prompt_without_the_sentence_is_that_of_an_ordinary_episode(
    stand_in: Any, agreeable: Any, said: Callable[..., list[str]], strategy: str
) -> None:
    ordinary, told = (
        said(play_arm(arm, strategy, stand_in(agreeable(), favourite=" J")), "act")
        for arm in ("none", PREDICTION)
    )
    start = SENTENCES[PREDICTION].partition("{}")[0]
    without = ["\n".join(line for line in text.splitlines() if not line.startswith(start)) for text in told]
    assert without == ["\n".join(text.splitlines()) for text in ordinary]


def test_a_duel_is_told_in_its_own_words(stand_in: Any, said: Callable[..., list[str]]) -> None:
    built = scenario("rws-repeated-mixed-v1", {"steps": 200})
    model = stand_in(lambda prompt, decoding: "A: Option rock")
    ego = Participant(make_mind(SeatSpec("qa", {}, "stand-in")), model)
    record = asyncio.run(play(Setup(built, {"ego": ego}, 1, intervention=PREDICTION)))[0]
    prompts = said(record, "act")
    assert prompts
    shown = [note.data["behaviour"] for note in record.notes if note.kind == "shown"]
    for behaviour, prompt in zip(shown, prompts, strict=True):
        assert SENTENCES[PREDICTION].format(behaviour) in prompt


POLICIES = {
    "it always chooses Option F": automaton("single", rps(), 9, {"behaviour": 1}),
    "it begins with Option J; after you chose Option J, it chooses Option J; after you chose Option F, it chooses Option F": (
        automaton("tit_for_tat", ibs(), 9, {})
    ),
}


@pytest.mark.parametrize("policy", POLICIES)
def test_a_type_is_told_as_what_the_partner_does(policy: str) -> None:
    automaton = POLICIES[policy]
    own = [f"Option {letter}" for letter in LETTERS[: len(automaton.output[0])]]
    notice = Notice(TYPE, "partner_0", text="some_name", policy=automaton)
    by_name = dict(zip("abc", own, strict=False))
    sentence = write_notice(notice, wording("plain"), own, by_name.__getitem__, [*by_name])
    assert sentence == f"You know for certain how the other player decides: {policy}."


@pytest.mark.parametrize(
    "policy",
    [None, automaton("noisy_tit_for_tat", rps(), 9, {"noise": 0.2}), automaton("grim", ibs(), 9, {})],
    ids=["unknown", "by chance", "by more than the last act"],
)
def test_a_type_that_its_automaton_does_not_describe_is_told_in_its_own_words(
    policy: Automaton | None,
) -> None:
    assert policy is None or describe_policy(policy, LETTERS, LETTERS) is None
    notice = Notice(TYPE, "partner_0", text="it keeps its word", policy=policy)
    sentence = write_notice(notice, wording("plain"), LETTERS, str, LETTERS)
    assert sentence.endswith("decides: it keeps its word.")


def test_a_belief_is_told_in_the_words_of_the_world() -> None:
    notice = Notice(BELIEF, "partner_0", text="It thinks that the cup is in the sink.")
    assert write_notice(notice, wording("plain"), (), str, ()) == "It thinks that the cup is in the sink."
