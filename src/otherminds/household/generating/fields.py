"""The words that fill the fields of templates of facts and goals: clauses, and the agents that know them."""

from __future__ import annotations

from otherminds.household.epistemic.formula import And, Formula, FormulaError, Know, Not, atom, shown
from otherminds.household.epistemic.predicates import PREDICATES
from otherminds.household.epistemic.words.filling import Filling, filled, of_agent, of_names
from otherminds.household.generating import templates


def of_knowledge(formula: Know, you: str) -> list[Filling]:
    """The fields of knowledge: its agent, and each clause of what it knows."""
    clauses = [text for kind in range(len(templates.KNOWN)) for text in _present(formula.inside, you, kind)]
    return [of_agent(formula.agent, you) | {"fin": text} for text in dict.fromkeys(clauses)]


def _present(formula: Formula, you: str, kind: int) -> list[str]:
    """The clauses of a formula in the present; knowledge inside knowledge has the next kind of clause."""
    if not isinstance(formula, Know):
        return [field["fin"] for field in of_literal(formula, you)]
    inside = _present(formula.inside, you, (kind + 1) % len(templates.KNOWN))
    return list(
        filled(
            templates.KNOWN[kind : kind + 1],
            [of_agent(formula.agent, you) | {"fin": text} for text in inside],
        )
    )


def of_literal(formula: Formula, you: str) -> list[Filling]:
    """The fields of a literal, for each of its complements.

    Raises:
        FormulaError: it is no literal of a goal.
    """
    if isinstance(formula, And | Know):
        raise FormulaError("an `and` is no single statement; make one of each of conjuncts(formula)")
    fact = atom(formula)
    kinds = PREDICATES[fact.predicate].kinds if fact.predicate in PREDICATES else ()
    if fact.predicate not in templates.COMPLEMENTS or len(kinds) != len(fact.args):
        raise FormulaError(f"{shown(fact.predicate)} has no words; say what a goal can say")
    base = of_names(*(name for name, kind in zip(fact.args, kinds, strict=True) if kind != "agent"))
    for name, kind in zip(fact.args, kinds, strict=True):
        base |= of_agent(name, you) if kind == "agent" else {}
    by_agent = kinds[:1] == ("agent",)
    if by_agent:
        base |= {"two": base["one"], "one": base["who"]}
    be, has = (base["is_"], base["has"]) if by_agent else ("is", "has")
    complements = (text.format_map(base) for text in templates.COMPLEMENTS[fact.predicate])
    denied = isinstance(formula, Not)
    return [base | {"comp": comp} | _forms(base["one"], be, has, comp, denied) for comp in complements]


def _forms(subject: str, be: str, has: str, comp: str, denied: bool) -> Filling:
    """A clause in the present, after "to", and as a duty."""
    if denied:
        return {
            "fin": f"{subject} {be} not {comp}",
            "inf": f"{subject} not to be {comp}",
            "must": f"{subject} must not be {comp}",
        }
    return {
        "fin": f"{subject} {be} {comp}",
        "inf": f"{subject} to be {comp}",
        "must": f"{subject} {has} to be {comp}",
    }
