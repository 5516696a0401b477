"""Counts of a team's messages: used, blocked, repeated, and known to their receivers.

A message has one class: blocked, else repeated, else known to all receivers.
"""

from __future__ import annotations

from functools import partial

from msgspec import Struct

from otherminds.household.epistemic.formula import Atom, Know, KnowledgeChain, Not, atom, chains
from otherminds.household.epistemic.household_facts import Act, Sent
from otherminds.household.epistemic.predicates import TOOLS, positive
from otherminds.household.epistemic.words import Fact, Secret
from otherminds.household.measures.trace import Trace, on_trace, same
from otherminds.measures.registry import measures, ratios

EFFECTS = {tool: state for state, tool in TOOLS.items()} | {"Clean": "is_clean", "Fill": "is_filled"}
"""The state that a tool sets if no mechanic binds the thing."""
WHERE = {"on": "is_on_top", "within": "is_inside"}
"""The predicate that Place achieves; a floor counts as furniture with a top."""


class Traffic(Struct, frozen=True):
    """Messages of one run: those ``tried`` were ``blocked`` or used; some of the used ones were wasted."""

    tried: int = 0
    blocked: int = 0
    repeated: int = 0
    known: int = 0

    @property
    def used(self) -> int:
        """The delivered messages, which use a budget."""
        return self.tried - self.blocked

    @property
    def wasted(self) -> int:
        """The messages that informed no receiver."""
        return self.blocked + self.repeated + self.known


def traffic(episode: Trace) -> Traffic:
    """The messages of an episode, counted.

    *Repeated*: the sender has sent the same words, or sentences with the same content, to all receivers before. *Known*:
    all sentences are understood (:mod:`otherminds.household.epistemic.words`), and each statement was known to all receivers before
    that turn: from their secrets, from earlier messages, as a result of their own last act on the thing, or by the
    simulator's log. For other sentences only repetition can be detected.
    """
    blocked = repeated = known_before = 0
    minds = {seat: {*episode.told(seat)} for seat in episode.seats}
    sent_marks: set[tuple[str, str, object]] = set()
    on_the_way: list[Sent] = []
    for sent in episode.messages:
        # A message informs from the turn after it arrives, so that two of the same turn can both be news.
        _arrive(minds, [message for message in on_the_way if message.arrival < sent.turn])
        on_the_way = [message for message in on_the_way if message.arrival >= sent.turn]
        if not sent.delivered:
            blocked += 1
            continue
        content = _content(sent)
        marks = {(sent.sender, to, content) for to in sent.delivered}
        if marks <= sent_marks:
            repeated += 1
        elif isinstance(content, frozenset) and all(
            statement in minds[to] or _knows_fact(episode, to, statement, sent.turn)
            for to in sent.delivered
            for statement in content
        ):
            known_before += 1
        sent_marks |= marks
        on_the_way.append(sent)
    return Traffic(len(episode.messages), blocked, repeated, known_before)


def effect(act: Act) -> Atom | None:
    """The result of a successful call if no mechanic binds the thing.

    >>> effect(Act(0, "agent_0", "Place[bowl_0, on, table_1]", True, "", "kitchen_1")).args
    ('bowl_0', 'table_1')
    """
    if act.tool in EFFECTS:
        return Atom(EFFECTS[act.tool], act.args[:1])
    if act.tool == "Pick":
        return Atom("is_held_by", (act.args[0], act.seat))
    if act.tool == "Place" and act.args[1] in WHERE:
        return Atom(WHERE[act.args[1]], (act.args[0], act.args[2]))
    return None


def _content(sent: Sent) -> frozenset[Secret] | str:
    """The content of a message: its statements if all of it is understood, else its words."""
    understood = sent.statements and not (sent.unread or sent.asides or sent.silent)
    return frozenset(sent.statements) if understood else " ".join(sent.arrived.casefold().split())


def _arrive(minds: dict[str, set[Secret]], messages: list[Sent]) -> None:
    """Delivers the messages of one turn, at the start of the next."""
    for sent in messages:
        for seat in (sent.sender, *sent.delivered):
            minds[seat] = _update_mind(minds[seat], sent.statements)


def _update_mind(mind: set[Secret], statements: tuple[Secret, ...]) -> set[Secret]:
    """The statements known after a message; the latest one about each thing."""
    subjects = {_thing(statement) for statement in statements} - {""}
    return {statement for statement in mind if _thing(statement) not in subjects} | set(statements)


def _thing(statement: Secret) -> str:
    """The first argument of a fact; empty for other statements and for knowledge."""
    if isinstance(statement, Fact) and isinstance(statement.formula, Atom | Not):
        return atom(statement.formula).args[0]
    return ""


def _knows_fact(episode: Trace, seat: str, statement: Secret, turn: int) -> bool:
    """Whether a seat knew a fact before the turn, by its own acts or by the log."""
    if not isinstance(statement, Fact):
        return False
    formula = statement.formula
    handled: dict[str, Atom] = {}
    for act in episode.done(seat):
        brought = effect(act)
        if brought and act.turn < turn:
            handled[brought.args[0]] = brought
    if isinstance(formula, Atom | Not) and handled.get(atom(formula).args[0]) == positive(formula):
        return True
    chain = next(iter(chains(Know(seat, formula))), KnowledgeChain((), Atom("", ())))
    ids = [name for name, other in episode.asked.items() if same(other, chain)]
    since = episode.entitled.get(ids[0]) if ids else None
    return since is not None and since <= turn


def _count_messages(name: str, episode: Trace) -> float:
    return float(getattr(traffic(episode), name))


for _name in ("used", "blocked", "repeated", "known"):
    measures.add(f"messages_{_name}", on_trace(partial(_count_messages, _name)))


@ratios.register("messages_wasted")
@on_trace
def messages_wasted(episode: Trace) -> tuple[float, float]:
    """The share of messages (0 to 1) that informed no receiver: blocked, repeated or known."""
    counts = traffic(episode)
    return float(counts.wasted), float(counts.tried)
