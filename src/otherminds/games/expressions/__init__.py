"""A small, safe language for predictors: ``predict(history) -> distribution`` as one expression.

A language model or a user writes a program that predicts a partner's next behaviour. The text is parsed and
interpreted here, never by Python. Every program is total: it has no loops and no recursion, looks back a
bounded number of encounters, and gives a distribution for every history.

The grammar::

    program    := expression                          a distribution, or a behaviour
    expression := "if" expression "then" expression "else" expression
                | operators "if" operators "else" expression
                | "let" WORD "=" expression "in" expression
                | operators
    operators  := operators with, from weak to strong:
                  or | and | not | == != < <= > >= | + - | * / // % | - (sign)
                  all lean to the left; comparisons are not chained
    operand    := NUMBER | STRING | "true" | "false" | WORD | "(" expression ")"
                | WORD "(" [expression {"," expression}] ")"
                | "mix" "(" "{" expression ":" expression {"," ...} [","] "}" ")"
    NUMBER     := up to 9 digits, with up to 9 more behind a point; no exponent
    STRING     := in ' or "; \\ before a quotation mark or another \\
    WORD       := ASCII letters, digits and _, not beginning with a digit
    comments   := from # to the end of the line

There are four kinds of values: numbers, truths, behaviours and distributions. A behaviour used as a
distribution has probability 1. Kinds, names and the number of arguments are checked before anything runs.
:mod:`otherminds.games.expressions.functions` documents the functions.

Nothing is undefined: the behaviour of an encounter that has not happened is *unknown*, which
equals nothing (``==`` is false, ``!=`` true), is not counted, and is uniform as a
distribution; so are weights of which none is above 0. Division by 0 is 0, and numbers stay
within ±10⁹. Negative weights count as 0, probabilities are clipped to [0, 1].

Bounds: 2,000 characters, 200 parts, a depth of 40, 40 encounters looked back one by one
(``count``, ``most``, ``frequencies`` and ``streak`` use all of them), 5,000 steps for one
prediction. A text beyond a bound is no program.

>>> from otherminds.games.expressions import BehaviourNames, program
>>> names = BehaviourNames(*[("cooperate", "defect")] * 2)
>>> tit_for_tat = program("if round == 1 then 'cooperate' else mine(1)", names)
>>> tit_for_tat.predictor("They repeat what I did.").predict([(0, 1)])
(0.0, 1.0)
"""

from otherminds.games.expressions.parsing import (
    BehaviourNames,
    Expression,
    HistoryMemory,
    ParseError,
    formatted,
    parse,
)
from otherminds.games.expressions.program import Program, ProgramExample, examples, program, reference

__all__ = [
    "BehaviourNames",
    "Expression",
    "HistoryMemory",
    "ParseError",
    "Program",
    "ProgramExample",
    "examples",
    "formatted",
    "parse",
    "program",
    "reference",
]
