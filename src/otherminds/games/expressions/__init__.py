"""A small, safe language for predictors: ``predict(history) -> distribution`` as one expression.

Whoever writes a program (a language model, a user) says what a partner will do next; the
text is parsed and interpreted here, never handed to Python. Every program is total: it
has no loops and no recursion, looks back a bounded number of encounters, and gives a
distribution whatever happened.

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

There are four kinds of values: numbers, truths, behaviours and distributions. A behaviour
where a distribution is wanted is that behaviour for sure. Kinds, names and the number of
arguments are checked before anything runs. The functions stand in
:mod:`otherminds.games.expressions.functions`, each with the line that explains it.

What has no value elsewhere has one here: the behaviour of an encounter that has not been
is *unknown*, which equals nothing (``==`` is false, ``!=`` true), is counted nowhere, and
is uniform as a distribution; so are weights of which none is above 0. Division by 0 is 0,
and numbers stay within ±10⁹. Negative weights count as 0, probabilities are kept in [0, 1].

Bounds: 2,000 characters, 200 parts, 40 parts inside each other, 40 encounters looked back
one by one (``count``, ``most``, ``frequencies`` and ``streak`` see all of them), 5,000
steps for one prediction. A text beyond a bound is no program.

>>> from otherminds.games.expressions import BehaviourNames, program
>>> names = BehaviourNames(*[("cooperate", "defect")] * 2)
>>> tit_for_tat = program("if round == 1 then 'cooperate' else mine(1)", names)
>>> tit_for_tat.predictor("They repeat what I did.").predict([(0, 1)])
(0.0, 1.0)
"""

from otherminds.games.expressions.parsing import parse
from otherminds.games.expressions.program import Program, program
from otherminds.games.expressions.reference import ProgramExample, examples, reference
from otherminds.games.expressions.tree import Expression, ParseError, formatted
from otherminds.games.expressions.values import BehaviourNames, Memory

__all__ = [
    "BehaviourNames",
    "Expression",
    "Memory",
    "ParseError",
    "Program",
    "ProgramExample",
    "examples",
    "formatted",
    "parse",
    "program",
    "reference",
]
