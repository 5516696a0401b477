"""The format of certificates: an epistemic problem as data, and claims about it with their evidence.

Files are JSON, or JSON in gzip. The prover writes them (:mod:`.relaxed`, :mod:`.compiling`) and the checker reads them
(:mod:`.check`, which has the meaning of every part); beyond this module the two share no code. Only the checker uses
:func:`decoded` and :func:`faults`.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

Words: TypeAlias = tuple[str, ...]
"""A predicate with its arguments; arguments that begin with ``?`` are parameters."""
Known: TypeAlias = tuple[Words, str]
"""Agents, the outermost first, and what they know: a literal or a secret. Without agents, the literal itself."""
UNLIMITED = 1000
"""No limit on the agents in a chain."""
MOST = 1 << 24
"""The largest number of bytes of a certificate, also of what gzip has made smaller."""
RUNS = (0, 1, 2)
"""The seeds of a team's runs."""
LEVELS = ("no_message", "level 1", "level 2", "level 3")
"""The teams in the order of what they model of their partners, from nothing."""
WHOLE = " with whole memories"
TEAMS: Words = (
    *("random", "no_message", "broadcast", "level 1", "level 2", "level 3", "informed"),
    *(f"{team}{WHOLE}" for team in ("broadcast", "level 1", "level 2", "level 3")),
)
"""The teams of which a certificate has the runs."""


ClaimKind: TypeAlias = Literal[
    "reached", "open", "unreachable", "barred", "shortest", "untold", "apart", "partners"
]
"""What is claimed of parts of a goal (:class:`Claim`)."""


class ProblemAction(Struct, frozen=True, forbid_unknown_fields=True):
    """An action of agent ``?a``, its first parameter; parameters are pairs of a name and a type."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    needs: tuple[Words, ...]
    adds: tuple[Words, ...]
    removes: tuple[Words, ...]


class SightRule(Struct, frozen=True, forbid_unknown_fields=True):
    """``?a`` sees ``shows`` if it holds and ``needs`` hold, of which the first is ``at ?a ?s``."""

    parameters: tuple[tuple[str, str], ...]
    needs: tuple[Words, ...]
    shows: Words


class Gate(Struct, frozen=True, forbid_unknown_fields=True):
    """A reason to take one of ``actions`` that adds one of ``adds``: to know all of ``secrets``.

    An action without a gate needs no reason; one with several gates needs one of them.
    """

    actions: Words
    adds: tuple[Words, ...]
    secrets: Words


class EpistemicProblem(Struct, frozen=True, forbid_unknown_fields=True):
    """A task as data.

    ``digest`` is the SHA-256 of the task. ``names`` are the names of each type. ``start`` and ``known`` hold at the start.
    ``links`` are the addressees of each agent, ``budgets`` the messages of those whose number is limited. ``literals``
    gives the facts any of which makes a literal hold. ``goal`` is the shared goal; ``private`` are the literals of each
    agent's own goal. ``statements`` is the largest number of statements of a message, 0 if there is no limit.
    """

    task: str
    digest: str
    agents: Words
    names: dict[str, Words]
    actions: tuple[ProblemAction, ...]
    sights: tuple[SightRule, ...]
    static: tuple[Words, ...]
    start: tuple[Words, ...]
    known: tuple[Known, ...]
    links: dict[str, Words]
    budgets: dict[str, int]
    gates: tuple[Gate, ...]
    literals: dict[str, tuple[Words, ...]]
    goal: tuple[Known, ...]
    private: dict[str, Words] = {}
    statements: int = 0

    @property
    def physical(self) -> tuple[Known, ...]:
        """The literals of the shared goal; all of it if it is about knowledge alone."""
        return tuple(part for part in self.goal if not part[0]) or self.goal

    def private_parts(self, agent: str) -> tuple[Known, ...]:
        """The private goal of an agent, as parts of a goal."""
        return tuple(((), literal) for literal in self.private.get(agent, ()))

    def sha256(self) -> str:
        """The digest of the problem in canonical JSON.

        Raises:
            ValueError: it has integers or text that JSON cannot have.
        """
        try:
            return hashlib.sha256(msgspec.json.encode(self, order="deterministic")).hexdigest()
        except OverflowError as error:
            raise ValueError(str(error)) from None


class PlanAct(Struct, frozen=True, forbid_unknown_fields=True, tag="act"):
    """The use of an action; the actor is the first value."""

    action: str
    values: Words


class PlanTell(Struct, frozen=True, forbid_unknown_fields=True, tag="tell"):
    """A message to one addressee, or to all of them at the price of one; the sender knows its content."""

    sender: str
    hearers: Words
    content: Known


class RoleSwap(Struct, frozen=True, forbid_unknown_fields=True):
    """A task of a family: each agent in ``roles`` has the abilities of another one there; ``plan`` solves the task."""

    roles: dict[str, str]
    plan: tuple[PlanAct | PlanTell, ...]


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """A claim about ``parts`` of the goal.

    ``reached``: they hold after ``plan``. ``open``: they do not all hold at the start. ``unreachable``: they never all
    hold if the agents in ``without`` do nothing, though they see and hear, and messages establish no chain of more than
    ``deepest`` agents (0 or 1: there are no messages);
    ``never`` and ``unknown`` are facts and knowledge of which nothing can be the first to be added. ``barred``: without
    messages they never all hold, but they hold after ``plan`` if the pairs of an agent and a room in ``lifted`` were no bars.
    ``shortest``: if agents know all secrets, they hold after ``turns``, and after no fewer, because of the parts in
    ``slowest``; ``tracked`` are the facts of a projection in which these need as many turns (:mod:`.check_searches`).
    ``untold``: messages of one statement each do not suffice for the part, a chain, even if agents know all secrets and all
    that they could ever see; ``never`` and ``unknown`` are what they never see. ``apart``: they
    never all hold, whatever agents know, by the states of the facts in ``tracked``. ``partners``: of
    the tasks in which abilities are permuted, the ``members``, one policy that ignores what it is told of others' abilities
    solves at most ``share``, a fraction (:mod:`.check_partners`).
    """

    kind: ClaimKind
    evidence: Literal["plan", "start", "never", "bars", "turns", "messages", "states", "roles", "planner"]
    parts: tuple[Known, ...]
    plan: tuple[PlanAct | PlanTell, ...] = ()
    never: tuple[Words, ...] = ()
    unknown: tuple[Known, ...] = ()
    without: Words = ()
    deepest: int = UNLIMITED
    lifted: tuple[tuple[str, str], ...] = ()
    turns: tuple[tuple[PlanAct, ...], ...] = ()
    slowest: tuple[Known, ...] = ()
    tracked: tuple[Words, ...] = ()
    members: tuple[RoleSwap, ...] = ()
    share: str = ""

    def __str__(self) -> str:
        """The claim as a phrase, without its evidence."""
        parts = "; ".join(map(known_in_words, self.parts))
        if self.kind == "reached":
            return f"[{parts}] hold after a plan of {len(self.plan)} steps"
        if self.kind == "open":
            return f"[{parts}] do not all hold at the start"
        if self.kind == "shortest":
            return (
                f"with all secrets public, [{parts}] hold after {len(self.turns)} turns, and after no fewer"
            )
        if self.kind == "barred":
            bars = ", ".join(f"{room} to {agent}" for agent, room in self.lifted)
            return f"without messages, [{parts}] never all hold, but do after {len(self.plan)} steps with these rooms open: {bars}"
        if self.kind == "partners":
            return f"[{parts}]: of {len(self.members)} tasks with permuted abilities, one policy that ignores them solves {self.share}"
        if self.kind == "apart":
            return f"[{parts}] never all hold, whatever agents know"
        if self.kind == "untold":
            return f"messages of one statement each do not suffice to tell [{parts}]"
        conditions = [f"if {', '.join(self.without)} do nothing"] if self.without else []
        if self.deepest < 2:
            conditions.append("without messages")
        elif self.deepest < UNLIMITED:
            conditions.append(f"if messages establish chains of at most {self.deepest}")
        return ", ".join([f"[{parts}] never all hold", *conditions])


class TeamEpisode(Struct, frozen=True, forbid_unknown_fields=True):
    """What a team of reference minds does in the task with each of ``seeds``.

    ``turns`` has the calls of all agents, in their order, by turn; ``solved`` says whether the physical goal holds after
    the last one.
    """

    team: str
    seeds: tuple[int, ...]
    turns: tuple[Words, ...]
    solved: bool

    def __str__(self) -> str:
        """The episode as a claim."""
        seeds = f"seed{'s' * (len(self.seeds) > 1)} {', '.join(map(str, self.seeds))}"
        return f"{self.team} {'solves' if self.solved else 'does not solve'} the task with {seeds}"


class HardClaim(Struct, frozen=True, forbid_unknown_fields=True):
    """The claim that few cheap teams, which have no model of their partners, solve a task.

    ``teams`` are those that played, and ``shortest`` is T*, the turns of the shortest plan with all secrets public.
    ``solvers`` are the teams that solve it, each with the multiples of T* after which the goal holds.
    """

    teams: Words
    shortest: int
    solvers: dict[str, tuple[int, ...]]


class Certificate(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Claims about a problem, by name, and episodes of its task; ``digest`` is that of the problem.

    ``hard`` is the claim that the task is hard, ``None`` if there is none. What equals its default is not written.
    """

    problem: EpistemicProblem
    digest: str
    claims: dict[str, Claim]
    episodes: tuple[TeamEpisode, ...] = ()
    hard: HardClaim | None = None


def decoded(raw: bytes) -> Certificate:
    """The certificate in a file's content, JSON or JSON in gzip.

    Raises:
        ValueError: it is none, it is longer than ``MOST``, or an object has a key twice.
    """
    try:
        plain = raw
        if raw[:2] == b"\x1f\x8b":
            unpacking = zlib.decompressobj(31)
            plain = unpacking.decompress(raw, MOST)
            if not unpacking.eof or unpacking.unused_data:
                raise ValueError("the gzip data are cut off, too long, or followed by others")
        if len(plain) > MOST:
            raise ValueError(f"it is longer than {MOST} bytes")
        certificate = msgspec.json.decode(plain, type=Certificate)
        json.loads(plain, object_pairs_hook=_distinct)
        return certificate
    except (zlib.error, msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None


def _distinct(pairs: list[tuple[str, object]]) -> None:
    """Raises ValueError if a key is there twice: of two claims with one name, a reader sees one only."""
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} is there twice")


def faults(problem: EpistemicProblem) -> Iterator[str]:
    """What keeps a problem from having one meaning."""
    changing = {fact[0] for action in problem.actions for fact in (*action.adds, *action.removes) if fact}
    gated = (gate.adds for gate in problem.gates)
    facts = [*chain(problem.static, problem.start, *problem.literals.values(), *gated)]
    if not all(facts) or any(map(variable, {*chain(*problem.names.values(), *facts)})):
        yield "a fact or a name is empty or a parameter"
    if any(fact[:1] and fact[0] in changing for fact in problem.static):
        yield "a static fact changes"
    if any(fact[:1] and fact[0] not in changing for fact in problem.start):
        yield "a fact of the start is static"
    if len({action.name for action in problem.actions}) < len(problem.actions):
        yield "two actions have the same name"
    for action in problem.actions:
        yield from _rule_faults(action.parameters, (*action.needs, *action.adds, *action.removes))
    for sight in problem.sights:
        yield from _rule_faults(sight.parameters, (*sight.needs, sight.shows))
        if sight.needs[:1] != (("at", "?a", "?s"),):
            yield "a sight from nowhere"
    agents = set(problem.agents)
    if problem.names.get("agent") != problem.agents:
        yield "the agents are not the names of the type agent"
    if not agents.issuperset(chain(problem.links, *problem.links.values())):
        yield "links of unknown agents"
    if any(len(who) != 1 for who, _ in problem.known):
        yield "more than the knowledge of single agents at the start"
    if not agents.issuperset(problem.private):
        yield "a private goal of nobody"
    if len(set(problem.goal)) < len(problem.goal):
        yield "a part of the goal is there twice"
    own = (part for agent in problem.private for part in problem.private_parts(agent))
    for who, literal in (*problem.goal, *own):
        if literal not in problem.literals or not agents.issuperset(who):
            yield "a goal without meaning"
        if len(who) >= UNLIMITED or any(agent == successor for agent, successor in pairwise(who)):
            yield "a chain that is too long"


def _rule_faults(parameters: tuple[tuple[str, str], ...], patterns: tuple[Words, ...]) -> Iterator[str]:
    names = {name for name, _ in parameters}
    if parameters[:1] != (("?a", "agent"),):
        yield "an agent ?a is not the first parameter"
    if len(names) < len(parameters) or not all(map(variable, names)):
        yield "parameters are equal or do not begin with ?"
    if not all(pattern and not variable(pattern[0]) for pattern in patterns):
        yield "a pattern has no predicate"
    if not names.issuperset(filter(variable, chain(*patterns))):
        yield "a pattern has an unknown parameter"


def known_in_words(part: Known) -> str:
    """A part of a goal as the names of verdicts have it: ``K agent_0 (is_open cabinet_3)``."""
    agents, literal = part
    return " ".join([*(f"K {agent}" for agent in agents), literal])


def variable(word: str) -> bool:
    """Whether a word of a pattern is a parameter."""
    return word.startswith("?")
