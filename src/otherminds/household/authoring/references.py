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
        rows = [_predicate(one) for one in PREDICATES.values() if one.use == use]
        parts.append("\n".join([f"## {heading}", "", *rows]))
    return "\n\n".join(parts) + "\n"


def actions_reference() -> str:
    """``available_actions.md``: the tools by which agents act; one call is one turn."""
    rows = (f"- `{tool.form}`: {tool.about}" for tool in TOOLS.values())
    return "\n".join(["# Actions of agents", "", *rows]) + "\n"


def _mechanic(name: str) -> str:
    made = mechanic(name)
    named = (*made.fields, *made.optional)
    fields = {"mechanic_type": name} | {field: EXAMPLES[field] for field in named}
    binding = msgspec.convert(fields, Binding)
    about = (getdoc(type(made)) or "").strip()
    optional = f"; optional: {', '.join(made.optional)}" if made.optional else ""
    lines = [f"## {name}", "", about, "", f"Fields: {', '.join(made.fields) or 'none'}{optional}."]
    lines.append(f"Binding: `{msgspec.json.encode(fields).decode()}`")
    for statement in made.secrets(binding):
        formulas = " ".join(forms(statement, AGENTS))
        lines.append(f"In a secret of agent_0: {tell(statement, you=AGENTS[0])} In agent_knows: `{formulas}`")
    return "\n".join(lines)


def _predicate(one: Predicate) -> str:
    means = one.words.format(*_placeholders(one))
    return f"- `{one.signature}`: {means}" + (f". {one.why[0].upper()}{one.why[1:]}." if one.why else "")


def _placeholders(one: Predicate) -> list[str]:
    """The kinds of the arguments, numbered where two are equal."""
    twice = {kind for kind in one.kinds if one.kinds.count(kind) > 1}
    return [
        f"{kind} {number}" if kind in twice else f"the {kind}" for number, kind in enumerate(one.kinds, 1)
    ]
