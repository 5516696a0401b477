"""Who knows what: goals as formulas of nested knowledge, in s-expressions and in plain words.

A goal is written in PDDL with nested ``K`` (:func:`parse`, :func:`goal_of`), held as
a tree (:mod:`.formula`) over a fixed vocabulary (:mod:`.predicates`), printed back
exactly (:func:`show`), and said in controlled English (:mod:`.words`).
"""

from otherminds.epistemic.formula import (
    And,
    Atom,
    Formula,
    FormulaError,
    Know,
    KnowledgeChain,
    Literal,
    Not,
    agents,
    atom,
    chains,
    conjuncts,
    depth,
    names,
    normal,
    physical,
    show,
    suffixes,
)
from otherminds.epistemic.parse import goal_of, parse
from otherminds.epistemic.predicates import PREDICATES, Predicate, check_goal, opposite, positive

__all__ = [
    "PREDICATES",
    "And",
    "Atom",
    "Formula",
    "FormulaError",
    "Know",
    "KnowledgeChain",
    "Literal",
    "Not",
    "Predicate",
    "agents",
    "atom",
    "chains",
    "check_goal",
    "conjuncts",
    "depth",
    "goal_of",
    "names",
    "normal",
    "opposite",
    "parse",
    "physical",
    "positive",
    "show",
    "suffixes",
]
