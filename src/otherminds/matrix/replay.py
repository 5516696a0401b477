"""An episode of a matrix game round by round: the prediction, the best reply to it, the choice, and what each pays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import shorten
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from rich.box import SIMPLE_HEAD
from rich.table import Table

from otherminds.core.data import Behaviour, Encounter, Game
from otherminds.core.record import Record
from otherminds.core.scenario import World
from otherminds.games.belief import Worths, best_replies
from otherminds.measures.interventions import notices_shown
from otherminds.measures.literal import Round, member, rounds_played
from otherminds.measures.notes import HypothesisNote
from otherminds.measures.registry import by_rounds, ego, other, shown_labels
from otherminds.reports.markup import PageKind, standalone
from otherminds.reports.replay.general import list_seats
from otherminds.reports.replay.replays import RIGHT as RIGHT_MARK
from otherminds.reports.replay.replays import WRONG as WRONG_MARK
from otherminds.reports.replay.replays import (
    Playback,
    StoppedStep,
    describe_arm,
    ended,
    find_stop,
    minds,
    replays,
    trains,
    unread_reply,
    used_thought,
)
from otherminds.reports.rounds import compute_worths

SPEED = 1.0
"""Rounds a second."""
SPEEDS = (0.5, 1, 2, 5, 10)
"""The choices of rounds a second."""
MATRIX = PageKind("otherminds.matrix:replay.html", ("otherminds.matrix:replay.js", "stops.js"))
NOT_DONE, GOOD_PLAN, WRONG, UNREAD = "said, not done", "as good a plan", "wrong word", "unread"
MEANINGS = {
    NOT_DONE: "the choice is not a best reply to its own prediction",
    GOOD_PLAN: (
        "the choice is not a best reply to its own prediction in this round, but it is worth no less over the rounds "
        "left to somebody who knows which partners there may be"
    ),
    WRONG: "the partner did not do what was predicted",
    UNREAD: "the reply holds no prediction that could be read",
}
"""The marks of a round, and what they mean."""
ROUNDING = 1e-9
LONGEST_REPLY = 300
"""Characters of a reply without a prediction that are shown in a terminal; `--prompts` shows it whole."""
SEVERAL = 2
"""Best replies that make a line long."""


class MatrixRound(Struct, frozen=True):
    """One round. Behaviours have the names of the game; payoffs are those of the mind under test.

    ``said`` is the predicted behaviour of the partner, ``None`` without a prediction; ``unread`` is the reply in
    which none could be read. ``best`` are all best replies to ``said``. ``earned`` is the payoff of ``own``, and
    ``advised`` the mean payoff of ``best``, both against ``other``, which the partner did. ``shown`` is what an
    intervention showed the mind before the choice, empty without one.
    """

    step: int
    own: Behaviour
    other: Behaviour
    earned: float
    said: Behaviour | None = None
    unread: str = ""
    best: tuple[Behaviour, ...] = ()
    advised: float | None = None
    marks: tuple[str, ...] = ()
    shown: str = ""

    @property
    def right(self) -> bool:
        """Whether the partner did what was predicted."""
        return self.said == self.other

    @property
    def followed(self) -> bool:
        """Whether the choice is a best reply to the prediction."""
        return self.own in self.best


class MatrixReplay(Struct, frozen=True):
    """The rounds of an episode, as the mind in the row seat of ``game`` met its partner.

    ``mind`` and ``partner`` are their names. ``labels`` are the names under which the options of the mind and of
    the partner were shown, by behaviour and in the order shown. ``dominant`` are the behaviours that are best
    replies to every prediction. ``arm`` says which intervention there was, in a sentence. ``fault`` says where rewards differ from the payoffs of the game; empty if nowhere.
    """

    game: Game
    mind: str
    partner: str
    labels: tuple[dict[Behaviour, str], dict[Behaviour, str]]
    rounds: tuple[MatrixRound, ...]
    dominant: tuple[Behaviour, ...] = ()
    stopped: StoppedStep | None = None
    fault: str = ""
    arm: str = ""

    def name(self, behaviour: Behaviour, side: int) -> str:
        """A behaviour with its label in brackets, if that is another word; ``side`` is 0 for the mind, 1 for the partner."""
        label = self.labels[side][behaviour]
        return behaviour if label.casefold() == behaviour.casefold() else f"{behaviour} ({label})"

    def payoffs(self) -> list[tuple[Behaviour, list[tuple[float, float]]]]:
        """The rows of the payoff matrix in the order in which the options were shown: (own, partner's) payoffs."""
        rows, columns = ({name: i for i, name in enumerate(names)} for names in self.game.behaviours)
        return [
            (own, [self.game.payoffs[rows[own]][columns[theirs]] for theirs in self.labels[1]])
            for own in self.labels[0]
        ]


def plays_matrix(record: Record) -> bool:
    """Whether a record is of a matrix game between the mind under test, in the row seat, and one other."""
    two = len(record.seats) == 2 and record.seats[0] not in record.partners
    return two and by_rounds(record) and shown_labels(record) is not None


def replay_matrix(record: Record) -> MatrixReplay:
    """The rounds of ``record``, for which :func:`plays_matrix` holds.

    A prediction is the answer to the question of the round, or that of the hypothesis in use where none was asked.
    """
    game, mine, theirs = record.game, ego(record), other(record)
    assert game is not None, "the caller has checked it"
    met = record.met.get(mine, ())
    played = rounds_played(record) if met else []
    noted = () if any(round_.asked for round_ in played) else trains(record).get((mine, theirs), ())
    worths = compute_worths(record)
    shown = {step: notice.behaviour or notice.text for step, notice in notices_shown(record)}
    rounds: list[MatrixRound] = []
    fault = ""
    for t, (encounter, round_) in enumerate(zip(met, played, strict=True)):
        prediction = round_.said if round_.asked else _read_note(game, noted, encounter.step)
        reply = unread_reply(record, mine, encounter.step) if round_.asked and prediction is None else None
        told = _round(game, encounter, round_, prediction, reply, worths[t] if worths else None)
        rounds.append(replace(told, shown=shown.get(encounter.step, "")))
        if not fault and game.payoffs[round_.own][round_.other][0] != encounter.reward:
            fault = f"the reward of round {encounter.step + 1} is not the payoff of the game"
    return MatrixReplay(
        game=game,
        mind=record.spec.seats[mine].title,
        partner=member(record) or record.spec.seats[theirs].title,
        labels=_labels(record, game),
        rounds=tuple(rounds),
        dominant=tuple(game.behaviours[0][a] for a in _dominant(game)),
        stopped=find_stop(record, mine),
        fault=fault,
        arm=describe_arm(record),
    )


def _round(
    game: Game,
    encounter: Encounter,
    round_: Round,
    prediction: int | None,
    reply: str | None,
    worths: Worths | None,
) -> MatrixRound:
    """A round with the index of the ``prediction``, or the ``reply`` in which nothing could be read."""
    best = () if prediction is None else best_replies(game)[prediction]
    marks: list[str] = [] if reply is None else [UNREAD]
    if best and round_.own not in best and not _dominant(game):
        mean = sum(worths[a] for a in best) / len(best) if worths else 0.0
        marks.append(GOOD_PLAN if worths and worths[round_.own] > mean - ROUNDING else NOT_DONE)
    if prediction is not None and prediction != round_.other:
        marks.append(WRONG)
    return MatrixRound(
        step=encounter.step,
        own=game.behaviours[0][round_.own],
        other=game.behaviours[1][round_.other],
        earned=encounter.reward,
        said=None if prediction is None else game.behaviours[1][prediction],
        unread=reply or "",
        best=tuple(game.behaviours[0][a] for a in best),
        advised=sum(game.payoffs[a][round_.other][0] for a in best) / len(best) if best else None,
        marks=tuple(marks),
    )


def _dominant(game: Game) -> tuple[int, ...]:
    """The own behaviours that are best replies to everything the partner may do."""
    replies = best_replies(game)
    return tuple(a for a in range(len(game.behaviours[0])) if all(a in best for best in replies))


def _labels(record: Record, game: Game) -> tuple[dict[Behaviour, str], dict[Behaviour, str]]:
    """The labels of both seats' behaviours, in the order in which they were shown."""
    presentation = shown_labels(record)
    assert presentation is not None, "the caller has checked it"
    own, others = (
        {names[i]: labels[i] for i in presentation.order if i < len(names)}
        for names, labels in zip(game.behaviours, presentation.names, strict=True)
    )
    return own, others


def _read_note(game: Game, noted: Sequence[HypothesisNote], step: int) -> int | None:
    """The index of the behaviour that the hypothesis in use predicts."""
    thought = used_thought(noted, step)
    behaviours = game.behaviours[1]
    return behaviours.index(thought[1].predicts) if thought and thought[1].predicts in behaviours else None


def summarise_rounds(replay: MatrixReplay) -> list[str]:
    """What the rounds come to, in sentences: right predictions, those that were acted on, and the payoff lost."""
    predictions = [round_ for round_ in replay.rounds if round_.said is not None or round_.unread]
    lines = [replay.arm] if replay.arm else []
    if not predictions:
        return [*lines, f"No prediction of {replay.mind} was recorded."]
    right = [round_ for round_ in predictions if round_.right]
    lines += [
        f"{replay.mind} predicted its partner, {replay.partner}, rightly in {len(right)} of {_rounds(len(predictions))}."
    ]
    if unread := sum(round_.said is None for round_ in predictions):
        lines.append(f"In {_rounds(unread)} its prediction could not be read.")
    if replay.dominant:
        names = " and ".join(replay.name(behaviour, 0) for behaviour in replay.dominant)
        lines.append(
            f"One prediction cannot matter in this game: {names} is a best reply to whatever the partner does, "
            f"so no round is marked “{NOT_DONE}”."
        )
    elif right:
        lines.append(_summarise_acting(right))
    return lines


def _summarise_acting(right: Sequence[MatrixRound]) -> str:
    """How many of the ``right`` predictions were acted on, and what was lost in the other rounds."""
    acted = sum(round_.followed for round_ in right)
    planned = sum(GOOD_PLAN in round_.marks for round_ in right)
    parted = [round_ for round_ in right if NOT_DONE in round_.marks]
    parts = [f"It played a best reply to {acted} of the {len(right)} right predictions"]
    if planned:
        parts.append(f"in {_rounds(planned)} another choice was as good a plan")
    if parted:
        lost = sum((round_.advised or 0.0) - round_.earned for round_ in parted)
        parts.append(
            f"in {_rounds(len(parted))} it earned {lost:g} less in total than best replies would have"
        )
    return "; ".join(parts) + "."


def _rounds(count: int) -> str:
    return f"{count} round{'' if count == 1 else 's'}"


def as_matrix_page(record: Record, speed: float = SPEED) -> str:
    """The page of an episode for which :func:`plays_matrix` holds; it plays ``speed`` rounds a second."""
    replay, spec = replay_matrix(record), record.spec
    calls = Counter(call.step for call in record.calls)
    about = (
        f"{', '.join(f'{seat}: {sitter.title}' for seat, sitter in spec.seats.items())}; {len(replay.rounds)} rounds, "
        f"{ended(record)}; episode {spec.hash}, body {record.hash[:16]}"
    )
    advised = [round_.advised for round_ in replay.rounds if round_.advised is not None]
    marks = {mark for round_ in replay.rounds for mark in round_.marks}
    return standalone(
        MATRIX,
        record,
        about,
        {
            "replay": replay,
            "summary": summarise_rounds(replay),
            "calls": calls,
            "meanings": {mark: meaning for mark, meaning in MEANINGS.items() if mark in marks},
            "advised": sum(advised) if len(advised) == len(replay.rounds) else None,
            "unit": "round",
            "stop": "mark",
            "speeds": sorted({*SPEEDS, speed}),
            "speed": speed,
        },
        {"story": _story(record, replay, speed)},
    )


def _story(record: Record, replay: MatrixReplay, speed: float) -> dict[str, Any]:
    """What the script needs: the rounds are in the page itself."""
    return {
        "first": 0,
        "last": len(replay.rounds),
        "speed": speed,
        "unit": "round",
        "seats": list(record.seats),
        "stops": [round_.step for round_ in replay.rounds if round_.marks],
        "minds": minds(record),
    }


def print_rounds(replay: MatrixReplay) -> Iterator[str | Table]:
    """The payoffs, a row for each round, what the marks mean, and what the rounds come to."""
    yield f"payoffs of a round ({replay.mind}, {replay.partner}), with the labels and in the order that models are shown:"
    payoffs = Table("", *(replay.name(theirs, 1) for theirs in replay.labels[1]), box=SIMPLE_HEAD)
    for own, row in replay.payoffs():
        payoffs.add_row(replay.name(own, 0), *(f"{mine:g}, {theirs:g}" for mine, theirs in row))
    yield payoffs
    table = Table("", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    showing = any(round_.shown for round_ in replay.rounds)
    if showing:
        table.add_column("shown", no_wrap=True)
    for head in ("prediction", ""):
        table.add_column(head, no_wrap=True)
    table.add_column("best reply", no_wrap=all(len(round_.best) < SEVERAL for round_ in replay.rounds))
    for head in ("choice", "partner"):
        table.add_column(head, no_wrap=True)
    for head in ("earned", "would pay"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("mark")
    for round_ in replay.rounds:
        table.add_row(
            str(round_.step + 1),
            *([round_.shown] if showing else []),
            round_.said,
            "" if round_.said is None else RIGHT_MARK if round_.right else WRONG_MARK,
            " or ".join(round_.best),
            round_.own,
            round_.other,
            f"{round_.earned:g}",
            "" if round_.advised is None else f"{round_.advised:g}",
            ", ".join(round_.marks),
        )
    yield table
    for round_ in replay.rounds:
        if round_.unread:
            yield f"round {round_.step + 1}, the reply to the question: {shorten(round_.unread, LONGEST_REPLY)}"
    if replay.stopped:
        yield f"round {replay.stopped.step + 1} was not played: {replay.stopped.reason}"
        if replay.stopped.reply:
            yield f"the reply: {replay.stopped.reply}"
    yield "would pay: what the best reply to the prediction would have earned against what the partner did"
    for mark in dict.fromkeys(mark for round_ in replay.rounds for mark in round_.marks):
        yield f"{mark}: {MEANINGS[mark]}"
    yield from summarise_rounds(replay)
    if replay.fault:
        yield replay.fault


class RoundsReplay:
    """Matrix games, by the record alone."""

    def shows(self, record: Record, world: World | None) -> bool:
        return plays_matrix(record)

    def text(self, record: Record) -> Iterator[str | Table]:
        yield list_seats(record)
        yield from print_rounds(replay_matrix(record))

    def play(self, record: Record) -> Playback:
        return Playback(lambda speed: as_matrix_page(record, speed or SPEED))


replays.add("matrix", RoundsReplay())
