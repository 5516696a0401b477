"""Asks a model for an executable hypothesis: a sentence, and a program in the language of predictors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from otherminds.core.data import Behaviour, Brief, Game, Invalid, Seat
from otherminds.core.errors import StudyError
from otherminds.core.scaffold import Scaffold
from otherminds.games.expressions import BehaviourNames, ParseError, Program, examples, program, reference
from otherminds.minds.hypothetical.forms import Field, Form, text
from otherminds.minds.hypothetical.prompting import Lines

Names = dict[Behaviour, str]
"""The name of each behaviour of a seat in programs."""

TASK = (
    "Your hypotheses do not predict {name} well. Find one that does, and write it both as a sentence and as a program. "
    "They may answer what you or they did in the last encounters, count, wait, or go by the number of the encounter. "
    "Say for each encounter what your idea predicts, and think step by step."
)


def named(scaffold: Scaffold, behaviours: Sequence[Behaviour], seat: Seat) -> Names:
    """Behaviours as they are written where that is a string, such as an option's label, else by their names."""
    written = {behaviour: scaffold.written(behaviour, seat) for behaviour in behaviours}
    if all(isinstance(value, str) for value in written.values()):
        return written
    return {behaviour: behaviour for behaviour in behaviours}


def renamed(game: Game, own: Names, theirs: Names) -> Game:
    """``game`` (own seat first) with the behaviour names of prompts."""
    rows, columns = game.behaviours
    names = tuple(own[name] for name in rows), tuple(theirs[name] for name in columns)
    return Game(game.name, names, game.payoffs)


def spoken(brief: Brief, scaffold: Scaffold) -> Game:
    """The granted game with the behaviour names of prompts.

    Raises:
        StudyError: the payoffs are not granted, or the world names its behaviours otherwise than the game.
    """
    if brief.game is None:
        raise StudyError("hypothetical_plus needs the payoffs granted")
    seats = (brief.seat, brief.others[0])
    names = [named(scaffold, brief.behaviours[seat], seat) for seat in seats]
    if tuple(map(tuple, names)) != brief.game.behaviours:
        raise StudyError("hypothetical_plus plays where the behaviours are those of the game")
    return renamed(brief.game, *names)


def manual(scaffold: Scaffold, words: BehaviourNames, own: Seat, theirs: Seat) -> Lines:
    """The language with the names of this episode: reference, names, worked examples."""
    lines = ["Programs that predict them:", *reference(words).splitlines()]
    lines.append(f"Their behaviours: {_listed(scaffold, words.theirs, theirs)}")
    lines.append(f"My behaviours: {_listed(scaffold, words.own, own)}")
    for number, example in enumerate(examples(words), 1):
        lines += [f"Example {number}:", str(form(words, (example.sentence, example.text)))]
    return lines


def form(words: BehaviourNames, shown: tuple[str, str] | None = None) -> Form:
    """The dictionary to ask for; its program is read as a :class:`Program`."""

    def read(value: Any) -> Program | Invalid:
        if not isinstance(value, str):
            return Invalid("a program is written as a string")
        try:
            return program(value.strip(), words)
        except ParseError as error:
            return Invalid(str(error), value)

    first = examples(words)[1]
    sentence, written = shown or (first.sentence, first.text)
    strategy = Field("strategy", "strategy", sentence, text)
    return Form((strategy, Field("predictor", "predictor", written, read)))


def possible(scaffold: Scaffold, seat: Seat, could: Sequence[Behaviour]) -> Form:
    """The dictionary that says what ``seat`` did, one of ``could``."""

    def read(value: Any) -> Behaviour | Invalid:
        found = scaffold.read(value, seat)
        if isinstance(found, Invalid) or found in could:
            return found
        left = [scaffold.written(behaviour, seat) for behaviour in could]
        return Invalid(f"what you played and got rules that out; what is left are {left!r}")

    return Form((Field("they_played", "they_played", scaffold.written(could[0], seat), read),))


def _listed(scaffold: Scaffold, names: Sequence[str], seat: Seat) -> str:
    """The names of behaviours, each with its written form where that is no string."""
    choices = scaffold.choices(seat)
    if any(isinstance(choice, str) for choice in choices):
        return ", ".join(map(repr, names))
    return "; ".join(f"{name!r} as in {scaffold.written(name, seat)!r}" for name in names)
