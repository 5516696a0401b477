"""Sections of the text of a PDDL problem besides its goal: the start, and private goals.

The public release of Juneja et al. 2026 writes private goals into the problem, as
``(:goal-owners (agent_0 (is_open cabinet_3)) ...)``, which is no PDDL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from otherminds.household.epistemic.formula import And, Formula, FormulaError, Literal, physical, show
from otherminds.household.epistemic.parse import TOKEN, Group, Symbol, fault, nodes, parse

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


def owners(text: str) -> dict[str, Formula]:
    """The private goals in a problem, by agent.

    Raises:
        FormulaError: they cannot be parsed.

    >>> text = "(define (problem p) (:goal (is_open fridge_1)) (:goal-owners (agent_0 (is_closed fridge_1))))"
    >>> owners(text)
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


def start(text: str) -> tuple[Literal, ...]:
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


def without(text: str, name: str) -> str:
    """The problem without a section and the preceding white space."""
    span = section(text, name)
    if span is None:
        return text
    return f"{text[: span[0]].rstrip()}{text[span[1] :]}"


def with_owners(text: str, goals: Mapping[str, Formula]) -> str:
    """A whole problem with these private goals instead of its own."""
    plain = without(text, OWNERS)
    lines = [f"    ({agent} {show(goal)})" for agent, goal in goals.items()]
    close = plain.rstrip().rfind(")")
    return f"{plain[:close].rstrip()}\n  ({OWNERS}\n" + "\n".join(lines) + f"\n  )\n{plain[close:]}"


def written(
    name: str, domain: str, objects: Mapping[str, Iterable[str]], init: Iterable[Formula], goal: Formula
) -> str:
    """A whole problem; ``objects`` gives the names of each type.

    >>> print(written("p", "d", {"furniture": ["fridge_1"]}, [], parse("(is_open fridge_1)")))
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


def whole(text: str) -> bool:
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
