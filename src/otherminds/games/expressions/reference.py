"""The reference of the language for the author of a program: short, with worked examples."""

from __future__ import annotations

from msgspec import Struct

from otherminds.games.expressions.functions import FUNCTIONS
from otherminds.games.expressions.tree import Expression, formatted
from otherminds.games.expressions.values import BehaviourNames

GRAMMAR = (
    "A program is one expression that says what they do next, as a behaviour or as a distribution. "
    "There are no loops, no assignments and no functions of your own.",
    "Behaviours are strings. Of what has not happened yet every comparison is false, and as a prediction "
    "it means any behaviour.",
    "if CONDITION then A else B: A and B may be programs themselves.",
    "let x = VALUE in EXPRESSION: gives a value a name.",
    "== != < <= > >= and or not + - * / // %: // rounds down, % is the rest.",
)


class ProgramExample(Struct, frozen=True):
    """A strategy in a sentence, and the program that says the same."""

    sentence: str
    text: str


def reference(words: BehaviourNames) -> str:
    """The language on one page: a line for each rule and each function available with ``words``."""
    functions = [f for f in FUNCTIONS.values() if words.game is not None or not f.payoffs]
    return "\n".join([*GRAMMAR, *(f"{function.form}: {function.meaning}" for function in functions)])


def examples(words: BehaviourNames) -> tuple[ProgramExample, ...]:
    """Worked examples: programs with the names of ``words`` that need no payoffs."""
    first, last = _string(words.theirs[0]), _string(words.theirs[-1])
    own = _string(words.own[-1])
    return (
        ProgramExample(
            f"They play {first} seven times of ten, else {last}.", f"mix({{{first}: 0.7, {last}: 0.3}})"
        ),
        ProgramExample(
            f"They begin with {first}, then repeat what I did in the last encounter.",
            f"if round == 1 then {first} else mine(1)",
        ),
        ProgramExample(
            f"They play {first} until I have played {own} twice, then always {last}.",
            f"if count(mine, {own}) >= 2 then {last} else {first}",
        ),
        ProgramExample(
            "They repeat their last behaviour if we both did the same, else they change it; one time in ten they err.",
            "noisy(if their(1) == mine(1) then their(1) else other(their(1)), 0.1)",
        ),
        ProgramExample(
            f"They play {first} in five encounters, then {last} in five, and so on.",
            f"if (round - 1) // 5 % 2 == 0 then {first} else {last}",
        ),
    )


def _string(name: str) -> str:
    return formatted(Expression("", value=name))
