"""Prompting strategies in matrix games get the same ability as minds that reason in steps."""

import asyncio
from math import exp

import pytest

import otherminds as om
from otherminds.core.data import Invalid, Message
from otherminds.core.model import Decoding, Scores
from otherminds.core.record import Record, SeatSpec, prompts
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.measures.literal import answers, right
from otherminds.minds.registry import make_mind, strategies
from otherminds.models.competent.model import read_matrix_prompt
from otherminds.models.competent.parsing import Met
from otherminds.models.registry import open_model
from otherminds.models.scripted import ScriptedModel
from otherminds.testing.episodes import played
from tests.cases import depth, for_each
from tests.minds.language.plain import REFLECT
from tests.models.competent.prompts import MATRIX_SYSTEM

RULES = (
    "You play a game repeatedly with another player. In each round you may choose between Option J and Option F. "
    f"You play 9 rounds in total with the same player. What each of you gets in a round:\n{MATRIX_SYSTEM}"
)
COURSE = (
    "In round 1, you chose Option J and the other player chose Option F. Thus, you won 0 points and the other player "
    "won 5 points.\n"
    "In round 2, you chose Option F and the other player chose Option F. Thus, you won 1 points and the other player "
    "won 1 points."
)
NOW = "You are currently playing round 3."
CHOOSE = f"{NOW}\nQ: Which Option do you choose, Option J or Option F?"
PREDICT = f"{NOW}\nQ: Which Option does the other player choose, Option J or Option F?"
AT_ONCE = "Write exactly one of these lines and stop:\nA: Option J\nA: Option F"
P, Q = 0.8, 0.7


def episode(strategy: str, name: str, spec: str, seed: int = 1, rounds: int = 20, **params: object) -> Record:
    built = scenario(name, {"rounds": rounds})
    mind = make_mind(SeatSpec(strategy, params, model=spec))
    return played(Setup(built, {"ego": Participant(mind, open_model(spec))}, seed))


def said(prompt: str, spec: str = "competent", seed: int = 0) -> str:
    return asyncio.run(open_model(spec).generate([Message("user", prompt)], Decoding(seed=seed))).text


def scored(prompt: str, continuations: list[str]) -> tuple[float, ...]:
    async def once() -> Scores:
        model = open_model("competent")
        assert isinstance(model, ScriptedModel)
        return await model.score(prompt, continuations)

    return tuple(asyncio.run(once()).logprobs)


def as_the_perfect_would(records: list[Record], purpose: str) -> list[bool]:
    """Of each call but the first rounds', whether its reply is that of a model that never errs."""
    return [
        call.reply == said(prompt[-1].content)
        for record in records
        for call, prompt in zip(record.calls, prompts(record.calls), strict=True)
        if call.purpose == purpose and call.step
    ]


def share(found: list[bool]) -> float:
    return sum(found) / len(found)


def near(found: list[bool], expected: float) -> bool:
    """Within four standard errors."""
    return abs(share(found) - expected) < 4 * (expected * (1 - expected) / len(found)) ** 0.5


def test_a_prompt_is_read() -> None:
    found = read_matrix_prompt(
        f"{RULES}\n\n{COURSE}\nYou predict what the other player does next: Option F.\n{CHOOSE}\n{AT_ONCE}"
    )
    assert found is not None
    assert (found.own, found.labels, found.told, found.first) == (True, ("J", "F"), "F", False)
    assert found.rounds == (Met("round 1", "J", 0, "F"), Met("round 2", "F", 1, "F"))


def test_the_same_situation_follows_as_from_a_form() -> None:
    found = read_matrix_prompt(f"{RULES}\n\n{COURSE}\n{PREDICT}\n{AT_ONCE}")
    assert found is not None
    prompt = found.said_again()
    assert prompt.form == {"they_play": "J"}
    assert prompt.payoffs is not None
    assert prompt.payoffs.mine == ((3, 0), (5, 1))
    assert prompt.encounters == {"the other player": found.rounds}


def test_rounds_of_worked_examples_were_never_played() -> None:
    example = f"Example 1. The same game, with another player:\n{COURSE}\n{CHOOSE}\nBecause.\nA: Option J"
    found = read_matrix_prompt(f"{RULES}\n\n{example}\n\nNow it is your turn.\n{CHOOSE}\n{AT_ONCE}")
    assert found is not None
    assert (found.rounds, found.labels) == ((), ("J", "F"))


def test_other_prompts_are_not_forced_choices() -> None:
    assert read_matrix_prompt("You stand in a kitchen.\nQ: Which Option, Option a or Option b?") is None
    assert said("Hello.") == "I was not asked for anything that I can answer."


@pytest.mark.parametrize(("question", "answer"), [(CHOOSE, "F"), (PREDICT, "F")])
def test_the_answer_is_a_line_of_the_form(question: str, answer: str) -> None:
    assert said(f"{RULES}\n\n{COURSE}\n{question}\n{AT_ONCE}") == f"A: Option {answer}"


def test_reasons_stand_above_where_they_are_asked_for() -> None:
    reply = said(f"{RULES}\n\n{COURSE}\n{CHOOSE}\nThink step by step. Then {AT_ONCE}")
    assert reply == "They always play F.\nA: Option F"


def test_text_is_the_strategy_that_fits_and_a_rewriting_is_what_was_told() -> None:
    assert said(f"{RULES}\n\n{COURSE}\n{REFLECT}") == "They always play F."
    assert said(f"{RULES}\n\n{REFLECT}") == "I know nothing yet of what they do."
    assert said(f"{RULES}\n\n{COURSE}\n{CHOOSE}\n\nRewrite the text above it.") == f"{RULES}\n\n{COURSE}"


def test_without_rules_and_history_any_option_is_an_answer() -> None:
    for question in (CHOOSE, PREDICT):
        assert said(f"{question}\n{AT_ONCE}") in ("A: Option J", "A: Option F")


@for_each("told", ["J", "F"])
@for_each("words", ["predict", "know for certain"])
def test_a_prediction_that_is_told_is_acted_on_without_a_history_too(words: str, told: str) -> None:
    battle = RULES.replace("you win 0 ", "you win 6 ")  # now the best against F is J
    line = f"You {words} what the other player does next: Option {told}."
    best = {"J": "F", "F": "J"}[told]
    assert said(f"{battle}\n\n{line}\n{CHOOSE}\n{AT_ONCE}") == f"A: Option {best}"


@pytest.mark.parametrize("question", [CHOOSE, PREDICT])
def test_scores_favour_the_answer(question: str) -> None:
    prompt = f"{RULES}\n\n{COURSE}\n{question}\nA: Option"
    scores = scored(prompt, [" J", " F"])
    assert scores[1] > scores[0]
    assert sum(map(exp, scores)) == pytest.approx(1)


@pytest.mark.parametrize(
    "line",
    [
        "In round {}, you chose Option",
        "In round {}, you chose Option J and the other player chose Option",
        "In round {}, you chose Option F and the other player chose Option",
        "In round {}, the other player chose Option",
    ],
)
def test_scores_of_a_continuation_are_those_of_the_question(line: str) -> None:
    question = CHOOSE if line.endswith("you chose Option") else PREDICT
    now = COURSE.count("In round ") + 1
    continued = scored(f"{RULES}\n\n{COURSE}\n{line.format(now)}", [" J", " F"])
    assert continued == scored(f"{RULES}\n\n{COURSE}\n{question}\nA: Option", [" J", " F"])
    assert continued[0] != continued[1]


def test_scores_of_what_is_not_understood_are_all_alike() -> None:
    scores = scored("Hello", [" J", " F", " B"])
    assert len({*scores}) == 1


@pytest.mark.parametrize("seeds", depth(6, 12))
@for_each("strategy", ["qa", "cot"])
def test_predictions_have_the_accuracy_and_choices_err_by_themselves(strategy: str, seeds: int) -> None:
    """Against one constant option: the choice is best by a right prediction, or wrong twice over, 1 in 2."""
    spec = f"competent:accuracy={P}&rationality={Q}"
    records = [episode(strategy, "rps-single-v1", spec, seed) for seed in range(seeds)]
    hits = [right(asked) for record in records for asked in answers(record) if asked.step]
    best = [reward[0] > 0 for record in records for reward in record.rewards[1:]]
    assert near(hits, P)
    assert near(best, P * Q + (1 - P) * (1 - Q) / 2)
    both = [one and other for one, other in zip(hits, best, strict=True)]
    assert near(both, share(hits) * share(best))


@pytest.mark.parametrize("seeds", depth(4, 12))
@for_each("name", ["rps-single-v1", "ipd-mixed-v1"])
def test_accuracy_and_rationality_are_what_was_set(name: str, seeds: int) -> None:
    accurate = [episode("qa", name, f"competent:accuracy={P}", seed) for seed in range(seeds)]
    assert near(as_the_perfect_would(accurate, "predict"), P)
    rational = [episode("qa", name, f"competent:rationality={Q}", seed) for seed in range(seeds)]
    assert near(as_the_perfect_would(rational, "act"), Q)


@pytest.mark.parametrize("seeds", depth(4, 12))
@for_each("name", ["rps-single-v1", "ipd-mixed-v1"])
def test_social_prompting_is_acted_on_with_the_rationality_whatever_the_accuracy(
    name: str, seeds: int
) -> None:
    spec = f"competent:accuracy={P}&rationality={Q}"
    records = [episode("social_qa", name, spec, seed) for seed in range(seeds)]
    assert near(as_the_perfect_would(records, "expect"), P)
    assert near(as_the_perfect_would(records, "act"), Q)


@for_each("name", ["rps-mixed-v1", "ibs-mixed-v1", "ipd-mixed-v1"])
@for_each("strategy", [*strategies])
def test_no_reply_is_invalid(strategy: str, name: str) -> None:
    spec = f"competent:accuracy={P}&rationality={Q}"
    record = episode(strategy, name, spec, rounds=8)
    assert record.outcome.status == "scored"
    assert all(asked.invalid is None for asked in record.asked)
    assert not any(isinstance(action, Invalid) for actions in record.actions for action in actions)
    assert all(call.attempt == 0 for call in record.calls)


@for_each("left_out", ["payoffs", "history"])
@for_each("strategy", ["cot", "lm", "oracle", "reflexion", "s2a", "social_qa"])
def test_what_is_left_out_is_done_without(strategy: str, left_out: str) -> None:
    record = episode(strategy, "rps-mixed-v1", "competent", rounds=6, **{left_out: False})
    assert record.outcome.status == "scored"
    assert all(call.attempt == 0 for call in record.calls)


@for_each("names", ["letters", "repeated", "canonical", "nonsense"])
def test_options_may_be_called_anything(names: str) -> None:
    built = scenario("rps-single-v1", {"rounds": 10, "names": names})
    mind = make_mind(SeatSpec("qa", {}, model="competent"))
    record = played(Setup(built, {"ego": Participant(mind, open_model("competent"))}, 0))
    assert [right(asked) for asked in answers(record)][1:] == [True] * 9
    assert [reward[0] for reward in record.rewards][1:] == [1] * 9


@for_each("name", ["rps-mixed-v1", "ipd-mixed-v1", "ibs-mixed-v1"])
def test_a_conversation_is_read_as_the_same_rounds_in_one_prompt(name: str) -> None:
    """Under ``chat`` earlier rounds stand in earlier messages; it plays and predicts as under ``qa``."""
    for seed in range(3):
        by_mind = [
            om.play(name, f"{mind}@competent", seed=seed, options={"rounds": 12}) for mind in ("chat", "qa")
        ]
        chat, qa = ([answer.answer for answer in record.asked] for record in by_mind)
        assert by_mind[0].actions == by_mind[1].actions
        assert chat == qa
