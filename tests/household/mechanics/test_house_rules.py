"""What every registered mechanic promises of its statements, with the example of each field of a binding."""

from __future__ import annotations

import msgspec
import pytest

from otherminds.household.epistemic.forms import canonical, forms, secrets
from otherminds.household.epistemic.words import HouseRule
from otherminds.household.epistemic.words.free import read_message, told_freely
from otherminds.household.epistemic.words.sentences import read, say, tell
from otherminds.household.generating.wording import wordings
from otherminds.household.mechanics.mechanic import (
    EXAMPLES,
    Binding,
    Bound,
    house_rules,
    mechanic,
    mechanics,
    sound,
)

AGENTS = ("agent_0", "agent_1", "agent_2")


def bindings(name: str) -> list[Bound]:
    """A binding with the required fields, and one with all."""
    made = mechanic(name)
    each = [made.fields, (*made.fields, *made.optional)] if made.optional else [made.fields]
    return [
        sound([msgspec.convert({"mechanic_type": name} | {one: EXAMPLES[one] for one in fields}, Binding)])
        for fields in each
    ]


SAID = [
    (bound, statement)
    for name in mechanics
    for bound in bindings(name)
    for made, binding in bound
    for statement in made.secrets(binding)
]
each_statement = pytest.mark.parametrize(("bound", "statement"), SAID, ids=lambda one: type(one).__name__)


def test_every_mechanic_has_an_example_that_is_sound_and_says_something() -> None:
    assert all(len(bound) == 1 for name in mechanics for bound in bindings(name))
    assert {type(statement) for _, statement in SAID} == set(house_rules())


@each_statement
def test_it_is_said_and_read_back(bound: Bound, statement: HouseRule) -> None:
    for you in AGENTS:
        assert read(tell(statement, you=you), you=you) == (statement,)
        assert read(say(statement, me=you), me=you) == (statement,)
        assert read_message(say(statement, me=you), you).statements == (statement,)


@each_statement
def test_at_least_five_free_wordings_are_read_back(bound: Bound, statement: HouseRule) -> None:
    for you in AGENTS:
        texts = wordings(statement, you)
        assert len(texts) >= 5
        assert {told_freely(text, you=you) for text in texts} == {(statement,)}


@each_statement
def test_its_forms_are_read_back_as_they_are_written(bound: Bound, statement: HouseRule) -> None:
    written = forms(statement, AGENTS)
    assert written
    assert [one for form in written for one in canonical(form)] == list(written)
    assert secrets(written) == (statement,)


@each_statement
def test_the_binding_confirms_it_and_no_binding_does_not(bound: Bound, statement: HouseRule) -> None:
    assert statement.confirmed(bound, AGENTS) == statement
    assert statement.denied(bound, AGENTS) == ""
    assert statement.confirmed([], AGENTS) is None
    assert statement.denied([], AGENTS)


@each_statement
def test_its_parts_are_single_statements_of_the_same_kind(bound: Bound, statement: HouseRule) -> None:
    for part in statement.parts():
        assert list(part.parts()) == [part]
        assert type(part) is type(statement)


def test_no_two_mechanics_share_a_tag_a_head_or_a_shape() -> None:
    rules = house_rules()
    tags = [rule.__struct_config__.tag for rule in rules]
    heads = [head for rule in rules for head in rule.heads]
    shapes = [shape for rule in rules for shape in rule.shapes]
    for several in (tags, heads, shapes):
        assert len(set(several)) == len(several)
