"""How episodes are shown: what worlds register, a record played again, and what minds thought, said, chose and wrote.

A package registers a :class:`Replay` in a module that its entry points ``otherminds.replays`` name. Episodes of worlds
without one are shown in the form that all worlds share (:mod:`.general`).

The seed and the actions determine an episode, so replay is exact and needs no mind and
no model. The rewards are compared with the recorded ones at every step.

What minds did is told from the record alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from PIL import ImageFont
from rich.table import Table

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import (
    SHOWN,
    Answer,
    Brief,
    Invalid,
    Moment,
    Notice,
    Question,
    Seat,
    SkillChoice,
    Thinking,
    Thought,
)
from otherminds.core.errors import StudyError
from otherminds.core.record import Asked, Call, Choice, Note, Record
from otherminds.core.registry import Registry, guarded
from otherminds.core.scenario import Scenario, Setup, World
from otherminds.core.scenario import scenario as named
from otherminds.measures.notes import HypothesisNote, read_note, thinking_of, thoughts
from otherminds.measures.weighed_acts import find_exchange
from otherminds.play.interventions import INTERVENTIONS, NONE
from otherminds.play.loop import EpisodeState


@cache
def sans(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    """The typeface at ``size`` pixels."""
    from matplotlib import get_data_path

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(get_data_path()) / "fonts" / "ttf" / name, size)


@dataclass(frozen=True)
class Happening:
    """Something that happened to ``seats`` (by number), with full information.

    ``step``: the number of steps after which it shows in the frame; it takes ``steps`` more.
    ``did`` names a thing for each seat (or is empty), which gives marks their
    colours. ``stop``: whether a spectator may jump to it.
    """

    step: int
    kind: str
    seats: tuple[int, ...]
    text: str
    did: tuple[str, ...] = ()
    rewards: tuple[float, ...] = ()
    steps: int = 0
    stop: bool = False


@dataclass(frozen=True)
class Playback:
    """An episode, ready to be written. Speeds are in steps a second; ``None`` is the one that suits the world.

    ``page`` makes the page. ``film`` writes a film to a path, and ``cut`` is the playback of the steps from one to
    another, both counted in (``None``: the first, the last); both raise a :class:`~otherminds.core.errors.StudyError`
    for what they cannot do, and are ``None`` in worlds without films and without parts. ``fault`` says where the
    episode, played again, departs from its record; empty if nowhere.
    """

    page: Callable[[float | None], str]
    fault: str = ""
    film: Callable[[Path, float | None], None] | None = None
    cut: Callable[[int | None, int | None], Playback] | None = None


@runtime_checkable
class Replay(Protocol):
    """Shows the episodes of one kind of world."""

    def shows(self, record: Record, world: World | None) -> bool:
        """Whether it shows the episodes of ``world``, which is that of ``record``, new and not reset.

        ``world`` is ``None`` where the record alone has to tell: its text needs no world, and neither does a page if
        the record tells.
        """
        ...

    def text(self, record: Record) -> Iterable[str | Table]:
        """The lines and tables of a terminal, from who played to the last step."""
        ...

    def play(self, record: Record) -> Playback:
        """The episode, played again if its page needs more than the record has.

        Raises:
            StudyError: it cannot be played again.
        """
        ...


def _is_replay(component: object) -> bool:
    return isinstance(component, Replay) and not isinstance(component, type)


replays: Registry[Replay] = Registry("replay", accepts=_is_replay)


def find_replay(record: Record, world: World | None = None) -> Replay | None:
    """The first replay, by name, that shows ``record``; see :meth:`Replay.shows`."""
    for name in replays:
        with guarded(f"replay {name!r}"):
            if (replay := replays.get(name)).shows(record, world):
                return replay
    return None


def scenario_of(record: Record) -> Scenario:
    """The scenario that a record names.

    Raises:
        StudyError: there is no such one; the text names the episode.
    """
    with naming_episode(record):
        return named(record.spec.scenario, record.spec.options)


@contextmanager
def naming_episode(record: Record) -> Generator[None]:
    """Names the episode of ``record`` in an error that says why it cannot be played again."""
    try:
        yield
    except StudyError as error:
        raise StudyError(f"episode {record.spec.hash[:12]} cannot be played again: {error}") from None


class _Played(Mind):
    """Fills a seat whose actions are in the record: it is asked for none."""

    answers = False

    def begin(self, brief: Brief, context: MindContext) -> None:
        """Keeps nothing."""

    async def perceive(self, moment: Moment) -> None:
        """Keeps nothing."""

    async def act(self) -> Invalid:
        return Invalid("the actions are in the record")

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("the answers are in the record")


class Again:
    """The world of a record, reset as it was then. ``fault`` says where a replay departs from the record.

    Raises:
        StudyError: there is no such scenario as the record names, where none is given, or it has other seats or
            grants; the text names the episode.
    """

    def __init__(self, record: Record, scenario: Scenario | None = None) -> None:
        self._record = record
        scenario = scenario or scenario_of(record)
        seats = dict.fromkeys(record.seats, _Played())
        with naming_episode(record):
            state = EpisodeState(Setup(scenario, seats, record.spec.seed, grants=record.spec.grants))
        self.world = state.world
        self.fault = ""

    def steps(self) -> Iterator[int]:
        """Moves the world by the recorded actions, and gives the number of each step, from 1, once it is taken."""
        record, world = self._record, self.world
        for step, (actions, rewards) in enumerate(zip(record.actions, record.rewards, strict=True), 1):
            if not world.agents:
                self.found(f"the replay ends after {step - 1} of {len(record.actions)} recorded steps")
                break
            _, paid, *_ = world.step(dict(zip(record.seats, actions, strict=True)))
            replayed = tuple(paid[seat] for seat in record.seats)
            if replayed != tuple(rewards):
                self.found(
                    f"from step {step} on the replay is not what was recorded: rewards {replayed}, recorded {tuple(rewards)}"
                )
            yield step
        if record.outcome.status == "scored" and world.agents:
            self.found(f"the replay goes on after the {len(record.actions)} recorded steps")

    def found(self, fault: str) -> None:
        """Keeps the first fault."""
        self.fault = self.fault or fault


RIGHT, WRONG = "✓", "✗"
LONGEST = 4000
"""Characters of a reply or note that are shown; the record holds the rest."""


def trains(record: Record) -> dict[tuple[Seat, Seat], list[HypothesisNote]]:
    """What each seat thought of each other one, in the order of the notes."""
    streams: dict[tuple[Seat, Seat], list[HypothesisNote]] = {}
    for seat in record.seats:
        for noted in thoughts(record, seat):
            streams.setdefault((seat, noted.thinking.partner), []).append(noted)
    return streams


def used_thought(stream: Sequence[HypothesisNote], step: int) -> tuple[Thinking, Thought] | None:
    """The hypothesis in use at a step, with what was thought then, if it predicts something."""
    thinking = next((noted.thinking for noted in reversed(stream) if noted.step <= step), None)
    in_use = (
        next((thought for thought in thinking.thoughts if thought.id == thinking.used), None)
        if thinking
        else None
    )
    return None if thinking is None or in_use is None or in_use.predicts is None else (thinking, in_use)


def minds(record: Record) -> list[dict[str, Any]]:
    """The same as JSON for a page: an object for each pair of seats.

    ``seat`` and ``partner`` (names), ``mind`` (its title), ``scale``, and ``notes``: objects with ``step``,
    ``encounter``, ``came``, ``used``, ``validated``, ``target``, ``threshold`` and ``thoughts``, lists of id,
    text, value, prediction and whether the last one was right. Predictions and targets are in words.
    """
    return [
        {
            "seat": seat,
            "partner": partner,
            "mind": record.spec.seats[seat].title,
            "scale": stream[-1].thinking.scale,
            "notes": [_note(noted) for noted in stream],
        }
        for (seat, partner), stream in trains(record).items()
    ]


def tell_thoughts(record: Record) -> Iterator[str]:
    """The same in words: a line for each note, and an indented one for each hypothesis, the best first."""
    for (seat, partner), stream in trains(record).items():
        yield f"{seat} about {partner}"
        for noted in stream:
            yield f"  before step {noted.step + 1}, {situation(noted.thinking)}"
            yield from (f"    {line}" for line in tell_hypotheses(noted.thinking))


def tell_hypotheses(thinking: Thinking) -> list[str]:
    """Its hypotheses in words, the best first."""
    return [
        _tell_thought(thinking, thought)
        for thought in sorted(thinking.thoughts, key=lambda thought: -thought.value)
    ]


def situation(thinking: Thinking) -> str:
    """After which encounter, what came there and what is wanted next, in words."""
    met = f"{thinking.encounter} encounter{'' if thinking.encounter == 1 else 's'}"
    parts = [f"after {met}" if thinking.encounter else "at the start"]
    if thinking.encounter:
        parts.append(f"came: {'not known' if thinking.came is None else thinking.came}")
    if thinking.target is not None:
        parts.append(f"wants: {words(thinking.target)}")
    return "; ".join(parts)


def _tell_thought(thinking: Thinking, thought: Thought) -> str:
    marks = [] if thought.hit is None else [RIGHT if thought.hit else WRONG]
    marks += [f"→ {words(thought.predicts)}"] if thought.predicts is not None else []
    marks += ["used"] if thought.id == thinking.used else []
    marks += ["validated"] if thought.id == thinking.validated else []
    return f"[{thought.value:+.2f}] {thought.text}" + (f" ({', '.join(marks)})" if marks else "")


def _note(noted: HypothesisNote) -> dict[str, Any]:
    thinking = noted.thinking
    return {
        "step": noted.step,
        "encounter": thinking.encounter,
        "came": thinking.came,
        "used": thinking.used,
        "validated": thinking.validated,
        "target": words(thinking.target),
        "threshold": thinking.threshold,
        "thoughts": [
            [thought.id, thought.text, round(thought.value, 4), words(thought.predicts), thought.hit]
            for thought in thinking.thoughts
        ],
    }


def words(value: object) -> str | None:
    """A written value in words; ``None`` stays what it is."""
    return value if value is None or isinstance(value, str) else json.dumps(value, default=str)


def answered(answer: Answer) -> str:
    """A structured answer as one reads it.

    >>> answered({"predicate": "is_open", "holds": False, "args": ["cabinet_3"]})
    'not is_open cabinet_3'
    >>> answered({"predicate": "unknown", "holds": None, "args": []})
    'unknown'
    """
    if not isinstance(answer, dict) or "predicate" not in answer:
        return json.dumps(answer)
    if answer.get("holds") is None:
        return str(answer["predicate"])
    return " ".join([*([] if answer["holds"] else ["not"]), answer["predicate"], *answer.get("args", ())])


class LogLine(NamedTuple):
    """One line of the log, a list of these six as JSON: what happened at frame ``step`` to ``seats`` (by number).

    ``kind`` is that of a happening, or ``question``, ``choice``, ``reply`` or ``note``. ``more`` is shown on
    request. ``right`` says whether an answer was; ``None`` where that cannot be said.
    """

    step: int
    kind: str
    seats: tuple[int, ...]
    text: str
    more: str = ""
    right: bool | None = None


class ReplayEpisode(Protocol):
    """An episode as it is shown: its record, and what happened from its frame ``first`` to its frame ``last``."""

    @property
    def record(self) -> Record: ...

    @property
    def happenings(self) -> tuple[Happening, ...]: ...

    @property
    def first(self) -> int: ...

    @property
    def last(self) -> int: ...


def story(replay: ReplayEpisode) -> list[LogLine]:
    """All lines of the episode's frames that ``replay`` has, in their order."""
    record = replay.record
    number = {seat: (i,) for i, seat in enumerate(record.seats)}
    lines = [
        LogLine(happening.step, happening.kind, happening.seats, happening.text)
        for happening in replay.happenings
    ]
    lines += [_question_line(record, answer) for answer in record.asked]
    lines += [
        LogLine(choice.step, "choice", number[choice.seat], describe_choice(choice))
        for choice in record.choices
    ]
    lines += [_call(call, number[call.seat]) for call in record.calls]
    lines += [_note_line(note, number[note.seat]) for note in record.notes]
    within = (line for line in lines if replay.first <= line.step <= replay.last)
    return sorted(within, key=lambda line: line.step)


def _question_line(record: Record, answer: Asked) -> LogLine:
    question = record.questions[answer.question]
    seat = (record.seats.index(question.seat),)
    about_question = f"{question.about}: {question.text}" if question.about else question.text
    if answer.invalid is not None:
        text = f"{about_question} → invalid: {answer.invalid.reason}"
        return LogLine(answer.step, "question", seat, text, _shorten(answer.invalid.raw), right=False)
    truth = "" if answer.truth is None else f", true: {_words(answer.truth)}"
    right = None if answer.truth is None else answer.answer == answer.truth
    return LogLine(
        answer.step, "question", seat, f"{about_question} → {_words(answer.answer)}{truth}", right=right
    )


def describe_choice(choice: Choice) -> str:
    """A chosen skill with its arguments, or why the choice is invalid."""
    decision = choice.made
    if isinstance(decision, SkillChoice):
        return f"{decision.name}({', '.join(map(_words, decision.args))})"
    return f"invalid: {decision.reason}"


def _call(call: Call, seat: tuple[int, ...]) -> LogLine:
    best = max(zip(call.scores, call.continuations, strict=False), default=None)
    reply = call.reply or (best[1] if best else "")
    thought = f"{call.reasoning}\n\n" if call.reasoning else ""
    again = f", try {call.attempt + 1}" if call.attempt else ""
    return LogLine(call.step, "reply", seat, f"{call.purpose}{again}", _shorten(thought + reply))


def _note_line(note: Note, seat: tuple[int, ...]) -> LogLine:
    thinking, notice = thinking_of(note), read_note(note, SHOWN, Notice)
    if notice is not None:
        return LogLine(note.step, "note", seat, tell_notice(notice))
    if thinking is None:
        return LogLine(note.step, "note", seat, note.kind, _shorten(_words(note.data)))
    text = f"{note.kind} of {thinking.partner}: {situation(thinking)}"
    return LogLine(note.step, "note", seat, text, _shorten("\n".join(tell_hypotheses(thinking))))


def describe_arm(record: Record) -> str:
    """The intervention of an episode in a sentence; empty where there was none."""
    arm = record.spec.arm
    if arm in ("", NONE):
        return ""
    exchange = find_exchange(record)
    exchanged = (
        f": {exchange.second} after {exchange.first}, from step {exchange.step + 1} on" if exchange else ""
    )
    return f"Arm {arm}: {INTERVENTIONS.get(arm, 'an intervention')}{exchanged}."


def tell_notice(notice: Notice) -> str:
    """What an intervention showed, in words."""
    return f"{notice.arm}, about {notice.about}: {notice.behaviour or notice.text}"


def ended(record: Record) -> str:
    """How the episode ended, and why if something failed."""
    outcome = record.outcome
    return outcome.status + (f" ({outcome.blame}: {outcome.reason})" if outcome.reason else "")


class StoppedStep(NamedTuple):
    """The step that was not played to its end: the ``reply`` that stopped it, if one did, and the ``reason``."""

    step: int
    reply: str
    reason: str


def find_stop(record: Record, seat: Seat) -> StoppedStep | None:
    """The step in which the episode stopped, with what ``seat`` replied; ``None`` if it was played to its end."""
    if record.outcome.status == "scored":
        return None
    step = len(record.rewards)
    reply = unread_reply(record, seat, step)
    for choice in record.choices:
        if choice.step == step and choice.seat == seat and isinstance(choice.made, Invalid):
            reply = choice.made.raw
    return StoppedStep(step, reply, ended(record))


def unread_reply(record: Record, seat: Seat, step: int) -> str:
    """The reply to a question of a step in which no answer could be read; the reason if it is empty."""
    for answer in record.asked:
        question = record.questions[answer.question]
        about_now = question.seat == seat and not question.supposed
        if answer.step == step and about_now and answer.invalid is not None:
            return answer.invalid.raw or answer.invalid.reason
    return ""


def _words(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _shorten(text: str) -> str:
    surplus = len(text) - LONGEST
    return text if surplus <= 0 else f"{text[:LONGEST]} … ({surplus} more characters in the record)"
