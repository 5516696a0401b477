"""Secrets in free words: what a secret says is read as a whole, and what it only seems to say is not read."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from otherminds.household.epistemic.forms import secrets
from otherminds.household.epistemic.formula import Atom, Know, Not
from otherminds.household.epistemic.words import Fact, Must, Private
from otherminds.household.epistemic.words.free import told_freely
from otherminds.household.epistemic.words.free.grammar import language_in, language_of
from otherminds.household.epistemic.words.free.messages import KINDS
from otherminds.household.epistemic.words.sentences import say
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.mechanic import house_rules
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors
from tests.cases import for_each

ME = "agent_0"
DATA = Path(__file__).parents[3] / "data" / "epistemic" / "secrets.jsonl"
BY_HAND = {row["text"]: secrets(row["told"]) for row in map(json.loads, DATA.read_text("utf-8").splitlines())}

OPEN, SHUT = Atom("is_open", ("cabinet_3",)), Atom("is_closed", ("cabinet_3",))
READ = {
    "You have no access to kitchen_1, bedroom_2 or hallway_1.": Barred(
        ME, ("kitchen_1", "bedroom_2", "hallway_1")
    ),
    "Neither kitchen_1 nor bedroom_2 is open to agent_1.": Barred("agent_1", ("kitchen_1", "bedroom_2")),
    "You may go anywhere in the house.": Barred(ME, ()),
    "Apart from agent_1 and agent_2, nobody gets your messages.": Reaches(ME, ("agent_1", "agent_2")),
    "agent_1 can write to you but to no one else.": Reaches("agent_1", (ME,)),
    "None of your messages can reach anyone.": Reaches(ME, ()),
    "After two messages, agent_1 cannot send any more.": MessageBudget("agent_1", 2),
    "You can write only once.": MessageBudget(ME, 1),
    "You may not send a single message.": MessageBudget(ME, 0),
    "If somebody opens cabinet_3, it closes, and if somebody closes it, it opens.": Inverse("cabinet_3"),
    "If somebody closes cabinet_3, it opens, and if somebody opens it, it closes.": Inverse("cabinet_3"),
    "What happens to cabinet_3 also happens to fridge_5, and vice versa.": Mirrors("cabinet_3", "fridge_5"),
    "Opening cabinet_3 closes fridge_5, and closing cabinet_3 opens fridge_5.": Controls(
        "cabinet_3", "fridge_5", "closed"
    ),
    "Closing cabinet_3 opens fridge_5, and opening it closes fridge_5.": Controls(
        "cabinet_3", "fridge_5", "closed"
    ),
    "Switching on lamp_2 opens cabinet_3, and switching it off has the opposite effect.": Controls(
        "lamp_2", "cabinet_3", "open", "switching on"
    ),
    "Once all is done, cabinet_3 must not be open.": Must(SHUT),
    "cabinet_3 has to be left open.": Must(OPEN),
    "You must not be in kitchen_1 at the end.": Must(Not(Atom("agent_in_room", (ME, "kitchen_1")))),
    "By the end, you have to know that agent_1 is aware that cabinet_3 is open.": Must(
        Know(ME, Know("agent_1", OPEN))
    ),
    "Privately, you would rather have cabinet_3 closed when the day is over; nobody else knows.": Private(
        SHUT
    ),
    "You want cabinet_3 closed in the end. Nobody else knows it.": Private(SHUT),
    "On floor_bedroom_1 there is bowl_0.": Fact(Atom("is_on_top", ("bowl_0", "floor_bedroom_1"))),
    "agent_1 starts in kitchen_1.": Fact(Atom("agent_in_room", ("agent_1", "kitchen_1"))),
    "agent_1 is aware that you are in kitchen_1.": Fact(
        Know("agent_1", Atom("agent_in_room", (ME, "kitchen_1")))
    ),
    "You cannot enter kitchen_1.": Barred(ME, ("kitchen_1",)),
}
"""A secret of agent_0, and what it says."""
RULES = (
    *language_of("secrets.txt").rules,
    *(one for rule in house_rules() for one in language_in(rule.grammar).rules),
)
"""The rules of secrets, and those of mechanics."""


@for_each("text", READ)
def test_a_secret_is_read(text: str) -> None:
    assert told_freely(text, you=ME) == (READ[text],)


@for_each("text", [text for text, told in BY_HAND.items() if not told])
def test_a_sentence_that_means_something_else_is_not_read(text: str) -> None:
    assert told_freely(text, you=ME) == ()


def test_sentences_written_by_hand_are_read_as_they_are_meant_or_not_at_all() -> None:
    told = {text: meant for text, meant in BY_HAND.items() if meant}
    read = {text: told_freely(text, you=ME) for text in told}
    assert [text for text in told if read[text] not in (told[text], ())] == []
    assert sum(map(bool, read.values())) >= 0.8 * len(told)


@for_each(
    "more",
    [
        "Or so they say.",
        "That was yesterday.",
        "Nobody is sure.",
        "Is it so?",
        "Please wait for agent_1.",
        "bowl_0.",
    ],
)
@for_each("text", READ)
def test_a_secret_is_read_as_a_whole_or_not_at_all(text: str, more: str) -> None:
    assert told_freely(f"{text} {more}", you=ME) == ()
    assert told_freely(f"{more} {text}", you=ME) == ()


@for_each("text", READ)
def test_several_sentences_are_read_in_their_order(text: str) -> None:
    before = MessageBudget(ME, 3)
    assert told_freely(f"{say(before, me='')} {text}".replace("agent_0 can", "You can"), you=ME) == (
        before,
        READ[text],
    )


@for_each(
    "lead",
    ["Perhaps ", "Nobody said that ", "agent_1 believes that ", "It is not true that ", "Unless you hurry, "],
)
@for_each("text", READ)
def test_nothing_is_read_behind_a_doubt(lead: str, text: str) -> None:
    assert told_freely(lead + text[0].lower() + text[1:], you=ME) == ()


OTHERWISE = (
    "not",
    "never",
    "hardly",
    "almost",
    "formerly",
    "no longer",
    "if",
    "unless",
    "was",
    "once",
    "might",
    "nobody",
)


@given(st.sampled_from(sorted(READ)), st.integers(0, 20), st.sampled_from(OTHERWISE))
def test_a_word_that_changes_the_meaning_changes_what_is_read(text: str, at: int, word: str) -> None:
    words = text.removesuffix(".").split(" ")
    at %= len(words) + 1
    assert told_freely(" ".join([*words[:at], word, *words[at:]]) + ".", you=ME) != (READ[text],)


@for_each("text", [text for text in READ if "you" in text.casefold() and "agent_0" not in text])
def test_nobody_in_particular_is_nobody(text: str) -> None:
    assert told_freely(text) == ()


@for_each(
    "text",
    [
        "Opening cabinet_3 opens fridge_5, and closing it closes it.",
        "Opening cabinet_3 opens fridge_5, and closing it opens fridge_5.",
        "Opening cabinet_3 opens fridge_5, and switching off cabinet_3 closes fridge_5.",
        "Opening cabinet_3 switches on lamp_2, and closing it closes lamp_2.",
        "If somebody opens cabinet_3, it opens, and if somebody closes it, it closes.",
        "cabinet_3 controls fridge_5: opening fridge_5 opens it, and closing fridge_5 closes it.",
        "cabinet_3 and cabinet_3 move as one.",
        "You can only write to yourself.",
        "agent_1 can only write to agent_1.",
        "At the end, bowl_0 has to be on bowl_0.",
    ],
)
def test_what_contradicts_itself_is_not_read(text: str) -> None:
    assert told_freely(text, you=ME) == ()


def words_of_secrets() -> list[str]:
    rules = RULES
    words = {
        word for _, symbols, _ in rules for word in symbols.split() if word == word.lower() and word[0] != "_"
    }
    return sorted(
        words | {"cabinet_3", "fridge_5", "kitchen_1", "agent_1", "2", "you", "your", ".", '"', "?", "\n"}
    )


@given(st.lists(st.sampled_from(words_of_secrets()), max_size=12), st.text(max_size=10))
def test_no_text_raises(words: list[str], text: str) -> None:
    for told in told_freely(f"{' '.join(words)}{text}.", you=ME):
        assert isinstance(
            told, Fact | Must | Private | Barred | Reaches | MessageBudget | Inverse | Mirrors | Controls
        )


def test_the_length_of_a_secret_is_limited() -> None:
    text = "You may not enter kitchen_1."
    assert told_freely(" ".join([text] * 100), you=ME) == (Barred(ME, ("kitchen_1",)),) * 100
    assert told_freely(" ".join([text] * 101), you=ME) == ()
    assert told_freely(text + " " * 20_000, you=ME) == ()


def test_the_rules_use_all_their_words_and_values() -> None:
    rules = RULES
    names = {name for name, *_ in rules}
    used, ahead = {"Secret"}, ["Secret"]
    while ahead:
        above = ahead.pop()
        for symbol in {one for name, symbols, _ in rules if name == above for one in symbols.split()}:
            assert symbol in names or symbol in KINDS or (symbol == symbol.lower() and symbol[0] != "_"), (
                symbol
            )
            if symbol in names and symbol not in used:
                used.add(symbol)
                ahead.append(symbol)
    assert used == names
    for name, symbols, action in rules:
        values = [one for one in symbols.split() if one in KINDS or (one in names and one[0] != "_")]
        assert action or name[0] == "_" or len(values) == 1, (name, symbols)
    assert len(rules) == len(set(rules))
