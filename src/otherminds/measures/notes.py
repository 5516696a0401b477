"""What minds and models left besides answers: notes about hypotheses, unusable replies, and replies that say nothing.

Cross et al. 2025, section 3.2 and figure 3. "Validated" is what a mind calls so in its notes
(:mod:`otherminds.core.data`): a value above its threshold, or a probability. An encounter is
matched with the last note up to its step, since minds reason before they act.

Empty replies, refusals, those removed by a content filter and those cut before an answer say nothing.

An episode can be scored although its model said nothing, where a world falls back to an action of its own. So these
are counted beside the outcomes of episodes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TypeVar, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.data import (
    FALLBACK,
    SCAFFOLD,
    THINKING,
    UNUSABLE,
    Fallback,
    Invalid,
    ScaffoldName,
    Seat,
    Thinking,
)
from otherminds.core.record import CAUTION, Call, Note, Record, SeatSpec
from otherminds.measures.registry import Inapplicable, Unknown, ego, measures, ratios, under_test

T = TypeVar("T", bound=Struct)
NOT_NOTED = "this mind noted no hypotheses"
NOT_VALIDATED = "this mind noted no hypotheses that could be validated"
NO_CALLS = "no model was called"
PLANNING = frozenset({"plan", "reflect"})
"""Purposes of calls that carry a choice out; their number does not depend on hypotheses."""


class HypothesisTrack(Struct, frozen=True):
    """The encounters with ``partner`` in their order, with their ``rewards``.

    ``validated`` says for each whether a hypothesis about the partner was validated before it.
    ``first`` is the number of encounters before the first validation, ``None`` without any.
    """

    partner: Seat
    rewards: tuple[float, ...]
    validated: tuple[bool, ...]
    first: int | None

    @property
    def before(self) -> tuple[float, ...]:
        """The rewards of the encounters before the first validation; all without any validation."""
        return self.rewards[: self.first]

    @property
    def after(self) -> tuple[float, ...]:
        """The rewards of the encounters after the first validation, whether it was kept or not."""
        return () if self.first is None else self.rewards[self.first :]


def hypothesis_tracks(record: Record) -> tuple[HypothesisTrack, ...]:
    """A track for each partner about which the mind under test noted hypotheses; none if it never validates any."""
    mine = ego(record)
    streams: dict[Seat, list[HypothesisNote]] = {}
    for noted in thoughts(record, mine):
        streams.setdefault(noted.thinking.partner, []).append(noted)
    thinking = [noted.thinking for stream in streams.values() for noted in stream]
    if all(thought.threshold is None and thought.validated is None for thought in thinking):
        return ()
    return tuple(_track(record, mine, partner, stream) for partner, stream in streams.items())


def _track(record: Record, mine: Seat, partner: Seat, stream: list[HypothesisNote]) -> HypothesisTrack:
    met = [encounter for encounter in record.met.get(mine, ()) if partner in encounter.did]
    steps = [noted.step for noted in stream]
    notes_before = [bisect_right(steps, encounter.step) for encounter in met]
    validated = [n > 0 and stream[n - 1].thinking.validated is not None for n in notes_before]
    since = next((noted.step for noted in stream if noted.thinking.validated is not None), None)
    first = None if since is None else sum(encounter.step < since for encounter in met)
    return HypothesisTrack(partner, tuple(encounter.reward for encounter in met), tuple(validated), first)


class HypothesisNote(Struct, frozen=True):
    """A note of hypotheses, and the ``step`` before whose action it was written."""

    step: int
    thinking: Thinking


def read_note(note: Note, kind: str, form: type[T]) -> T | None:
    """What a note says; ``None`` if it is of another kind or form."""
    if note.kind != kind:
        return None
    try:
        return msgspec.convert(note.data, form)
    except msgspec.ValidationError:
        return None


def thinking_of(note: Note) -> Thinking | None:
    """The hypotheses in a note; ``None`` if it is of another kind or form."""
    return read_note(note, THINKING, Thinking)


def thoughts(record: Record, seat: Seat) -> tuple[HypothesisNote, ...]:
    """The notes of hypotheses of the mind in ``seat``, in their order."""
    mine = [(note.step, thinking_of(note)) for note in record.notes if note.seat == seat]
    return tuple(HypothesisNote(step, thinking) for step, thinking in mine if thinking is not None)


@ratios.register("validated_share")
def validated_share(record: Record) -> tuple[float, float] | Unknown:
    """Share of encounters (0 to 1) with a validated hypothesis about the partner."""
    return _sum_over_partners(record, lambda track: (sum(track.validated), len(track.validated)))


@measures.register("ever_validated")
def ever_validated(record: Record) -> float | Unknown:
    """Share of partners (0 to 1) about which a hypothesis was ever validated."""
    tracks = hypothesis_tracks(record)
    if not tracks:
        return Inapplicable(NOT_VALIDATED)
    return sum(track.first is not None for track in tracks) / len(tracks)


@measures.register("encounters_until_validation")
def encounters_until_validation(record: Record) -> float | Unknown:
    """Encounters with a partner before the first validation; all of them if there was none."""
    tracks = hypothesis_tracks(record)
    return sum(len(track.before) for track in tracks) / len(tracks) if tracks else Inapplicable(NOT_VALIDATED)


@ratios.register("reward_before_validation")
def reward_before_validation(record: Record) -> tuple[float, float] | Unknown:
    """Mean reward of the encounters before the first validation."""
    return _sum_over_partners(record, lambda track: (sum(track.before), len(track.before)))


@ratios.register("reward_after_validation")
def reward_after_validation(record: Record) -> tuple[float, float] | Unknown:
    """Mean reward of the encounters after the first validation."""
    return _sum_over_partners(record, lambda track: (sum(track.after), len(track.after)))


@ratios.register("calls_while_not_validated")
def calls_while_not_validated(record: Record) -> tuple[float, float] | Unknown:
    """Model calls per encounter without plans, while no hypothesis is validated: 3 + top_k as published (D.3)."""
    return _calls(record, validated=False)


@ratios.register("calls_while_validated")
def calls_while_validated(record: Record) -> tuple[float, float] | Unknown:
    """Model calls per encounter without plans, while a hypothesis is validated: 2 as published (D.3)."""
    return _calls(record, validated=True)


def _sum_over_partners(
    record: Record, part: Callable[[HypothesisTrack], tuple[float, float]]
) -> tuple[float, float] | Unknown:
    """Numerator and denominator of a ratio, summed over partners."""
    parts = [part(track) for track in hypothesis_tracks(record)]
    if not parts:
        return Inapplicable(NOT_VALIDATED)
    return float(sum(over for over, _ in parts)), float(sum(under for _, under in parts))


def _calls(record: Record, *, validated: bool) -> tuple[float, float] | Unknown:
    """The number of calls between the notes of successive encounters, and of encounters with notes.

    Calls at the start belong to no encounter. If a step has notes about several partners, its calls
    are attributed to the last one.
    """
    mine = ego(record)
    noted = thoughts(record, mine)
    call_steps = [call.step for call in record.calls if call.seat == mine and call.purpose not in PLANNING]
    if not noted:
        return Inapplicable(NOT_NOTED)
    if not call_steps:
        return Inapplicable(NO_CALLS)
    spans = [(step, list(group)) for step, group in groupby(noted, key=lambda note: note.step)]
    ends = [*(step for step, _ in spans[1:]), len(record.rewards) + 1]
    calls = encounters = 0
    for (start, group), end in zip(spans, ends, strict=True):
        last = group[-1].thinking
        if last.encounter and (last.validated is not None) == validated:
            encounters += sum(note.thinking.encounter > 0 for note in group)
            calls += sum(start <= step < end for step in call_steps)
    return float(calls), float(encounters)


MOST = 0.2
"""Episodes with a larger share of fallbacks are marked in all tables."""
PLAN = "plan"
"""The purpose of the requests by which a mind carries a choice out."""


@ratios.register("unusable_replies")
def unusable_replies(record: Record) -> tuple[float, float] | Unknown:
    """Share of model calls (0 to 1) whose reply could not be read.

    Minds that reason in steps note each such reply. For others, each re-ask counts as one unusable
    reply, and so does each invalid decision or answer.
    """
    team = under_test(record)
    calls = [call for call in record.calls if call.seat in team]
    if not calls:
        return Inapplicable(NO_CALLS)
    kinds = [note.kind for note in record.notes if note.seat in team]
    if {THINKING, UNUSABLE, FALLBACK} & set(kinds):
        return float(kinds.count(UNUSABLE)), float(len(calls))
    own_questions = [question.seat in team and not question.supposed for question in record.questions]
    invalid = sum(choice.seat in team and isinstance(choice.made, Invalid) for choice in record.choices)
    invalid += sum(own_questions[answer.question] and answer.invalid is not None for answer in record.asked)
    return float(min(len(calls), sum(call.attempt > 0 for call in calls) + invalid)), float(len(calls))


@ratios.register("fallbacks_an_encounter")
def fallbacks_an_encounter(record: Record) -> tuple[float, float] | Unknown:
    """Declared fallbacks per encounter, taken where no reply was usable."""
    mine, team = ego(record), under_test(record)
    if not any(call.seat in team for call in record.calls):
        return Inapplicable(NO_CALLS)
    fallbacks = sum(note.seat in team and note.kind == FALLBACK for note in record.notes)
    return float(fallbacks), float(len(record.met.get(mine, ())))


@measures.register("fallback_share")
def fallback_share(record: Record) -> float | Unknown:
    """Share (0 to 1) of requests to the model that ended in a declared fallback.

    A request has one step and one purpose, and includes its re-asks; it ends in a usable reply or in a
    fallback. The value is the larger one of two shares, of all requests of the seats under test and
    of their requests for a plan, so that many usable predictions do not hide unusable plans. Minds
    that declare no fallbacks have a share of 0.
    """
    team = under_test(record)
    requests = {(call.seat, call.step, call.purpose) for call in record.calls if call.seat in team}
    if not requests:
        return Inapplicable(NO_CALLS)
    fallbacks = ((note, read_note(note, FALLBACK, Fallback)) for note in record.notes)
    fallen = {(note.seat, note.step, fallback.purpose) for note, fallback in fallbacks if fallback} & requests
    plans = {request for request in requests if request[2].partition(":")[0] == PLAN}
    return max(len(fallen & group) / len(group) for group in (requests, plans) if group)


def has_many_fallbacks(record: Record) -> bool:
    """Whether the share of fallbacks exceeds :data:`MOST`, so that rewards say little about the model."""
    share = fallback_share(record)
    return isinstance(share, float) and share > MOST


SCORED = {
    "": "as continuations of the bare prompt (no chat template applied)",
    "chat": "by the first token of a chat reply (chat template applied)",
}
"""How scores were computed, by ``Call.form``."""


MARK = "‡"
"""Follows the name of a mind with marked episodes."""


class About(Struct, frozen=True):
    """Properties of one episode, or of all episodes of a cell.

    ``game`` is a stage game's name or empty; ``partners`` the kinds of partners; ``reference`` the population
    that F refers to; ``decodings`` how the replies of a language model were sampled; ``who`` the mind in the
    seat under test; ``names`` the set of action names (empty: the scenario's own); ``rounds`` the lengths of
    the scored episodes; ``cautions`` the warnings to show with their scores; ``marked`` the number of
    episodes with many fallbacks (:func:`~otherminds.measures.notes.has_many_fallbacks`), for which every table
    marks the mind's name; ``scaffolds`` the names of the scaffolds of minds that reason in steps; ``dropped``
    the parameters that a server refused, and that were left out or lowered.
    """

    game: str = ""
    partners: tuple[str, ...] = ()
    grants: tuple[str, ...] = ()
    reference: str = ""
    decodings: tuple[str, ...] = ()
    who: SeatSpec | None = None
    names: str = ""
    rounds: tuple[int, ...] = ()
    cautions: tuple[str, ...] = ()
    marked: int = 0
    scaffolds: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def _joined_names(names: object) -> str:
    """The option ``names`` of a scenario: the name of a set of names, or the names themselves. A stranger's may be neither."""
    match names:
        case str():
            return names
        case list() | tuple():
            return "/".join(map(str, cast("Iterable[object]", names)))
        case _:
            return ""


def about(record: Record) -> About:
    """The properties of one episode."""
    mine = ego(record)
    team = under_test(record)
    granted = {grant for seat in team for grant in record.spec.grants.get(seat, ())}
    kinds = {record.spec.seats[seat].mind for seat in record.partners if seat in record.spec.seats}
    return About(
        game=record.game.name if record.game else "",
        partners=tuple(sorted(kinds)),
        grants=tuple(
            sorted(granted - (set[str]() if record.game else {"payoffs"}))
        ),  # without a game there are no payoffs
        reference=record.bounds.reference if record.bounds else "",
        decodings=tuple(sorted({_decoding(call) for call in record.calls if call.seat in team})),
        who=record.spec.seats[mine],
        names=_joined_names(record.spec.options.get("names", "")),
        rounds=(len(record.rewards),) if record.outcome.status == "scored" else (),
        cautions=(record.facts[CAUTION],) if CAUTION in record.facts else (),
        marked=int(has_many_fallbacks(record)),
        scaffolds=tuple(
            sorted(
                {
                    scaffold.name
                    for note in record.notes
                    if note.seat in team and (scaffold := read_note(note, SCAFFOLD, ScaffoldName))
                }
            )
        ),
        dropped=tuple(sorted({name for call in record.calls if call.seat in team for name in call.dropped})),
    )


def common(abouts: Sequence[About]) -> About:
    """The properties of the episodes of a cell together."""

    def union(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(sorted({name for names in lists for name in names}))

    who = next((about.who for about in abouts if about.who), None)
    fallen = sum(about.marked for about in abouts)
    caution = (
        f"{MARK} {who.title}: in {fallen} of {len(abouts)} episodes more than {MOST:.0%} of its requests to the "
        "model, or of those for a plan, had no usable reply and ended in a fallback"
        if who and fallen
        else ""
    )
    return About(
        game=next((about.game for about in abouts if about.game), ""),
        partners=union(about.partners for about in abouts),
        grants=union(about.grants for about in abouts),
        reference=", ".join(sorted({about.reference for about in abouts if about.reference})),
        decodings=union(about.decodings for about in abouts),
        who=who,
        names=next((about.names for about in abouts if about.names), ""),
        rounds=tuple(sorted({n for about in abouts for n in about.rounds})),
        cautions=(*union(about.cautions for about in abouts), *filter(None, [caution])),
        marked=fallen,
        scaffolds=union(about.scaffolds for about in abouts),
        dropped=union(about.dropped for about in abouts),
    )


def _decoding(call: Call) -> str:
    """How a reply was sampled, as text."""
    if not call.config:
        return f"options scored by log-probability, {SCORED[call.form]}"
    sampling = (
        f"replies drawn at temperature {call.config['temperature']:g}, top-p {call.config['top_p']:g}, "
        f"at most {call.config['max_tokens']} tokens"
    )
    guided = {
        "schema": "in a JSON schema",
        "choice": "from a list of answers",
        "tools": "with tool calls",
        "effort": f"reasoning effort {call.config.get('effort')}",
        "stop": f"ended by {' or '.join(map(repr, call.config.get('stop', ())))}",
    }
    return ", ".join(
        [sampling, *(text for option, text in guided.items() if call.config.get(option) not in (None, []))]
    )


READ = ("strict", "lenient")
UNREAD = ("none", "other")


class ReplyCounts(Struct, frozen=True):
    """Numbers of replies: of all that were asked for, of those that say nothing, by the cause, and of other options.

    ``read`` and ``unread`` are those replies to questions in which a reader found an answer, and in which none did;
    ``first`` is the first of the unread ones that has words. Scored continuations are no replies; ``scores`` counts
    them. A reply that was cut counts as ``cut`` if it is empty or no reader found
    an answer in it; one that is complete counts as ``empty`` if it has neither text nor a tool call. ``other`` are the replies that
    say something, but choose what is none of the options; they are unread, too.

    >>> (ReplyCounts(2, empty=1) + ReplyCounts(1, empty=1, cut=0)).silent
    False
    """

    all: int = 0
    empty: int = 0
    refused: int = 0
    filtered: int = 0
    cut: int = 0
    read: int = 0
    unread: int = 0
    scores: int = 0
    first: str = ""
    other: int = 0

    def __add__(self, other: ReplyCounts) -> ReplyCounts:
        return ReplyCounts(
            self.all + other.all,
            self.empty + other.empty,
            self.refused + other.refused,
            self.filtered + other.filtered,
            self.cut + other.cut,
            self.read + other.read,
            self.unread + other.unread,
            self.scores + other.scores,
            self.first or other.first,
            self.other + other.other,
        )

    @property
    def silent(self) -> bool:
        """Whether there were replies, and none of them said anything."""
        return 0 < self.all == self.empty + self.refused + self.filtered + self.cut

    @property
    def unscored(self) -> bool:
        """Whether there were replies, and nothing that the model said could be scored."""
        return self.silent or (not self.read and not self.scores and self.unread > 0)


def reply_counts(record: Record) -> dict[str, ReplyCounts]:
    """The replies of each model in a record, by the model's name."""
    by_model: dict[str, ReplyCounts] = {}
    for call in record.calls:
        model = record.spec.seats[call.seat].model
        by_model[model] = by_model.get(model, ReplyCounts()) + _count_reply(call)
    return by_model


def add_counts(counts: Iterable[Mapping[str, ReplyCounts]]) -> dict[str, ReplyCounts]:
    """The sums of ``counts`` of several records, by model."""
    totals: dict[str, ReplyCounts] = {}
    for by_model in counts:
        for model, count in by_model.items():
            totals[model] = totals.get(model, ReplyCounts()) + count
    return totals


def _count_reply(call: Call) -> ReplyCounts:
    if call.continuations:
        return ReplyCounts(scores=1)
    if call.read in READ:
        return ReplyCounts(1, read=1)
    words = call.reply.strip() or " ".join(f"{name}({arguments})" for name, arguments in call.tools)
    lost = ReplyCounts(1, unread=int(call.read in UNREAD), first=words if call.read in UNREAD else "")
    if call.finish == "refusal":
        return replace(lost, refused=1)
    if call.finish == "filter":
        return replace(lost, filtered=1)
    if call.finish == "length" and (not words or call.read == "none"):
        return replace(lost, cut=1)
    return replace(lost, empty=int(not words), other=int(call.read == "other"))
