"""Secrets in the words of the public release: read sentence by sentence, and rarely wrongly.

``release_secrets.jsonl`` has sentences with their meanings, written after the appendices C, D and F of Juneja et al. 2026
before the reader was; those of the half ``held`` were not looked at while it was made.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.household.epistemic import words
from otherminds.household.epistemic.formula import Atom, Know, show
from otherminds.household.epistemic.words.free.grammar import language_in, language_of
from otherminds.household.epistemic.words.free.messages import KINDS
from otherminds.household.epistemic.words.free.parser import WordToken
from otherminds.household.epistemic.words.free.release import (
    EVERYONE,
    FILES,
    Confined,
    Coupled,
    KnowledgeGoal,
    Linked,
    Target,
    Unreached,
    Worded,
    release_grammar,
)
from otherminds.household.epistemic.words.free.worded import Vocabulary, read_sentences, read_worded
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.mechanic import house_rules
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors
from tests.cases import for_each

ME = "agent_0"
ROWS = [
    json.loads(row)
    for row in (Path(__file__).parent / "release_secrets.jsonl").read_text("utf-8").splitlines()
]
TRAPS = [
    row["text"]
    for row in map(
        json.loads,
        (Path(__file__).parents[3] / "data" / "epistemic" / "secrets.jsonl").read_text("utf-8").splitlines(),
    )
    if not row["told"]
]


def meant(row: dict[str, Any]) -> set[tuple[Any, ...]]:
    """The parts of the meaning of a sentence in the data."""
    found: set[tuple[Any, ...]] = set()
    for one in row["means"]:
        match one["kind"]:
            case "bar":
                found |= {("bar", one["agent"], room) for room in one["rooms"]}
            case "only_rooms":
                found.add(("only", one["agent"], *sorted(one["rooms"])))
            case "link_only":
                found.add(("link", one["agent"], *sorted(one["to"])))
            case "link_none":
                found |= {("no link", one["agent"], to) for to in one["to"]}
            case "budget":
                found.add(("budget", one["agent"], one["messages"]))
            case "fact":
                found.add(("fact", one["formula"]))
            case "goal":
                found.add(("goal" if one["of"] == "all" else f"private {one['of']}", one["formula"]))
            case "know_goal":
                found.add(("goal", nested(one["chain"], one["formula"])))
            case "remote_control":
                found.add(("remote", one["trigger"], one["target"]))
            case "state_mirroring":
                found.add(("mirror", *sorted(one["pair"])))
            case _:
                found.add(("inverse", one["object"]))
    return found


def nested(agents: tuple[str, ...] | list[str], text: str) -> str:
    for agent in reversed(agents):
        text = f"(K {agent} {text})"
    return text


def parts(told: tuple[Worded, ...], me: str) -> Iterator[tuple[Any, ...]]:
    """What was read, in the same parts. A hint is what the sentence says; the file of a task completes it."""
    for one in told:
        match one:
            case Barred(agent, rooms):
                yield from (("bar", agent, room) for room in rooms)
            case Confined(agent, rooms):
                yield ("only", agent, *sorted(rooms))
            case Reaches(agent, targets) | Linked(agent, targets):
                yield ("link", agent, *sorted(targets))
            case Unreached(agent, targets):
                yield from (("no link", agent, to) for to in targets)
            case MessageBudget(agent, messages):
                yield ("budget", agent, messages)
            case words.Fact(formula):
                # To be told that one knows a fact is to be told the fact.
                while isinstance(formula, Know) and formula.agent == me:
                    formula = formula.inside
                yield ("fact", show(formula))
            case words.Must(formula):
                yield ("goal", show(formula))
            case words.Private(formula):
                yield (f"private {me}", show(formula))
            case KnowledgeGoal(agents, fact):
                yield ("goal", nested(agents, show(fact)))
            case Coupled(trigger, target) | Controls(trigger, target):
                yield ("remote", trigger, target)
            case Mirrors(first, second):
                yield ("mirror", *sorted((first, second)))
            case Inverse(thing):
                yield ("inverse", thing)
            case Target():
                continue  # that a goal is about a thing is part of no meaning by itself
            case _:
                yield (type(one).__name__, str(one))


@pytest.mark.parametrize(("half", "recall"), [("tuned", 0.93), ("held", 0.89)])
def test_sentences_of_the_release_are_read_and_rarely_wrongly(half: str, recall: float) -> None:
    rows = [row for row in ROWS if row["half"] == half]
    right = wanted = given_back = 0
    for row in rows:
        meaning = meant(row)
        read = set(parts(read_worded(row["text"], row["reader"]).told, row["reader"]))
        right += len(meaning & read)
        wanted += len(meaning)
        given_back += len(read)
    assert len(rows) == 93
    assert right / wanted >= recall
    assert right / given_back >= 0.985


PLAINER = {
    *("You can write to agent_1.", "You can write to agent_1 or agent_2.", "You cannot write to agent_1."),
    *("You can enter kitchen_1.", "agent_1 is allowed in kitchen_1."),
    *("You can write to anyone but agent_1.", "You can write to everyone except agent_1."),
    *("Your messages reach agent_1.", "You can only write to agent_1 twice.", "You have 2 messages."),
    *("You have no messages to send.", "You have 2 messages to send.", "None of you can enter kitchen_1."),
    *("Every room but kitchen_1 is open to you.", "You can go anywhere except kitchen_1."),
    *(
        "bowl_0 should be on table_3.",
        "bowl_0 must be on table_3.",
        "bowl_0 should be on table_3 at the end.",
    ),
    *(
        "You want bowl_0 to be on table_3 at the end.",
        "You have to be in kitchen_1.",
        "You have to open cabinet_3.",
    ),
    *("You have to have cabinet_3 open.", "Only cabinet_3 has to be open at the end."),
    *("cabinet_3 alone has to be open at the end.", "You must know that fridge_1 is open."),
    *("By the end, you have to believe that fridge_1 is open.", "Nobody else knows that fridge_1 is open."),
    *("By the end, you have to know whether fridge_1 is open.", "Opening cabinet_3 closes it."),
    *(
        "Opening cabinet_3 opens fridge_5.",
        "cabinet_3 controls fridge_5.",
        "cabinet_3 and cabinet_4 are linked.",
    ),
    *("Opening cabinet_3 opens fridge_5, and closing cabinet_4 closes fridge_5.",),
    *("Opening cabinet_3 opens fridge_5, and closing fridge_5 closes cabinet_3.",),
    *("What happens to cabinet_3 happens to cabinet_4 too.", "cabinet_3 and cabinet_4 have the same state."),
    *("cabinet_3 and cabinet_4 are in the same state.", "cabinet_3 and cabinet_4 do the same."),
    *("cabinet_3 and cabinet_4 are both open or both closed.", "cabinet_3 is mounted the wrong way round."),
}
"""Traps for the stricter reader that mean in a list of constraints, targets and hints what they are read as."""


@for_each("text", [text for text in TRAPS if text not in PLAINER], every=6)
def test_what_only_seems_to_say_something_is_not_read(text: str) -> None:
    assert read_worded(text, ME).told == ()


READ: dict[str, tuple[Worded, ...]] = {
    "You have a strict limit of 1 message.": (MessageBudget(ME, 1),),
    "Each agent can send at most 1 message.": (MessageBudget(EVERYONE, 1),),
    "Cannot enter kitchen_1.": (Barred(ME, ("kitchen_1",)),),
    "Your access to kitchen_1 has been revoked.": (Barred(ME, ("kitchen_1",)),),
    "You cannot enter kitchen_1, and you can send only 1 message.": (
        Barred(ME, ("kitchen_1",)),
        MessageBudget(ME, 1),
    ),
    "You are only permitted in study_1.": (Confined(ME, ("study_1",)),),
    "You can message agent_1.": (Linked(ME, ("agent_1",)),),
    "There is no channel between you and agent_2.": (Unreached(ME, ("agent_2",)),),
    "You can message agent_1 or agent_2, but nobody else.": (Reaches(ME, ("agent_1", "agent_2")),),
    "The correct cabinet is cabinet_3.": (Target("cabinet_3"),),
    "By the end, you must be confident that somebody knows that cup_4 is on table_9.": (
        KnowledgeGoal((ME, "?"), Atom("is_on_top", ("cup_4", "table_9"))),
    ),
    "When cabinet_3 is opened, fridge_5 opens as well.": (Coupled("cabinet_3", "fridge_5", "open"),),
    "fridge_5 can only be opened by using cabinet_3.": (Coupled("cabinet_3", "fridge_5", "open"),),
    "The commands of cabinet_3 are swapped.": (Inverse("cabinet_3"),),
    "cup_4 must go on table_9, not on table_8.": (words.Must(Atom("is_on_top", ("cup_4", "table_9"))),),
    "cabinet_3 (in kitchen_1) must be open.": (
        words.Must(Atom("is_open", ("cabinet_3",))),
        words.Fact(Atom("is_in_room", ("cabinet_3", "kitchen_1"))),
    ),
    "The correct table is table_9. cup_4 has to end on it.": (
        Target("table_9"),
        words.Must(Atom("is_on_top", ("cup_4", "table_9"))),
    ),
}
"""A secret of agent_0, and what it says."""


@for_each("text", READ)
def test_a_secret_is_read(text: str) -> None:
    assert read_worded(text, ME).told == READ[text]
    assert read_worded(text, ME).unread == ()


OTHERWISE = (
    "not",
    "never",
    "hardly",
    "almost",
    "formerly",
    "no longer",
    "if",
    "unless",
    "perhaps",
    "once",
    "might",
)


@given(st.sampled_from(sorted(READ)), st.integers(0, 20), st.sampled_from(OTHERWISE))
def test_a_word_that_changes_the_meaning_changes_what_is_read(text: str, at: int, word: str) -> None:
    split = text.removesuffix(".").split(" ")
    at %= len(split)
    changed = " ".join([*split[:at], word, *split[at:]]) + "."
    assert read_worded(changed, ME).told != READ[text]


@for_each(
    "lead", ["It is not true that ", "Perhaps ", "agent_1 believes that ", "You doubt that ", "Suppose that "]
)
@for_each("text", [text for text in READ if text.count(".") == 1], every=4)
def test_nothing_is_read_behind_a_doubt(lead: str, text: str) -> None:
    assert read_worded(lead + text[0].lower() + text[1:], ME).told == ()


def test_each_sentence_is_read_on_its_own_unless_the_next_takes_it_back() -> None:
    known, odd = "You cannot enter kitchen_1.", "The host is fond of tulips."
    assert read_worded(f"{odd} {known}", ME).unread == (odd,)
    assert read_worded(f"{known} {odd}", ME).told == (Barred(ME, ("kitchen_1",)),)
    assert read_worded(f"{known} Or so they say.", ME).told == ()
    assert read_worded(f"{known} Nobody else knows this.", ME).told == (Barred(ME, ("kitchen_1",)),)
    assert [told for _, told in read_sentences(f"{known} {odd}", ME)] == [
        (Barred(ME, ("kitchen_1",)),),
        (),
    ]


def test_what_a_task_has_one_of_needs_no_number() -> None:
    names = Vocabulary(
        frozenset({"kitchen_1", "study_1", "study_2"}), frozenset({"fridge_3", "floor_kitchen_1"})
    )
    assert read_worded("You cannot enter the kitchen.", ME, names).told == (Barred(ME, ("kitchen_1",)),)
    assert read_worded("The fridge must be open.", ME, names).told == (
        words.Must(Atom("is_open", ("fridge_3",))),
    )
    assert read_worded("You cannot enter the study.", ME, names).told == ()
    assert read_worded("cup_4 must be on the kitchen floor.", ME, names).told == (
        words.Must(Atom("is_on_top", ("cup_4", "floor_kitchen_1"))),
    )


# The grammar


RULES = (
    *(rule for file in FILES for rule in language_of(file).rules),
    *(one for rule in house_rules() for one in language_in(rule.grammar).rules),
)
CLASSES = (*KINDS, "NOUN")


def test_the_rules_use_all_their_words_and_values() -> None:
    names = {name for name, *_ in RULES}
    used, ahead = {"Worded", "Nothing"}, ["Worded", "Nothing"]
    while ahead:
        above = ahead.pop()
        for symbol in {one for name, symbols, _ in RULES if name == above for one in symbols.split()}:
            word = symbol == symbol.lower() and symbol[0] != "_"
            assert symbol in names or symbol in CLASSES or word, symbol
            if symbol in names and symbol not in used:
                used.add(symbol)
                ahead.append(symbol)
    assert names - used <= {"Secret", "_lead"}
    assert not [name for name in names if name == name.lower() and name[0] != "_"], (
        "such a name would hide a word"
    )


def test_every_rule_can_be_built() -> None:
    """Each rule with a value is applied to a text of its own words, and its action takes what its symbols give."""
    made, draw = release_grammar(), random.Random(0)
    rules: dict[str, list[list[str]]] = {}
    for name, symbols, _ in RULES:
        rules.setdefault(name, []).append(symbols.split())
    shortest = dict.fromkeys(rules, 10**6)
    for _ in range(len(rules)):
        found = {
            name: min(sum(shortest.get(one, 1) for one in each) for each in all_of)
            for name, all_of in rules.items()
        }
        if found == shortest:
            break
        shortest = found

    def derived(symbol: str) -> list[WordToken]:
        if symbol in CLASSES:
            return [token(symbol, draw)]
        if symbol not in rules:
            return [WordToken(symbol)]
        best = [
            each for each in rules[symbol] if sum(shortest.get(one, 1) for one in each) == shortest[symbol]
        ]
        return [one for part in draw.choice(best) for one in derived(part)]

    for name, symbols, _ in RULES:
        if name[0] != "_":
            tokens = [one for symbol in symbols.split() for one in derived(symbol)]
            assert made.readings(name, tokens), (name, symbols)


def token(kind: str, draw: random.Random) -> WordToken:
    number = draw.randrange(100)
    texts = {
        **{"THING": f"cabinet_{number}", "ROOM": f"kitchen_{number}", "AGENT": f"agent_{number}"},
        **{"YOU": ME, "YOUR": ME, "NUMBER": str(number)},
    }
    return WordToken(texts[kind], kind) if kind in texts else WordToken("surface")


WORDS = sorted(
    {word for _, symbols, _ in RULES for word in symbols.split() if word == word.lower() and word[0] != "_"}
    | {"cabinet_3", "fridge_5", "kitchen_1", "agent_1", "2", "you", "your", ".", '"', "?", "\n", "(", ")"}
)


@given(st.lists(st.sampled_from(WORDS), max_size=12), st.text(max_size=10))
def test_no_text_raises(some: list[str], text: str) -> None:
    read_worded(f"{' '.join(some)}{text}.", ME)
