"""The rounds of an episode as rows: what each seat predicted, what it and the other did, and what its options were worth."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from otherminds.core.data import HELPER, SUPPOSING, Encounter, Seat
from otherminds.core.errors import WorldError
from otherminds.core.record import Asked, Record
from otherminds.games.belief import Worths, best_replies, valuation
from otherminds.measures.literal import rounds_played, setting
from otherminds.measures.registry import Unknown, ego, planned_rounds


class RoundRow(Struct, frozen=True):
    """One round of one seat; what is unknown, or does not exist in the world, is ``None``.

    A round is an encounter. A seat without encounters, as in cooking, has a row for each step: its action
    (``did``, JSON unless it is text) and its reward (``payoff``). A seat without a round has one row, in which ``round`` is ``None``.
    Where questions are about facts, and not about what another seat does next, ``said`` is ``None`` (see ``Record.asked``).

    ``episode`` is the hash of the episode, ``mind`` who sits in the ``seat``, and ``other`` the seat that it met. ``round`` and
    ``step`` count from 0. ``said`` is its prediction of the other's behaviour (``invalid``: why that could not be read),
    ``truth`` what the other did, where the seat knows it for certain. ``best_reply`` are the behaviours with the largest payoff in
    one round if ``said`` is right. ``options`` are the seat's behaviours and ``q`` their values in the same order: expected
    payoff of this and all later rounds under Bayes-optimal play (:mod:`otherminds.measures.basis`), known
    for the seat under test where the policies of its population are recorded.
    """

    episode: str
    scenario: str
    outcome: str
    seed: int
    seat: str
    mind: str
    round: int | None = None
    step: int | None = None
    other: str | None = None
    said: str | None = None
    invalid: str | None = None
    best_reply: list[str] | None = None
    did: str | None = None
    truth: str | None = None
    payoff: float | None = None
    options: list[str] | None = None
    q: list[float] | None = None


def round_rows(record: Record) -> Iterator[RoundRow]:
    """The rows of an episode, seat by seat in the order of ``Record.seats``."""
    for seat in record.seats:
        spec = record.spec
        about = (spec.hash, spec.title, record.outcome.status, spec.seed, seat, spec.seats[seat].title)
        parts = (
            _read_encounters(record, seat, record.met[seat])
            if record.met.get(seat)
            else _read_steps(record, seat)
        )
        rows = [RoundRow(*about, n, **part) for n, part in enumerate(parts)]
        yield from rows or [RoundRow(*about)]


def _read_steps(record: Record, seat: Seat) -> Iterator[dict[str, Any]]:
    at = record.seats.index(seat)
    for step, (actions, rewards) in enumerate(zip(record.actions, record.rewards, strict=True)):
        yield {"step": step, "did": _as_text(actions[at]), "payoff": rewards[at]}


def _read_encounters(record: Record, seat: Seat, met: Sequence[Encounter]) -> Iterator[dict[str, Any]]:
    game = record.game and (record.game if seat == record.seats[0] else record.game.flipped())
    replies = best_replies(game) if game else ()
    worths = compute_worths(record) if seat == ego(record) else []
    predictions = deque(_list_predictions(record, seat))
    latest: dict[Seat, Asked] = {}
    for n, encounter in enumerate(met):
        while predictions and predictions[0].step <= encounter.step:
            prediction = predictions.popleft()
            latest[record.questions[prediction.question].about] = prediction
        others = [name for name in encounter.did if name != seat]
        other = next((name for name in others if name in latest), others[0] if others else None)
        answer = latest.pop(other, None) if other else None
        part: dict[str, Any] = {"step": encounter.step, "other": other, "payoff": encounter.reward}
        part["did"] = _find_behaviour(encounter, seat)
        part["truth"] = _find_behaviour(encounter, other)
        if answer is not None:
            part["truth"] = part["truth"] if answer.truth is None else _as_text(answer.truth)
            part["invalid"] = answer.invalid and answer.invalid.reason
            part["said"] = None if answer.invalid else _as_text(answer.answer)
        if game is not None:
            own, theirs = game.behaviours
            part["options"] = list(own)
            part["q"] = list(worths[n]) if n < len(worths) else None
            if part.get("said") in theirs:
                part["best_reply"] = [own[reply] for reply in replies[theirs.index(part["said"])]]
        yield part


def _list_predictions(record: Record, seat: Seat) -> list[Asked]:
    """The answers of a seat about another's behaviour in the current round, in order. Without a game, questions are about facts."""
    if record.game is None:
        return []
    asked = [
        question.seat == seat
        and bool(question.about)
        and question.when != "end"
        and not question.id.startswith((HELPER, SUPPOSING))
        for question in record.questions
    ]
    return [answer for answer in record.asked if asked[answer.question]]


def _find_behaviour(encounter: Encounter, seat: Seat | None) -> str | None:
    """The behaviour of ``seat``, unless several are possible."""
    behaviours = encounter.did.get(seat or "", ())
    return behaviours[0] if len(behaviours) == 1 else None


def compute_worths(record: Record) -> list[Worths]:
    """Q of each behaviour of the seat under test in each round (:mod:`otherminds.games.belief`); empty where unknown."""
    matchup = setting(record)
    if isinstance(matchup, Unknown):
        return []
    played = rounds_played(record)
    try:
        valued = valuation(matchup.game, matchup.family, planned_rounds(record) or len(played))
    except WorldError:
        return []
    belief, worths = valued.start, list[Worths]()
    for t, behaviours in enumerate(played):
        worths.append(valued.worths(t, belief))
        belief = valued.after(belief, behaviours.own, behaviours.other) or belief
    return worths


def _as_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else msgspec.json.encode(value).decode()
