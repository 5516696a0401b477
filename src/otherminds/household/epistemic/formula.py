"""Goals as trees: atoms, ``not`` of an atom, ``and``, and nested ``K``; their chains of knowledge, and what messages add to them.

``K a φ`` says that agent a knows φ: φ holds, and a has seen it or was truthfully told. Knowledge is never negated
(there is no ``not K`` and no ``K not K``), so that every goal is a conjunction of *chains*: a literal, an agent that
knows it, an agent that knows that this agent knows it, and so on (Juneja et al. 2026, section 3.3 and appendix E).

A truthful message with the content c from x to y gives K_y c, K_y K_x c and K_x K_y c. It is truthful if x knew c before the
turn in which it was sent: a statement that its sender does not know creates no knowledge, even if it is true. A sentence
that was not read may state anything that its sender knew. The log of the simulator and the measures of records share this."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.data import HELPER
from otherminds.core.errors import TaskError

DEEPEST = 64
"""The largest nesting of a goal's text, and of a sentence about knowledge."""


QUOTED = 40
"""The number of characters of a text that a message quotes."""
K_PROBE = "k_probe_"
"""The prefix of the names of probes that are scored."""


class FormulaError(TaskError):
    """A formula, or its text, is invalid; the message names the place and a remedy.

    ``places`` are the (line, column) of the faults, both from 1, in the order of the text; empty without a text.
    """

    def __init__(self, text: str, places: tuple[tuple[int, int], ...] = ()) -> None:
        super().__init__(text)
        self.places = places


def shown(text: str) -> str:
    """``text`` as a message quotes it: ASCII, on one line, cut to :data:`QUOTED` characters.

    >>> shown("is_open")
    '`is_open`'
    """
    cut = text if len(text) <= QUOTED else f"{text[:QUOTED]}..."
    return f"`{ascii(cut)[1:-1]}`"


class Atom(Struct, frozen=True, tag="atom"):
    """A fact about named things: ``is_open`` of ``cabinet_3``. The predicates are in :mod:`.predicates`."""

    predicate: str
    args: tuple[str, ...]


class Not(Struct, frozen=True, tag="not"):
    """A fact does not hold."""

    inside: Atom


class And(Struct, frozen=True, tag="and"):
    """All parts hold."""

    parts: tuple[Formula, ...]


class Know(Struct, frozen=True, tag="know"):
    """``agent`` knows ``inside``."""

    agent: str
    inside: Formula


Literal: TypeAlias = Atom | Not
Formula: TypeAlias = Atom | Not | And | Know


class KnowledgeChain(Struct, frozen=True):
    """A literal and the agents that know it, the outermost first; without agents, the literal itself.

    No agent occurs twice in succession.
    """

    agents: tuple[str, ...]
    fact: Literal

    @property
    def formula(self) -> Formula:
        """The chain as a formula, with ``K`` of the first agent outermost."""
        formula: Formula = self.fact
        for agent in reversed(self.agents):
            formula = Know(agent, formula)
        return formula


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """The conjuncts of a goal: literals, and literals under ``K``, in order, each once.

    ``K`` is distributed over ``and``, and ``K a K a φ`` becomes ``K a φ``.

    >>> bowl, cup = Atom("is_clean", ("bowl_0",)), Atom("is_clean", ("cup_1",))
    >>> conjuncts(Know("agent_0", And((bowl, Know("agent_0", cup))))) == (Know("agent_0", bowl), Know("agent_0", cup))
    True
    """
    return tuple(chain.formula for chain in _chains(formula))


def physical(formula: Formula) -> tuple[Literal, ...]:
    """The literals outside every ``K``, each once; they define functional success (appendix E)."""
    return tuple(chain.fact for chain in _chains(formula) if not chain.agents)


def chains(formula: Formula) -> tuple[KnowledgeChain, ...]:
    """The knowledge that the goal requires, each chain once: the literal probes of appendix H."""
    return tuple(chain for chain in _chains(formula) if chain.agents)


def claims(formula: Formula) -> tuple[KnowledgeChain, ...]:
    """All conjuncts as chains: first the physical literals (chains without agents), then the others."""
    return (*(KnowledgeChain((), fact) for fact in physical(formula)), *chains(formula))


def suffixes(chain: KnowledgeChain) -> tuple[KnowledgeChain, ...]:
    """The suffixes of a chain: the bare fact first, then one more agent each, the whole chain last.

    It is sufficient to follow these to decide when the chain holds.

    >>> whole = KnowledgeChain(("agent_0", "agent_1"), Atom("is_open", ("cabinet_3",)))
    >>> [part.agents for part in suffixes(whole)]
    [(), ('agent_1',), ('agent_0', 'agent_1')]
    """
    count = len(chain.agents)
    return tuple(KnowledgeChain(chain.agents[start:], chain.fact) for start in range(count, -1, -1))


def behind(agent: str, agents: tuple[str, ...]) -> tuple[str, ...]:
    """The agents of ``K agent`` applied to a chain of ``agents``; an agent that knows that it knows a fact knows it.

    >>> behind("agent_0", ("agent_1",)), behind("agent_0", ("agent_0", "agent_1"))
    (('agent_0', 'agent_1'), ('agent_0', 'agent_1'))
    """
    return agents if agents[:1] == (agent,) else (agent, *agents)


def shared(sender: str, hearer: str, content: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The chains that a truthful message establishes: K_hearer c, K_hearer K_sender c and K_sender K_hearer c.

    ``content`` are the agents of the chain c that the message states.
    """
    hearer_knows = behind(hearer, content)
    return hearer_knows, behind(hearer, behind(sender, content)), behind(sender, hearer_knows)


def depth(formula: Formula) -> int:
    """The number of agents in the longest chain; 0 without ``K``. ``K a K a φ`` counts once.

    >>> depth(Know("agent_0", Know("agent_0", Know("agent_1", Atom("is_open", ("cabinet_3",))))))
    2
    """
    return max((len(chain.agents) for chain in _chains(formula)), default=0)


def agents(formula: Formula) -> tuple[str, ...]:
    """The agents under ``K``, in order, each once."""
    return tuple(dict.fromkeys(agent for chain in _chains(formula) for agent in chain.agents))


def names(formula: Formula) -> tuple[str, ...]:
    """The arguments of all facts, inside ``K`` and outside, in order, each once.

    They include agents if a fact is about an agent (``agent_in_room``).
    """
    facts = (chain.fact for chain in _chains(formula))
    return tuple(dict.fromkeys(name for fact in facts for name in atom(fact).args))


def atom(literal: Literal) -> Atom:
    """The atom of a literal."""
    return literal.inside if isinstance(literal, Not) else literal


def _chains(formula: Formula) -> dict[KnowledgeChain, None]:
    """The conjuncts as chains, in order. Iterative, so that any depth is possible."""
    conjuncts: dict[KnowledgeChain, None] = {}
    waiting: list[tuple[tuple[str, ...], Formula]] = [((), formula)]
    while waiting:
        knowing, part = waiting.pop()
        match part:
            case And(parts):
                waiting += [(knowing, inner) for inner in reversed(parts)]
            case Know(agent, inside):
                waiting.append((knowing if knowing[-1:] == (agent,) else (*knowing, agent), inside))
            case _:
                conjuncts[KnowledgeChain(knowing, part)] = None
    return conjuncts


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


def probed(goal: Formula) -> dict[str, KnowledgeChain]:
    """The chain of each probe, by name: one for each chain of ``K``, then the suffixes of chains, as helpers.

    >>> from otherminds.household.epistemic.parse import parse
    >>> probes = probed(parse("(K agent_0 (K agent_1 (is_open cabinet_31)))"))
    >>> {name: chain.agents for name, chain in probes.items()}
    {'k_probe_0': ('agent_0', 'agent_1'), 'helper:1': ('agent_1',)}
    """
    probes = {f"{K_PROBE}{k}": chain for k, chain in enumerate(chains(goal))}
    for chain in tuple(probes.values()):
        for part in suffixes(chain)[1:]:
            if part not in probes.values():
                probes[f"{HELPER}{len(probes)}"] = part
    return probes


Knew: TypeAlias = Callable[[KnowledgeChain], bool]
"""Whether a chain was known before the turn of a message."""


def known_to(agent: str, content: KnowledgeChain) -> KnowledgeChain:
    """``K agent`` applied to a content."""
    return KnowledgeChain(behind(agent, content.agents), content.fact)


def learned(
    sender: str, hearers: Iterable[str], contents: Iterable[KnowledgeChain], knew: Knew
) -> Iterator[KnowledgeChain]:
    """The chains that a message from ``sender`` establishes in ``hearers``, given what was known before."""
    stated = [content for content in contents if knew(known_to(sender, content))]
    for hearer in hearers:
        for content in stated:
            yield from (
                KnowledgeChain(agents, content.fact) for agents in shared(sender, hearer, content.agents)
            )


def tellable(sender: str, chains: Iterable[KnowledgeChain]) -> Iterator[KnowledgeChain]:
    """All contents that ``sender`` could state truthfully: the chains that it knows, with itself in front and without."""
    for chain in chains:
        if chain.agents[:1] == (sender,):
            yield chain
            yield KnowledgeChain(chain.agents[1:], chain.fact)
