"""Free sentences: what is stated outright is read, whole; whatever is not certain is not read."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.household.epistemic.formula import Atom, Know, Not, show
from otherminds.household.epistemic.predicates import PREDICATES, goal_predicates, positive
from otherminds.household.epistemic.words import Fact
from otherminds.household.epistemic.words.free import read_message
from otherminds.household.epistemic.words.sentences import say
from tests.cases import for_each

ME, YOU = "agent_0", "agent_1"

READ = {
    "I have just opened cabinet_7 in the kitchen and left it open.": ["(is_open cabinet_7)"],
    "Cabinet 7 isn't open.": ["(is_closed cabinet_7)"],
    "I've put the cup_0 on top of table_15.": ["(is_on_top cup_0 table_15)"],
    "Both cabinet_7 and cabinet_8 have been closed.": ["(is_closed cabinet_7)", "(is_closed cabinet_8)"],
    "The lamp_2 was switched off by agent_1.": ["(is_powered_off lamp_2)"],
    "I picked up cup_0 and put it inside cabinet_3.": ["(is_inside cup_0 cabinet_3)"],
    "I opened fridge_3, then closed it again.": ["(is_closed fridge_3)"],
    "cup_0 is clean and no longer on table_1.": ["(is_clean cup_0)", "(not (is_on_top cup_0 table_1))"],
    "I put cup_0 in cabinet_3 and closed it.": ["(is_inside cup_0 cabinet_3)", "(is_closed cabinet_3)"],
    "I'm in kitchen_1 now, holding nothing. ": None,
    "I am now in kitchen_1.": ["(agent_in_room agent_0 kitchen_1)"],
    "You know that cup_0 is dirty.": ["(K agent_1 (is_dirty cup_0))"],
    "I know that agent_2 saw that fridge_3 is shut.": ["(K agent_2 (is_closed fridge_3))"],
    "The Coffee Table 3 is clean, and so is nothing else.": None,
    "The Coffee Table 3 is clean.": ["(is_clean coffee_table_3)"],
    "Update: bowl_0 is sitting on table_5 in bedroom_1.": [
        "(is_on_top bowl_0 table_5)",
        "(is_in_room bowl_0 bedroom_1)",
    ],
    "I opened cabinet_7 and will now go to kitchen_1.": ["(is_open cabinet_7)"],
    "pan_0 is inside oven_0. The oven is off.": ["(is_inside pan_0 oven_0)", "(is_powered_off oven_0)"],
    "cup_0 is put away in cabinet_3.": ["(is_inside cup_0 cabinet_3)"],
    "cup_0 was on table_1. It is on table_5 now.": ["(is_on_top cup_0 table_5)"],
}
"""What is stated by agent_0 to agent_1; None: not read."""

NOT_FACTS = (
    "I think cabinet_7 is open.",
    "Maybe cabinet_7 is open.",
    "cabinet_7 is probably open.",
    "cabinet_7 might be open.",
    "cabinet_7 should be open.",
    "cabinet_7 must be open by the end.",
    "If cabinet_7 is open, tell me.",
    "Once cabinet_7 is open, cup_0 is clean.",
    "Is cabinet_7 open?",
    "cabinet_7 is open, right?",
    "I will open cabinet_7.",
    "I am opening cabinet_7.",
    "I was about to open cabinet_7.",
    "I tried to open cabinet_7.",
    "I almost opened cabinet_7.",
    "I have not opened cabinet_7.",
    "I forgot that cabinet_7 is open.",
    "Please open cabinet_7.",
    "Open cabinet_7 and put cup_0 on table_1.",
    "Put cup_0 on table_1.",
    "agent_2 said that cabinet_7 is open.",
    "agent_2 told me cabinet_7 is open.",
    'agent_2: "cabinet_7 is open."',
    "agent_2: cabinet_7 is open",
    "agent_2 thinks that cabinet_7 is open.",
    "agent_2 does not know that cabinet_7 is open.",
    "I wish cabinet_7 were open.",
    "cabinet_7 was open.",
    "cabinet_7 used to be open.",
    "Nobody opened cabinet_7.",
    "cabinet_7 or cabinet_8 is open.",
    "It is not true that cabinet_7 is open.",
    "I doubt that cabinet_7 is open.",
    "cabinet_7 is open unless agent_2 closed it.",
    "Imagine cabinet_7 is open.",
    "cabinet_7 is as good as open.",
    "I dreamt that I opened cabinet_7.",
)


@for_each("text", READ)
def test_what_is_told_outright_is_read(text: str) -> None:
    found, due = read_message(text, me=ME, you=YOU), READ[text]
    assert list(map(show, found.facts)) == (due or [])
    assert bool(found.unread) == (due is None)


@for_each("text", NOT_FACTS)
def test_what_is_not_certain_is_no_fact(text: str) -> None:
    assert read_message(text, me=ME, you=YOU).facts == ()


@for_each("lead", ["Perhaps ", "I hope that ", "They say ", "Suppose ", "Unless ", "No, "])
@for_each("text", READ)
def test_nothing_is_read_behind_words_that_are_not_known(lead: str, text: str) -> None:
    one_sentence = text.rstrip(". ").replace(". ", " ")
    assert read_message(lead + one_sentence, me=ME, you=YOU).facts == ()


@for_each(
    "text",
    [
        "I moved cup_0 and cup_1 next to kettle_0 and bowl_0. It is clean.",
        "I put cup_0 on table_1. Strange things happened. It is clean.",
        "It is open.",
        "I am in kitchen_1 and cup_0 is with us.",
    ],
)
def test_where_it_may_mean_two_things_it_means_none(text: str) -> None:
    assert all("is_clean" not in show(fact) for fact in read_message(text, me=ME).facts)
    assert read_message(text, me=ME).unread


@for_each("text", ["Hello!", "Thanks, agent_1.", "Where is cup_0?", "I will go to kitchen_1 now."])
def test_what_states_nothing_is_read_too(text: str) -> None:
    found = read_message(text, me=ME)
    assert (found.facts, found.unread) == ((), ())


def test_without_a_writer_i_is_nobody() -> None:
    assert read_message("I am holding cup_0.").unread == ("I am holding cup_0.",)
    assert read_message("I opened cabinet_7.").facts == (Atom("is_open", ("cabinet_7",)),)


@given(st.data())
def test_the_controlled_language_is_read_as_it_is_meant(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(goal_predicates()))
    kinds = PREDICATES[name].kinds
    args = tuple(f"agent_{k}" if kind == "agent" else f"{kind}_{k}" for k, kind in enumerate(kinds))
    fact = data.draw(st.sampled_from([Atom(name, args), Not(Atom(name, args))]))
    knower = data.draw(st.sampled_from(["", "agent_5", ME]))
    stated = Know(knower, fact) if knower else fact
    found = read_message(say(Fact(stated), me=ME), me=ME)
    plain = [Know(f.agent, positive(f.inside)) if isinstance(f, Know) else positive(f) for f in found.facts]
    due = Know(knower, positive(fact)) if knower else positive(fact)
    assert due in plain
    assert not found.unread


WORDS = st.sampled_from(
    [
        "I",
        "you",
        "it",
        "they",
        "cabinet_7",
        "cup_0",
        "table_1",
        "kitchen_1",
        "agent_2",
        "is",
        "are",
        "was",
        "has",
        "have",
        "not",
        "opened",
        "closed",
        "put",
        "picked",
        "up",
        "on",
        "in",
        "inside",
        "the",
        "and",
        "but",
        ",",
        ".",
        ":",
        "(",
        ")",
        "which",
        "that",
        "knows",
        "left",
        "open",
        "shut",
        "clean",
        "now",
        "again",
        "to",
        "with",
        "from",
        "please",
        "will",
        '"',
        "?",
        "!",
        "because",
        "if",
        "maybe",
        "both",
    ]
)


@given(st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    found = read_message(text, me=ME, you=YOU)
    assert all(isinstance(fact, Atom | Not | Know) for fact in found.facts)


def test_a_long_sentence_is_not_read() -> None:
    assert read_message("cup_0 is clean and " * 40 + "cup_0 is dirty.").facts == ()


def test_paraphrases_written_without_sight_of_the_reader() -> None:
    """The half of the benchmark by which the reader was not mended."""
    path = Path(__file__).parents[4] / "benchmarks" / "household_paraphrases.py"
    spec = importlib.util.spec_from_file_location("household_paraphrases", path)
    made = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(path.parent))
        spec.loader.exec_module(made)
    found = made.paraphrases()
    score = made.score(one for one in found if one.half == "test")
    assert len(found) >= 300
    assert score.precision >= 0.99
    assert score.recall >= 0.5
    assert score.caught == 0
