"""The three references of a workspace, written from the registries: mechanics, predicates and actions.

What a plugin adds appears without a change here.
"""

from __future__ import annotations

from inspect import getdoc

import msgspec

from otherminds.household.commands import TOOLS
from otherminds.household.epistemic.predicates import PREDICATES, Predicate, Use
from otherminds.household.epistemic.told import forms
from otherminds.household.epistemic.words.sentences import tell
from otherminds.household.mechanics.mechanic import EXAMPLES, Binding, mechanic, mechanics

AGENTS = ("agent_0", "agent_1")
HEADINGS: dict[Use, str] = {
    "goal": "Allowed in goals",
    "mechanic": "Facts of mechanics, not allowed in goals",
    "refused": "Not of this household",
}


def mechanics_reference() -> str:
    """``available_mechanics.md``: what each mechanic does, its binding, and how a secret states it."""
    return "\n\n".join(["# Mechanics", *(_mechanic(name) for name in mechanics)]) + "\n"


def predicates_reference() -> str:
    """``available_predicates.md``: the vocabulary of goals, with what cannot be a goal and why."""
    parts = [
        "# Predicates",
        "A goal is `(and ...)` of facts, `(not FACT)` and `(K agent FACT)`: the agent knows it at the end. `K` nests: "
        "`(K agent_0 (K agent_1 (is_open cabinet_3)))` has depth 2. `K` is never negated.",
    ]
    for use, heading in HEADINGS.items():
        rows = [_predicate(predicate) for predicate in PREDICATES.values() if predicate.use == use]
        parts.append("\n".join([f"## {heading}", "", *rows]))
    return "\n\n".join(parts) + "\n"


def actions_reference() -> str:
    """``available_actions.md``: the tools by which agents act; one call is one turn."""
    rows = (f"- `{tool.form}`: {tool.about}" for tool in TOOLS.values())
    return "\n".join(["# Actions of agents", "", *rows]) + "\n"


def _mechanic(name: str) -> str:
    example = mechanic(name)
    field_names = (*example.fields, *example.optional)
    fields = {"mechanic_type": name} | {field: EXAMPLES[field] for field in field_names}
    binding = msgspec.convert(fields, Binding)
    about = (getdoc(type(example)) or "").strip()
    optional = f"; optional: {', '.join(example.optional)}" if example.optional else ""
    lines = [f"## {name}", "", about, "", f"Fields: {', '.join(example.fields) or 'none'}{optional}."]
    lines.append(f"Binding: `{msgspec.json.encode(fields).decode()}`")
    for statement in example.secrets(binding):
        formulas = " ".join(forms(statement, AGENTS))
        lines.append(f"In a secret of agent_0: {tell(statement, you=AGENTS[0])} In agent_knows: `{formulas}`")
    return "\n".join(lines)


def _predicate(predicate: Predicate) -> str:
    means = predicate.words.format(*_placeholders(predicate))
    return f"- `{predicate.signature}`: {means}" + (
        f". {predicate.why[0].upper()}{predicate.why[1:]}." if predicate.why else ""
    )


def _placeholders(predicate: Predicate) -> list[str]:
    """The kinds of the arguments, numbered where two are equal."""
    twice = {kind for kind in predicate.kinds if predicate.kinds.count(kind) > 1}
    return [
        f"{kind} {number}" if kind in twice else f"the {kind}"
        for number, kind in enumerate(predicate.kinds, 1)
    ]
