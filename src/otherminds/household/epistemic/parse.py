"""From text to formula: s-expressions with the place of each part, and goals as PDDL writes them, with nested ``K``.

The language (Juneja et al. 2026, appendix E)::

    formula := (and formula ...)            at least one
             | (K agent formula)
             | (not atom)
             | atom
    atom    := (predicate name ...)         as :mod:`.predicates` says

``and``, ``not`` and ``K`` may be written in lower or upper case; names and predicates are case-sensitive. Predicates
that a goal may not have are parsed too: :func:`.predicates.check_goal` reports them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from otherminds.household.epistemic.formula import DEEPEST, And, Atom, Formula, FormulaError, Know, Not, shown
from otherminds.household.epistemic.predicates import describe_miscount, predicate

LONGEST = 1_000_000
"""The largest number of characters of a text."""

TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")


@dataclass(frozen=True)
class Symbol:
    """A word between spaces and brackets; ``at`` is its offset."""

    text: str
    at: int


@dataclass(frozen=True)
class Group:
    """The content of two brackets; ``at`` is the offset of the opening one."""

    parts: tuple[Node, ...]
    at: int

    @property
    def head(self) -> str:
        """The first word in lower case; empty if the group does not begin with a word."""
        return self.parts[0].text.lower() if self.parts and isinstance(self.parts[0], Symbol) else ""


Node: TypeAlias = Symbol | Group


def nodes(text: str) -> tuple[Node, ...]:
    """The nodes of a text without comments (``;`` to the end of the line).

    Raises:
        FormulaError: the brackets do not match, or the text is longer than
            :data:`LONGEST` or nested deeper than :data:`DEEPEST`.
    """
    if len(text) > LONGEST:
        raise FormulaError(
            f"a text has at most {LONGEST:,} characters, and this has {len(text):,}; shorten it"
        )
    open_at: list[int] = []
    levels: list[list[Node]] = [[]]
    for token in TOKEN.finditer(text):
        match token[0][0]:
            case ";":
                pass
            case "(":
                if len(open_at) == DEEPEST:
                    deep = f"more than {DEEPEST} brackets inside each other; nest less"
                    raise fault(text, token.start(), deep)
                open_at.append(token.start())
                levels.append([])
            case ")":
                if not open_at:
                    raise fault(text, token.start(), "this `)` closes nothing; take it out, or add its `(`")
                group = Group(tuple(levels.pop()), open_at.pop())
                levels[-1].append(group)
            case _:
                levels[-1].append(Symbol(token[0], token.start()))
    if open_at:
        raise fault(text, open_at[-1], "this `(` is never closed; add its `)`")
    return tuple(levels[0])


def fault(text: str, at: int, message: str) -> FormulaError:
    """One fault of a text, at a character of it."""
    place = position(text, at)
    return FormulaError(f"{in_words(place)}: {message}", (place,))


def position(text: str, at: int) -> tuple[int, int]:
    """The line and the column of a character, both from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def in_words(place: tuple[int, int]) -> str:
    """A line and a column in words."""
    return f"line {place[0]}, column {place[1]}"


MOST = 10
"""The largest number of faults in one message; parsing stops there."""

KEYWORDS = ("and", "not", "k")

WRITTEN = 200
"""The largest length of a refused formula in a message."""

CHOICE = "a goal leaves no choice, since plans and proofs cover none; write the one alternative that the task wants in place of"
CONDITION = "a goal has no conditions; write what must hold at the end, joined by `and`, in place of"
EVERY = "a goal names each thing; write one atom for each, joined by `and`, in place of"
KNOWING = "knowledge is written (K agent formula), in place of"
GENERAL = {"or": CHOICE, "imply": CONDITION, "when": CONDITION, "forall": EVERY, "exists": EVERY}
REFUSED = GENERAL | {"know": KNOWING, "knows": KNOWING}

UNKNOWING = "knowledge can be asked for and not denied; take it out, or write (K agent (not atom))"
EXAMPLE = "write one such as (is_open cabinet_3)"


def parse(text: str) -> Formula:
    """The formula in ``text``, exactly as it is written.

    Raises:
        FormulaError: the text is invalid; the message names each fault with its line and column (at most
            :data:`MOST`; an unmatched bracket is reported alone).

    >>> parse("(and (is_open cabinet_3) (K agent_0 (is_open cabinet_3)))  ; seen or told").parts[0]
    Atom(predicate='is_open', args=('cabinet_3',))
    """
    return _read_formula(text, _single(text, nodes(text), len(text)))


def goal_of(problem_pddl: str) -> Formula:
    """The goal of a whole ``(define (problem ...) ...)`` text, of a ``(:goal ...)``, or a bare formula.

    All other sections are skipped.

    Raises:
        FormulaError: there is no goal or more than one, or the goal is invalid.
    """
    top_level = nodes(problem_pddl)
    if not any(isinstance(node, Group) and node.head in ("define", ":goal") for node in top_level):
        return _read_formula(problem_pddl, _single(problem_pddl, top_level, len(problem_pddl)))
    goals: list[Group] = []
    for node in top_level:
        inside = node.parts if isinstance(node, Group) and node.head == "define" else (node,)
        goals += [part for part in inside if isinstance(part, Group) and part.head == ":goal"]
    if not goals:
        raise fault(problem_pddl, top_level[-1].at, "the problem has no goal; add (:goal ...) to it")
    if len(goals) > 1:
        raise fault(problem_pddl, goals[1].at, "a second (:goal ...); join both by `and` in one")
    return _read_formula(problem_pddl, _single(problem_pddl, goals[0].parts[1:], goals[0].at))


def _single(text: str, candidates: Sequence[Node], at: int) -> Node:
    if not candidates:
        raise fault(text, at, f"a formula is missing; {EXAMPLE}")
    if len(candidates) > 1:
        raise fault(text, candidates[1].at, "more than one formula; join them: (and ... ...)")
    return candidates[0]


def _read_formula(text: str, node: Node) -> Formula:
    faults: list[tuple[int, str]] = []
    formula = _formula(node, faults)
    if formula is not None:
        return formula
    placed = [(position(text, at), message) for at, message in sorted(faults)[:MOST]]
    summary = "; ".join(f"{in_words(place)}: {message}" for place, message in placed)
    raise FormulaError(summary, tuple(place for place, _ in placed))


def _formula(node: Node, faults: list[tuple[int, str]]) -> Formula | None:
    """The formula of a node; ``None`` if faults were added. The depth is bounded by :func:`nodes`."""
    if isinstance(node, Symbol):
        faults.append((node.at, f"{shown(node.text)} is not a formula; {EXAMPLE}"))
        return None
    if node.head in KEYWORDS:
        return {"and": _and, "not": _not, "k": _know}[node.head](node, faults)
    return _atom(node, faults)


def _and(node: Group, faults: list[tuple[int, str]]) -> And | None:
    if len(node.parts) == 1:
        faults.append((node.at, "this `and` is empty; put a formula in it, or take it out"))
        return None
    parts: list[Formula] = []
    for part in node.parts[1:]:
        formula = _formula(part, faults) if len(faults) < MOST else None
        parts += [] if formula is None else [formula]
    return And(tuple(parts)) if len(parts) == len(node.parts) - 1 else None


def _not(node: Group, faults: list[tuple[int, str]]) -> Not | None:
    if len(node.parts) != 2:
        faults.append((node.at, f"`not` takes one atom, (not atom); here it has {len(node.parts) - 1}"))
        return None
    inside = node.parts[1]
    head = inside.head if isinstance(inside, Group) else ""
    if head == "k":
        faults.append((node.at, UNKNOWING))
    elif head == "not":
        faults.append((node.at, "`not` of `not`; take both out"))
    elif head == "and":
        faults.append((node.at, "`not` of `and` leaves a choice; write `not` before the atoms it is about"))
    else:
        operand = _formula(inside, faults)
        return Not(operand) if isinstance(operand, Atom) else None
    return None


def _know(node: Group, faults: list[tuple[int, str]]) -> Know | None:
    if len(node.parts) != 3:
        message = f"`K` takes an agent and one formula, (K agent_0 ...); here it has {len(node.parts) - 1}"
        faults.append((node.at, f"{message}; join several formulas by `and`"))
        return None
    agent = _name(node.parts[1], "an agent", faults)
    inside = _formula(node.parts[2], faults)
    return None if agent is None or inside is None else Know(agent, inside)


def _atom(node: Group, faults: list[tuple[int, str]]) -> Atom | None:
    if not node.head:
        faults.append((node.at, f"a bracket that begins with no predicate; {EXAMPLE}"))
        return None
    name = node.parts[0].text if isinstance(node.parts[0], Symbol) else ""
    if node.head in REFUSED:
        faults.append(
            (node.at, f"`{node.head}` is not allowed in a goal: {REFUSED[node.head]} {_quote_node(node)}")
        )
        return None
    try:
        definition = predicate(name)
    except FormulaError as error:
        faults.append((node.at, str(error)))
        return None
    args = [_name(part, "a name", faults) for part in node.parts[1:]]
    if len(args) != len(definition.kinds):
        faults.append((node.at, describe_miscount(definition, len(args))))
        return None
    names = tuple(arg for arg in args if arg is not None)
    return Atom(name, names) if len(names) == len(args) else None


def _quote_node(node: Node) -> str:
    """A node as ASCII text on one line, cut to :data:`WRITTEN` characters."""
    text = node.text if isinstance(node, Symbol) else f"({' '.join(map(_quote_node, node.parts))})"
    plain = ascii(text)[1:-1]
    return plain if len(plain) <= WRITTEN else f"{plain[:WRITTEN]}..."


def _name(node: Node, expected: str, faults: list[tuple[int, str]]) -> str | None:
    if isinstance(node, Group):
        faults.append((node.at, f"a bracket in place of {expected}; write the name itself"))
    elif node.text.startswith("?"):
        message = f"{shown(node.text)} is a variable; write the name of a thing, such as cabinet_3"
        faults.append((node.at, message))
    else:
        return node.text
    return None
