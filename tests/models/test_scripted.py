import asyncio
import json
import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Encounter, Message, Moment, Question, Turn
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Decoding
from otherminds.core.scenario import scenario
from otherminds.matrix.words import MatrixVerbalizer
from otherminds.matrix.world import EGO, PARTNER
from otherminds.models.registry import open_model
from otherminds.models.scripted import ScriptedModel, first
from otherminds.play.seat_context import Now, SeatContext
from tests.cases import for_each

NAMES = ["first", "uniform", "echo_last"]
GAME = scenario("rps-single-v1", {}).game
TELLING = MatrixVerbalizer(GAME, EGO, PARTNER, ("J", "F", "B"), ("J", "F", "B"), (2, 0, 1), 100)
CHOICES = list(GAME.behaviours[0])


def prompt(step: int = 0, history: str = "", own: int | None = None):
    ask = TELLING.ask(Turn(), Moment(step, None), own)
    answers = "\n".join(ask.template.format(label) for label in ask.labels)
    return (
        ask,
        f"Rules.\n\n{history}{ask.text}",
        f"Rules.\n\n{history}{ask.text}\nOne of these lines:\n{answers}",
    )


def reply(name: str, words: str, seed: int = 0, schema=None) -> str:
    decoding = Decoding(seed=seed, schema=schema)
    return asyncio.run(open_model(f"scripted:{name}").generate([Message("user", words)], decoding)).text


def score(name: str, words: str, labels) -> tuple[float, ...]:
    return asyncio.run(
        open_model(f"scripted:{name}").score(words, [f" {label}" for label in labels])
    ).logprobs


def told(own: str, other: str) -> str:
    did = {EGO: (own,), PARTNER: (other,)}
    return TELLING.tell(Moment(1, 0, 0.0, (Encounter(0, did, 0.0),))) + "\n"


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 2**31 - 1), step=st.integers(0, 99))
def test_replies_are_read_and_agree_with_the_telling(name, seed, step):
    ask, _, words = prompt(step)
    said = reply(name, words, seed)
    assert TELLING.read(ask, said) in ask.options
    assert said == reply(name, words, seed)


@for_each("name", NAMES)
def test_scores_are_a_distribution_with_one_favourite(name):
    ask, words, _ = prompt()
    found = score(name, f"{words}\n{ask.cue}", ask.labels)
    assert sum(map(math.exp, found)) == pytest.approx(1)
    assert sorted(found)[-1] > sorted(found)[-2]
    assert score(name, words, ask.labels[:1]) == (0.0,)


def test_first_takes_what_is_listed_first():
    ask, words, asked = prompt()
    assert ask.labels == ("B", "J", "F")
    assert reply("first", asked) == "A: Option B"
    assert max(score("first", words, ask.labels)) == score("first", words, ask.labels)[0]


def test_uniform_takes_each_equally_often():
    ask, words, asked = prompt()
    drawn = Counter(reply("uniform", asked, seed) for seed in range(3000))
    assert len(drawn) == 3
    assert all(900 < n < 1100 for n in drawn.values())
    scored = [score("uniform", f"{words}{n}", ask.labels) for n in range(300)]
    favourites = Counter(found.index(max(found)) for found in scored)
    assert all(70 < favourites[i] < 130 for i in range(3))


@for_each("own", [None, 0, 1, 2])
@for_each("other", CHOICES)
def test_echo_last_repeats_what_the_other_did(own, other):
    history = told("rock", "paper") + told("scissors", other)
    ask, words, asked = prompt(2, history, own)
    name = "JFB"[CHOICES.index(other)]
    assert reply("echo_last", asked) == f"A: Option {name}"
    found = score("echo_last", words, ask.labels)
    assert ask.labels[found.index(max(found))] == name


@for_each("own", [None, 0, 1, 2])
@for_each("other", CHOICES)
def test_echo_last_continues_the_history_with_what_the_other_did(own, other):
    ask = TELLING.ask(
        Question("q", EGO, "after", "", tuple(CHOICES), 1 / 3, about=PARTNER), Moment(2, None), own
    )
    history = "Rules.\n\n" + told("rock", "paper") + told("scissors", other)
    found = score("echo_last", history + ask.continuation, ask.labels)
    assert ask.options[found.index(max(found))] == other


def test_echo_last_knows_whole_words_only():
    found = score(
        "echo_last", "The other chose Rocket after Rock, then Paper, then Rocket.", ["Rock", "Paper"]
    )
    assert found[1] > found[0]


@for_each(("labels", "said"), [(("Rock", "Rice"), "Rice"), (("J", "JJ"), "JJ"), (("J",), "J")])
def test_labels_may_begin_alike(labels, said):
    answers = "\n".join(f"A: Option {label}" for label in labels)
    words = f"The other player chose Option {said}.\nNow choose.\nQ: Which?\nOne of these lines:\n{answers}"
    assert reply("echo_last", words) == f"A: Option {said}"


def test_a_schema_is_kept_to():
    ask, _, words = prompt()
    assert json.loads(reply("first", words, schema=ask.schema)) == {"option": "B"}


def test_without_options_nothing_is_chosen():
    ask, words, _ = prompt()
    assert TELLING.read(ask, reply("first", words)).reason == "no answer in the form asked for"


def test_names_that_do_not_exist():
    with pytest.raises(StudyError, match="'secnod'; choose from first, uniform, echo_last"):
        open_model("scripted:secnod")


def test_own_functions():
    def words(messages, decoding):
        if "fail" in messages[-1].content:
            raise ProviderError("the service is away")
        return f"<think>{len(messages)}</think>seed {decoding.seed}"

    model = ScriptedModel(words, lambda prompt, continuations: [-1.0] * len(continuations))
    answer = asyncio.run(model.generate([Message("system", "a b"), Message("user", "c")], Decoding(seed=7)))
    assert (answer.text, answer.reasoning, answer.usage.prompt) == ("seed 7", "2", 3)
    assert asyncio.run(model.score("x", [" a", " b"])).logprobs == (-1.0, -1.0)
    with pytest.raises(ProviderError, match="away"):
        asyncio.run(model.generate([Message("user", "fail")], Decoding()))


def test_a_model_without_scores_is_seen_to_have_none():
    model = ScriptedModel(lambda messages, decoding: "yes")
    context = SeatContext("ego", 0, Now(), None, model)
    with pytest.raises(StudyError, match="cannot score"):
        asyncio.run(context.score("x", [" a"], "act"))
    assert hasattr(first(), "score")
