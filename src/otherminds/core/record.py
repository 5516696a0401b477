"""The record: the complete, replayable log of one episode. Measures use nothing else.

A record's body is hashed. Wall-clock figures are kept apart, in :class:`Timing`, so that an
episode that is played twice has one hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from otherminds.core import data
from otherminds.core.data import Action, Answer, Automaton, Game, Invalid, Message, Partner, Seat, SkillChoice
from otherminds.core.encoding import digest, encode
from otherminds.core.model import Finish, Reading, Usage
from otherminds.core.text import html_table
from otherminds.core.wording import name_value

SCHEMA = 4
"""The version of the stored form; a change of any name or tag in a record raises it."""
CAUTION = "caution"
"""The key in ``Record.facts`` of a warning to be shown with every score of the record."""
BY_HAND = "custom:"
"""The prefix of the name of a scenario that is not registered and cannot be made again from its name.

A mind made by hand is named by its class, ``module:Class``. No registered name has a colon."""
Status: TypeAlias = Literal["scored", "invalid", "cut", "refused", "failed"]
OUTCOMES: tuple[Status, ...] = get_args(Status)
"""Every status."""
STOPPED: dict[data.Cause, tuple[Status, str]] = {
    "reply": ("invalid", "reply"),
    "option": ("invalid", "option"),
    "length": ("cut", "budget"),
    "refusal": ("refused", "model"),
    "filter": ("refused", "filter"),
}
"""The status of an episode that a reply without an answer stops, and what is to blame, by the cause."""


class SeatSpec(Struct, frozen=True):
    """The mind or partner in a seat: its name and parameters.

    ``model`` is a model's spec string for minds that use one. A mind that was
    made by hand is named by its class, ``module:Class``.
    """

    mind: str
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    model: str = ""
    label: str = ""

    @property
    def title(self) -> str:
        """The name reports show."""
        return self.label or self.called

    @property
    def rebuildable(self) -> bool:
        """Whether the mind can be made again from its name: one made by hand cannot."""
        return ":" not in self.mind

    @property
    def called(self) -> str:
        """The name of the mind with its model and parameters, without any label."""
        inside = ", ".join(f"{k}={name_value(v)}" for k, v in sorted(self.params.items()))
        return self.mind + (f"@{self.model}" if self.model else "") + (f"({inside})" if inside else "")


class EpisodeSpec(Struct, frozen=True):
    """Everything that determines an episode. Two equal specs are one episode.

    ``options`` are the scenario's own (``rounds``, ``names``, a game);
    ``grants`` lists the privileges of each seat; ``ask`` switches the probes. ``intervention`` is the arm of an
    experiment (:mod:`otherminds.play.interventions`); it is not there in any other episode.
    """

    scenario: str
    seats: dict[Seat, SeatSpec]
    seed: int
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    grants: dict[Seat, tuple[str, ...]] = field(default_factory=dict[Seat, tuple[str, ...]])
    ask: bool = True
    label: str = ""
    intervention: str | UnsetType = UNSET

    @property
    def arm(self) -> str:
        """The arm of an experiment; empty outside of one."""
        return "" if self.intervention is UNSET else self.intervention

    @property
    def hash(self) -> str:
        """SHA-256 of the canonical JSON, 16 hexadecimal digits."""
        return digest(self)[:16]

    @property
    def rebuildable(self) -> bool:
        """Whether scenario and minds can be made again from their names and parameters."""
        return ":" not in self.scenario and all(seat.rebuildable for seat in self.seats.values())

    @property
    def title(self) -> str:
        """The scenario's name as reports show it."""
        return self.label or self.scenario


class Asked(Struct, frozen=True, gc=False, array_like=True):
    """A question that was asked: ``question`` is an index into ``Record.questions``.

    ``answer`` is ``None`` where the reply was ``invalid``; ``truth`` is ``None`` where there is none.
    """

    step: int
    question: int
    answer: Answer
    truth: Answer
    invalid: Invalid | None = None


class Choice(Struct, frozen=True):
    """A decision that is not itself a primitive action."""

    step: int
    seat: Seat
    made: SkillChoice | Invalid


class Call(Struct, frozen=True, omit_defaults=True):
    """One call of a language model, keyed by seat, step, purpose and attempt.

    The prompt is stored as an addition: it shares ``keep_messages`` whole messages and then ``keep_chars``
    characters with the prompt of call ``base``, and goes on with ``added`` (see
    :mod:`otherminds.play.seat_context`). ``form`` says how ``scores`` were computed, if not as continuations of
    the bare prompt. ``finish`` and ``dropped`` are those of :class:`~otherminds.core.model.Completion`, the numbers of
    tokens those of :class:`~otherminds.core.model.Usage`.
    """

    seat: Seat
    step: int
    purpose: str
    attempt: int
    added: tuple[Message, ...]
    base: int = -1
    keep_messages: int = 0
    keep_chars: int = 0
    config: dict[str, Any] = field(default_factory=dict[str, Any])
    reply: str = ""
    reasoning: str = ""
    continuations: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    form: str = ""
    tools: tuple[tuple[str, str], ...] = ()
    finish: Finish = "stop"
    dropped: tuple[str, ...] = ()
    read: Reading = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated_prompt: int = 0
    estimated_completion: int = 0

    @property
    def usage(self) -> Usage:
        """Its tokens; how many of them were cached is known for all calls together only."""
        return Usage(
            self.prompt_tokens, self.completion_tokens, 0, self.estimated_prompt, self.estimated_completion
        ).possible


class Note(Struct, frozen=True):
    """A note of a mind: ``kind`` names it, ``data`` is JSON."""

    seat: Seat
    step: int
    kind: str
    data: Any


class Member(Struct, frozen=True):
    """One member of a reference population: its weight, its name, its automaton where it is small."""

    weight: float
    name: str
    automaton: Automaton | None = None


class Bounds(Struct, frozen=True):
    """The two ends of F as total returns, and the population that F and L refer to.

    ``informed``: the best response's return against the partner met. ``best``: the mean of that over
    ``population``. ``blind``: the mean, over ``population``, of what the best plan fixed in advance earns.
    ``reference`` names the population. An unknown return is ``None``, and ``reason`` says why.
    """

    informed: float | None
    best: float | None
    blind: float | None
    reference: str = ""
    population: tuple[Member, ...] = ()
    reason: str = ""


class Outcome(Struct, frozen=True):
    """How an episode ended: scored, failed, or stopped by a reply without an answer.

    Such a reply is ``invalid`` if it cannot be read, ``cut`` if it ended at its budget of tokens, and ``refused``
    if the model or a content filter declined. ``seat`` is the one that gave it, or that could not act or answer
    where the episode failed; empty where this is not known, and in old records.
    """

    status: Status = "scored"
    blame: str = ""
    reason: str = ""
    step: int = -1
    seat: Seat = ""


class Timing(Struct, omit_defaults=True):
    """Wall-clock figures, outside the hashed body; ``calls`` has the seconds of each call."""

    seconds: float = 0.0
    calls: list[float] = field(default_factory=list[float])
    cached_tokens: int = 0


class Record(Struct):
    """One episode. Rows of ``actions`` and ``rewards`` follow ``seats``.

    ``drawn`` is what was fixed at the start by chance or to be balanced (names shown, option order).
    ``met`` holds each seat's encounters in order.
    """

    spec: EpisodeSpec
    seats: tuple[Seat, ...]
    drawn: dict[str, Any]
    game: Game | None
    partners: dict[Seat, Partner]
    bounds: Bounds | None
    actions: list[tuple[Action, ...]]
    rewards: list[tuple[float, ...]]
    met: dict[Seat, tuple[data.Encounter, ...]]
    questions: tuple[data.Question, ...] = ()
    asked: tuple[Asked, ...] = ()
    choices: tuple[Choice, ...] = ()
    calls: tuple[Call, ...] = ()
    notes: tuple[Note, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict[str, Any])
    outcome: Outcome = Outcome()
    schema: int = SCHEMA

    @property
    def hash(self) -> str:
        """SHA-256 of the body's canonical JSON, as it reads back: a payoff of 1 is one of 1.0."""
        return digest(msgspec.json.decode(encode(self), type=Record))

    def used(self, cached: int = 0) -> Usage:
        """The tokens of its model calls; ``cached`` prompt tokens are in its :class:`Timing`."""
        total = sum((call.usage for call in self.calls), Usage())
        return replace(total, cached=cached).possible

    def total(self, seat: Seat) -> float:
        """The return of ``seat``: the sum of its rewards."""
        i = self.seats.index(seat)
        return float(sum(row[i] for row in self.rewards))

    def __repr__(self) -> str:
        seats = ", ".join(" ".join(row) for row in self._returns())
        return f"<Record of {self._summary()}: {seats}>"

    def _repr_html_(self) -> str:
        return html_table(f"Record of {self._summary()}", ("seat", "mind", "return"), self._returns())

    def _returns(self) -> list[tuple[str, str, str]]:
        minds = {seat: spec.called for seat, spec in self.spec.seats.items()}
        return [(seat, minds.get(seat, ""), f"{self.total(seat):g}") for seat in self.seats]

    def _summary(self) -> str:
        outcome = self.outcome
        ended = f"{outcome.status} ({outcome.reason})" if outcome.reason else outcome.status
        return f"{self.spec.title}, seed {self.spec.seed}, {len(self.rewards)} steps, {ended}"


def prompts(calls: Sequence[Call]) -> list[tuple[Message, ...]]:
    """The full prompt of every call of a record; the inverse of :func:`otherminds.play.seat_context.pack`."""
    full: list[tuple[Message, ...]] = []
    for call in calls:
        if call.base < 0:
            full.append(call.added)
            continue
        base = full[call.base]
        added = list(call.added)
        if call.keep_chars:
            start = base[call.keep_messages].content[: call.keep_chars]
            added[0] = Message(added[0].role, start + added[0].content)
        full.append(base[: call.keep_messages] + tuple(added))
    return full


def record_schema() -> str:
    """The JSON schema of a record (draft 2020-12): the text of ``record.schema.json`` beside this file."""
    schema = msgspec.json.schema(Record) | {"title": f"otherminds record, schema {SCHEMA}"}
    return msgspec.json.format(msgspec.json.encode(schema, order="deterministic")).decode() + "\n"
