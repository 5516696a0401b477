"""Everything that is exchanged survives a JSON round trip."""

import inspect
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core import data
from otherminds.core.data import (
    Ask,
    Automaton,
    Encounter,
    Ended,
    Game,
    Invalid,
    Message,
    Moment,
    Partner,
    Question,
    ReceivedMessage,
    SkillChoice,
    Turn,
    WeightedPolicy,
)

text = st.text(max_size=8)
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=5,
)
floats = st.floats(-1e6, 1e6)


def many(what: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(what, min_size=least, max_size=3).map(tuple)


encounters = st.builds(
    Encounter, st.integers(0, 99), st.dictionaries(text, many(text, 1), max_size=3), floats
)
ended = st.builds(Ended, st.booleans(), text)
told = st.builds(ReceivedMessage, text, text)
automata = st.builds(Automaton, st.integers(0, 3), many(many(floats)), many(many(many(st.integers(0, 3)))))
games = st.builds(Game, text, st.tuples(many(text, 1), many(text, 1)), many(many(st.tuples(floats, floats))))
when = st.sampled_from(["before", "after", "end"])
THINGS = {
    SkillChoice: st.builds(SkillChoice, text, many(values)),
    Invalid: st.builds(Invalid, text, text),
    Ended: ended,
    ReceivedMessage: told,
    Encounter: encounters,
    Moment: st.builds(
        Moment,
        st.integers(0, 99),
        values,
        floats,
        many(encounters),
        st.none() | ended,
        many(told),
        st.booleans(),
    ),
    Question: st.builds(Question, text, text, when, text, many(values), floats, text, text),
    Turn: st.builds(Turn),
    Game: games,
    Automaton: automata,
    Partner: st.builds(Partner, text, st.none() | automata),
    WeightedPolicy: st.builds(WeightedPolicy, floats, automata),
    Message: st.builds(Message, st.sampled_from(["system", "user", "assistant"]), text),
    Ask: st.builds(
        Ask, text, many(text), many(values), text, text, st.none() | st.dictionaries(text, values)
    ),
}


@pytest.mark.parametrize("kind", THINGS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_round_trip(kind: type[msgspec.Struct], data: st.DataObject) -> None:
    thing = data.draw(THINGS[kind])
    back = msgspec.json.decode(msgspec.json.encode(thing), type=kind)
    assert back == thing
    assert type(back) is kind


@given(made=THINGS[SkillChoice] | THINGS[Invalid])
def test_a_skill_and_an_invalid_reply_are_told_apart(made: SkillChoice | Invalid) -> None:
    assert msgspec.json.decode(msgspec.json.encode(made), type=SkillChoice | Invalid) == made


@pytest.mark.parametrize("kind", THINGS, ids=lambda kind: kind.__name__)
@given(data=st.data())
def test_nothing_exchanged_can_be_changed(kind: type[msgspec.Struct], data: st.DataObject) -> None:
    thing = data.draw(THINGS[kind])
    with pytest.raises(AttributeError, match="immutable"):
        setattr(thing, (*kind.__struct_fields__, "more")[0], None)


@given(rows=st.integers(1, 3), columns=st.integers(1, 3), data=st.data())
def test_a_flipped_game_is_the_other_seats_view(rows: int, columns: int, data: st.DataObject) -> None:
    pays = data.draw(
        st.lists(
            st.lists(st.tuples(floats, floats), min_size=columns, max_size=columns).map(tuple),
            min_size=rows,
            max_size=rows,
        ).map(tuple)
    )
    game = Game("g", (("a", "b", "c")[:rows], ("x", "y", "z")[:columns]), pays)
    view = game.flipped()
    assert view.behaviours == (game.behaviours[1], game.behaviours[0])
    for i in range(rows):
        for j in range(columns):
            assert view.payoffs[j][i] == game.payoffs[i][j][::-1]
    assert view.flipped() == game


def test_payoffs_are_hashable_so_that_plans_can_be_remembered() -> None:
    game = Game("g", (("a",), ("x",)), (((1.0, 2.0),),))
    assert hash(game) == hash(Game("g", (("a",), ("x",)), (((1.0, 2.0),),)))
    assert len({Automaton(0, ((1.0,),), (((0,),),)), Automaton(0, ((1.0,),), (((0,),),))}) == 1


def test_help_shows_the_fields_of_all_data() -> None:
    structs = [
        entry
        for entry in vars(data).values()
        if isinstance(entry, type) and issubclass(entry, msgspec.Struct)
    ]
    assert data.Brief in structs
    for entry in structs:
        assert [*inspect.signature(entry).parameters] == [
            field.name for field in msgspec.structs.fields(entry)
        ]
