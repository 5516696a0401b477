"""From formula to text: one line that reads back exactly, or indented for people."""

from __future__ import annotations

from otherminds.epistemic.formula import And, Atom, Formula, Know, Not

WIDTH = 88
"""Characters of an indented line, wherever the formula can be broken: a literal cannot."""
INDENT = "  "


def show(formula: Formula) -> str:
    """The formula as one line: ``parse(show(formula)) == formula``, for every formula that was parsed.

    >>> show(Know("agent_0", Not(Atom("is_open", ("cabinet_3",)))))
    '(K agent_0 (not (is_open cabinet_3)))'
    """
    match formula:
        case Atom(predicate, args):
            return f"({' '.join((predicate, *args))})"
        case Not(inside):
            return f"(not {show(inside)})"
        case Know(agent, inside):
            return f"(K {agent} {show(inside)})"
        case And(parts):
            return f"(and {' '.join(show(part) for part in parts)})"


def pretty(formula: Formula) -> str:
    """The formula with a line for each conjunct; what fits in :data:`WIDTH` inside one stays on its line.

    It reads back as exactly as :func:`show`.

    >>> print(pretty(And((Atom("is_open", ("cabinet_3",)), Atom("is_clean", ("bowl_0",))))))
    (and
      (is_open cabinet_3)
      (is_clean bowl_0))
    """
    return "\n".join(_lines(formula, WIDTH) if not isinstance(formula, And) else _and_lines(formula, WIDTH))


def _lines(formula: Formula, width: int) -> list[str]:
    line = show(formula)
    if len(line) <= width:
        return [line]
    match formula:
        case And():
            return _and_lines(formula, width)
        case Know(agent, inside):
            return [f"(K {agent}", *_inside((inside,), width)]
        case _:
            return [line]


def _and_lines(formula: And, width: int) -> list[str]:
    return ["(and", *_inside(formula.parts, width)]


def _inside(parts: tuple[Formula, ...], width: int) -> list[str]:
    """The parts one step further in, the last with the bracket that closes them."""
    inner = width - len(INDENT) - 1  # for the bracket
    lines = [INDENT + line for part in parts for line in _lines(part, inner)]
    return [*lines[:-1], f"{lines[-1]})"]
