"""From text to formula: s-expressions with the place of each part, goals as PDDL writes them, and sections of PDDL problems.

The language (Juneja et al. 2026, appendix E)::

    formula := (and formula ...)            at least one
             | (K agent formula)
             | (not atom)
             | atom
    atom    := (predicate name ...)         as :mod:`.predicates` says

``and``, ``not`` and ``K`` may be written in lower or upper case; names and predicates are case-sensitive. Predicates
that a goal may not have are parsed too: :func:`.predicates.check_goal` reports them.

The public release of Juneja et al. 2026 writes private goals into the problem, as
``(:goal-owners (agent_0 (is_open cabinet_3)) ...)``, which is no PDDL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from otherminds.household.epistemic.formula import (
    DEEPEST,
    And,
    Atom,
    Formula,
    FormulaError,
    Know,
    Literal,
    Not,
    physical,
    show,
    shown,
)
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


@lru_cache(maxsize=1024)
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


OWNERS, INIT, OBJECTS = ":goal-owners", ":init", ":objects"


def section(text: str, name: str) -> tuple[int, int] | None:
    """The begin and end of the section ``name`` of a problem in ``text``; ``None`` if there is none.

    Raises:
        FormulaError: the brackets do not match, or there are two such sections.

    >>> section("(define (problem p) (:init) (:goal (is_open fridge_1)))", ":init")
    (20, 27)
    """
    offsets: list[int] = []
    for node in nodes(text):
        inside = node.parts if isinstance(node, Group) and node.head == "define" else (node,)
        offsets += [part.at for part in inside if isinstance(part, Group) and part.head == name]
    if len(offsets) > 1:
        raise fault(text, offsets[1], f"a second ({name} ...); join both in one")
    return (offsets[0], _end(text, offsets[0])) if offsets else None


def read_owners(text: str) -> dict[str, Formula]:
    """The private goals in a problem, by agent.

    Raises:
        FormulaError: they cannot be parsed.

    >>> text = "(define (problem p) (:goal (is_open fridge_1)) (:goal-owners (agent_0 (is_closed fridge_1))))"
    >>> read_owners(text)
    {'agent_0': Atom(predicate='is_closed', args=('fridge_1',))}
    """
    span = section(text, OWNERS)
    if span is None:
        return {}
    goals: dict[str, Formula] = {}
    for node in _parts(text, span):
        inner = _parts(text, node)
        owner = text[node[0] + 1 : inner[0][0]].strip() if inner else ""
        if not re.fullmatch(r"\w+", owner) or owner in goals or not inner:
            raise fault(text, node[0], "a private goal is written (agent_0 formula), once for each agent")
        formulas = [parse(text[begin:end]) for begin, end in inner]
        goals[owner] = formulas[0] if len(formulas) == 1 else And(tuple(formulas))
    return goals


def start_facts(text: str) -> tuple[Literal, ...]:
    """The facts of the start in a problem, in order; facts outside the vocabulary are left out.

    Raises:
        FormulaError: the brackets do not match.
    """
    span = section(text, INIT)
    facts: list[Literal] = []
    for begin, end in _parts(text, span) if span else ():
        try:
            facts += physical(parse(text[begin:end]))
        except FormulaError:
            continue
    return tuple(facts)


def typed_objects(text: str) -> tuple[tuple[str, str], ...]:
    """The names in ``(:objects ...)``, each with its type, in order; a name without a type has the type ``object``.

    Raises:
        FormulaError: the brackets do not match, or the section has a bracket inside.

    >>> typed_objects("(define (problem p) (:objects hall_1 - room cup_1) (:goal (is_clean cup_1)))")
    (('hall_1', 'room'), ('cup_1', 'object'))
    """
    span = section(text, OBJECTS)
    if span is None:
        return ()
    (group,) = nodes(text[span[0] : span[1]])
    assert isinstance(group, Group), "a section is a bracket with a head"
    objects: list[tuple[str, str]] = []
    waiting: list[str] = []
    typed = False
    for part in group.parts[1:]:
        if not isinstance(part, Symbol):
            raise fault(text, span[0] + part.at, "a bracket where a name should be")
        if part.text == "-":
            typed = True
        elif typed:
            objects += [(name, part.text) for name in waiting]
            waiting, typed = [], False
        else:
            waiting.append(part.text)
    return (*objects, *((name, "object") for name in waiting))


def sections(text: str) -> tuple[str, ...]:
    """The heads of all sections of a problem, in lower case and in order.

    Raises:
        FormulaError: the brackets do not match.
    """
    heads: list[str] = []
    for node in nodes(text):
        if isinstance(node, Group) and node.head == "define":
            heads += [
                part.head for part in node.parts if isinstance(part, Group) and part.head.startswith(":")
            ]
    return tuple(heads)


def drop_section(text: str, name: str) -> str:
    """The problem without a section and the preceding white space."""
    span = section(text, name)
    if span is None:
        return text
    return f"{text[: span[0]].rstrip()}{text[span[1] :]}"


def write_owners(text: str, goals: Mapping[str, Formula]) -> str:
    """A whole problem with these private goals instead of its own."""
    plain = drop_section(text, OWNERS)
    lines = [f"    ({agent} {show(goal)})" for agent, goal in goals.items()]
    close = plain.rstrip().rfind(")")
    return f"{plain[:close].rstrip()}\n  ({OWNERS}\n" + "\n".join(lines) + f"\n  )\n{plain[close:]}"


def write_problem(
    name: str, domain: str, objects: Mapping[str, Iterable[str]], init: Iterable[Formula], goal: Formula
) -> str:
    """A whole problem; ``objects`` gives the names of each type.

    >>> print(write_problem("p", "d", {"furniture": ["fridge_1"]}, [], parse("(is_open fridge_1)")))
    (define (problem p)
      (:domain d)
      (:objects
        fridge_1 - furniture
      )
      (:init
      )
      (:goal (is_open fridge_1))
    )
    """
    typed = [f"    {' '.join(names)} - {kind}" for kind, names in objects.items()]
    facts = [f"    {show(fact)}" for fact in init]
    lines = [f"(define (problem {name})", f"  (:domain {domain})", "  (:objects", *typed, "  )"]
    return "\n".join([*lines, f"  ({INIT}", *facts, "  )", f"  (:goal {show(goal)})", ")"])


def is_whole_problem(text: str) -> bool:
    """Whether ``text`` is a whole problem, and not only its goal."""
    return any(isinstance(node, Group) and node.head == "define" for node in nodes(text))


def _parts(text: str, span: tuple[int, int]) -> list[tuple[int, int]]:
    (group,) = nodes(text[span[0] : span[1]])
    assert isinstance(group, Group), "a section is a bracket with a head"
    for part in group.parts[1:]:
        if isinstance(part, Symbol):
            raise fault(text, span[0] + part.at, "a word where a bracket should be")
    return [(span[0] + part.at, _end(text, span[0] + part.at)) for part in group.parts[1:]]


def _end(text: str, at: int) -> int:
    """The offset after the bracket that closes the one at ``at``."""
    depth = 0
    for token in TOKEN.finditer(text, at):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    raise fault(text, at, "this `(` is never closed; add its `)`")
