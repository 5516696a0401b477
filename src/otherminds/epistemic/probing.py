"""The literal probes that a goal asks for, by name (Juneja et al. 2026, appendix H)."""

from __future__ import annotations

from typing import Any

from otherminds.epistemic.formula import Formula, KnowledgeChain, chains, suffixes

K_PROBE = "k_probe_"
"""Names of the probes that count begin so."""
HELPER = "helper:"
"""Probes whose names begin so are put only because a deeper one's truth is their answer; they count for no score."""

UNKNOWN: dict[str, Any] = {"predicate": "unknown", "holds": None, "args": []}
"""The structured answer of who does not know."""


def probed(goal: Formula) -> dict[str, KnowledgeChain]:
    """What each probe is about: one for each chain of ``K``, then the parts of chains, as helpers.

    >>> from otherminds.epistemic.parse import parse
    >>> found = probed(parse("(K agent_0 (K agent_1 (is_open cabinet_31)))"))
    >>> {name: chain.agents for name, chain in found.items()}
    {'k_probe_0': ('agent_0', 'agent_1'), 'helper:1': ('agent_1',)}
    """
    found = {f"{K_PROBE}{k}": chain for k, chain in enumerate(chains(goal))}
    for chain in tuple(found.values()):
        for part in suffixes(chain)[1:]:
            if part not in found.values():
                found[f"{HELPER}{len(found)}"] = part
    return found
