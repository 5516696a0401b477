"""One run of a task by a team: passes, messages and other costs, and failure patterns.

A message has one class: blocked, else repeated, else known to all receivers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial

from msgspec import Struct, field

from otherminds.core.record import Asked, Record
from otherminds.household.epistemic.formula import Atom, Know, KnowledgeChain, Not, atom, chains
from otherminds.household.epistemic.household_facts import Act, Sent, Trial
from otherminds.household.epistemic.predicates import TOOLS, positive
from otherminds.household.epistemic.words import Fact, Secret
from otherminds.household.measures.patterns import patterns
from otherminds.household.measures.questions import INVALID, Item, asked_tests, items
from otherminds.household.measures.trace import Trace, on_trace, same, trace
from otherminds.measures.literal import right
from otherminds.measures.registry import Unknown, details, ego, measures, rate, ratios

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


NO_PRIVATE = "no agent has a private goal in this task"


class Attempt(Struct, frozen=True):
    """One run, scored or not; a run that was not scored has passed nothing (section 5).

    ``literal`` (the paper's) is ``None`` without probes; ``unknowing`` says whether a team that knows nothing passes it.
    ``items`` are the questions that count for L, and ``left_out`` counts the others by reason. ``gain`` is F: 1 for success, 0 for the silent team's result; ``None`` where the silent team
    succeeds or the task has no plan. ``private`` counts the achieved private goals, and all of them. ``patterns`` counts
    each failure pattern; it is empty if the run was not scored. ``pattern`` is the functional pattern of a generated task,
    and ``split`` the shipped split that it is part of; empty if it has none. ``model``: the mind is a language model.
    """

    scenario: str
    mind: str
    category: str
    depth: int
    seed: int
    scored: bool
    functional: bool
    literal: bool | None
    unknowing: bool
    items: tuple[Item, ...]
    left_out: dict[str, int]
    gain: float | None
    private: tuple[int, int]
    turns: int
    traffic: Traffic
    patterns: dict[str, int] = field(default_factory=dict[str, int])
    pattern: str = ""
    split: str = ""
    model: bool = False

    @property
    def unread(self) -> int:
        """The questions that count and whose answers were not valid."""
        return sum(item.answer == INVALID for item in self.items)


@details.register("household")
def attempt(record: Record) -> Attempt | None:
    """The attempt in a record of the household; ``None`` in any other world."""
    episode = trace(record)
    if isinstance(episode, Unknown):
        return None
    scored = record.outcome.status == "scored"
    passed = literal_pass(record)
    literal = None if isinstance(passed, Unknown) else bool(passed)
    blind, questions = literal_pass_unknowing(record), items(record)
    put_questions = [] if isinstance(questions, Unknown) else questions
    return Attempt(
        scenario=record.spec.title,
        mind=record.spec.seats[ego(record)].title,
        category=episode.task.category,
        depth=episode.task.depth,
        seed=record.spec.seed,
        scored=scored,
        functional=scored and episode.solved,
        literal=literal if scored or not episode.task.depth else False,
        unknowing=not isinstance(blind, Unknown) and bool(blind),
        items=tuple(question for question in put_questions if isinstance(question, Item)),
        left_out=dict(Counter(question.why for question in put_questions if not isinstance(question, Item))),
        gain=_gain(record, episode),
        private=(sum(episode.private.values()), len(episode.private)),
        turns=len(record.actions),
        traffic=traffic(episode),
        patterns={name: len(patterns.get(name)(record)) for name in patterns} if scored else {},
        pattern=episode.task.pattern,
        split=episode.task.split,
        model=bool(record.spec.seats[ego(record)].model),
    )


def _gain(record: Record, episode: Trace) -> float | None:
    """F of a run, where the two references differ."""
    bounds = record.bounds
    if bounds is None or bounds.best is None or bounds.blind is None or bounds.best <= bounds.blind:
        return None
    return (float(episode.solved) - bounds.blind) / (bounds.best - bounds.blind)


@rate("functional_pass")
@on_trace
def functional_pass(episode: Trace) -> float:
    """1 if all physical predicates of the goal hold at the end, else 0; ``K`` does not count (section 5)."""
    return float(episode.solved)


@rate("literal_pass")
def literal_pass(record: Record) -> float | Unknown:
    """1 if all literal probes of the goal are answered correctly by the paper's truth, else 0 (section 5, appendix H).

    The truth of a probe of depth 1 comes from the world; that of a deeper probe is the actual report of the next agent.
    If that agent gave no valid report, the probe does not pass.
    """
    tested = asked_tests(record)
    if isinstance(tested, Unknown):
        return tested
    _, answers, tests = tested
    return float(all(_agrees(answers, test) for test in tests.values()))


@rate("literal_pass_unknowing")
def literal_pass_unknowing(record: Record) -> float | Unknown:
    """1 if a team whose agents answer "unknown" to every question passes the probes of this task by the paper's truth.

    Two agents that know nothing agree; only the world contradicts them. The mean over tasks is the baseline of the
    paper's column.
    """
    tested = asked_tests(record)
    return tested if isinstance(tested, Unknown) else float(all(test.helper for test in tested[2].values()))


@measures.register("private_rate")
@on_trace
def private_rate(episode: Trace) -> float | Unknown:
    """The share of private goals (0 to 1) that hold at the end; not part of success (section 4.1)."""
    return sum(episode.private.values()) / len(episode.private) if episode.private else Unknown(NO_PRIVATE)


@measures.register("functional_with_private")
@on_trace
def functional_with_private(episode: Trace) -> float | Unknown:
    """1 if the shared goal and all private goals hold at the end, else 0; unknown without private goals."""
    return float(episode.solved and all(episode.private.values())) if episode.private else Unknown(NO_PRIVATE)


@measures.register("turns_used")
def turns_used(record: Record) -> float | Unknown:
    """The number of turns of the episode."""
    episode = trace(record)
    return episode if isinstance(episode, Unknown) else float(len(record.actions))


def _agrees(answers: Mapping[str, Asked], test: Trial) -> bool:
    """Whether a probe is correct by the paper's truth: the world, or the report of the next agent."""
    answer = answers[test.probe]
    if not test.helper:
        return right(answer)
    reported = answers.get(test.helper)
    valid = reported is not None and reported.invalid is None and answer.invalid is None
    return valid and reported is not None and answer.answer == reported.answer
