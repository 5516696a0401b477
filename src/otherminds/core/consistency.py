"""Whether the parts of a record fit together, so that a measure of a damaged one never fails in the middle.

A record that was written by this software always does. One that was edited, or that another program wrote
under the right hash, may not.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

import msgspec

from otherminds.core.data import Automaton, Encounter, Game
from otherminds.core.model import Decoding
from otherminds.core.record import CAUTION, Call, Record

TOLERANCE = 1e-6
"""How far the probabilities of a distribution may be from a sum of 1."""


def inconsistency(record: Record) -> str:
    """The first part of ``record`` that does not fit the others, in words; empty if all do."""
    return next(_faults(record), "")


def _faults(record: Record) -> Iterator[str]:
    seats = set(record.seats)
    width = len(record.seats)
    if len(seats) != width or seats != set(record.spec.seats):
        yield "its seats are not those of its episode"
    if not seats - record.partners.keys():
        yield "partners fill all of its seats"
    if not isinstance(record.facts.get(CAUTION, ""), str):
        yield "its caution is no text"
    if len(record.actions) != len(record.rewards):
        yield f"it has {len(record.actions)} rows of actions and {len(record.rewards)} of rewards"
    for name, rows in (("actions", record.actions), ("rewards", record.rewards)):
        if any(len(row) != width for row in rows):
            yield f"a row of {name} does not have one entry a seat"
    yield from _of_encounters(record)
    yield from _of_answers(record)
    spoken = (*record.questions, *record.choices, *record.calls, *record.notes)
    if not {part.seat for part in spoken} <= seats or not record.partners.keys() <= seats:
        yield "it names a seat that it does not have"
    if any(part.step < 0 for part in (*record.asked, *record.choices, *record.calls, *record.notes)):
        yield "something in it is before its first step"
    yield from _of_calls(record.calls)
    if record.game is not None:
        yield from _of_game(record.game)
    yield from _of_automata(record)


def _of_encounters(record: Record) -> Iterator[str]:
    seats, steps = set(record.seats), len(record.rewards)
    if not record.met.keys() <= seats:
        yield "it has encounters of a seat that it does not have"
    if record.game is not None and record.met.keys() != seats:
        yield "it lacks the encounters of a seat"
    for seat, met in record.met.items():
        last = -1
        for encounter in met:
            did, step = encounter.did, encounter.step
            if not 0 <= step < steps:
                yield f"an encounter is at step {step} of {steps}"
            if step < last:
                yield f"the encounters of {seat!r} are not in their order"
            if not did.keys() <= seats or not all(did.values()) or seat not in did:
                yield f"the encounter at step {step} is not one of its seats"
            last = step
            if record.game is not None:
                yield from _of_behaviours(record, record.game, encounter)


def _of_behaviours(record: Record, game: Game, encounter: Encounter) -> Iterator[str]:
    """The first seat plays the rows of the game, every other one its columns."""
    for seat, behaviours in encounter.did.items():
        if not set(behaviours) <= set(game.behaviours[seat != record.seats[0]]):
            yield f"the encounter at step {encounter.step} has a behaviour that the game does not have"
    if len(record.seats) == 2 and len(encounter.did) != 2:
        yield f"the encounter at step {encounter.step} lacks a seat"


def _of_answers(record: Record) -> Iterator[str]:
    for answer in record.asked:
        if not 0 <= answer.question < len(record.questions):
            yield "it has an answer to a question that it does not have"
            continue
        if answer.answer is None and answer.invalid is None:
            yield f"a question at step {answer.step} has neither an answer nor a reason why"
        options = record.questions[answer.question].options
        if options and any(
            option is not None and option not in options for option in (answer.answer, answer.truth)
        ):
            yield f"the answer at step {answer.step} is not an option of its question"


def _of_calls(calls: tuple[Call, ...]) -> Iterator[str]:
    message_counts: list[int] = []
    for n, call in enumerate(calls):
        try:
            msgspec.convert(call.config, Decoding)
        except msgspec.ValidationError as error:
            yield f"the decoding of call {n} is not one ({error})"
        if call.scores and len(call.scores) != len(call.continuations):
            yield f"call {n} does not have one score for each continuation"
        is_full = call.base < 0
        if not is_full and (call.base >= n or not 0 <= call.keep_messages <= message_counts[call.base]):
            yield f"the prompt of call {n} goes on from one that it does not have"
            return
        if (
            call.keep_chars
            and not is_full
            and (not call.added or call.keep_messages >= message_counts[call.base])
        ):
            yield f"the prompt of call {n} goes on from a message that it does not have"
            return
        message_counts.append(len(call.added) + (0 if is_full else call.keep_messages))


def _of_game(game: Game) -> Iterator[str]:
    rows, columns = map(len, game.behaviours)
    if (
        not rows
        or not columns
        or len(game.payoffs) != rows
        or any(len(row) != columns for row in game.payoffs)
    ):
        yield "its payoffs do not fit the behaviours of its game"


def _of_automata(record: Record) -> Iterator[str]:
    """Those of partners, and those of the population, which play the columns as partners do."""
    automata = [(partner.automaton, seat) for seat, partner in record.partners.items()]
    if record.bounds:
        automata += [(member.automaton, "") for member in record.bounds.population]
    for automaton, seat in automata:
        if automaton is None:
            continue
        yield from _of_automaton(automaton)
        if record.game is not None:
            rows, columns = map(len, record.game.behaviours)
            sides = (rows, columns) if seat == record.seats[0] else (columns, rows)
            if any(len(chances) != sides[0] for chances in automaton.output) or any(
                len(by_own) != sides[0] or any(len(row) != sides[1] for row in by_own)
                for by_own in automaton.next
            ):
                yield "an automaton does not play its game"


def _of_automaton(automaton: Automaton) -> Iterator[str]:
    states = len(automaton.output)
    following = [state for by_own in automaton.next for row in by_own for state in row]
    if len(automaton.next) != states or not all(
        0 <= state < states for state in (automaton.start, *following)
    ):
        yield "an automaton names a state that it does not have"
    widths = {len(row) for row in automaton.output} | {len(by_own) for by_own in automaton.next}
    if len(widths) > 1 or len({len(row) for by_own in automaton.next for row in by_own}) > 1:
        yield "the states of an automaton differ in their behaviours"
    for chances in automaton.output:
        if (
            not all(isfinite(chance) and chance >= 0 for chance in chances)
            or abs(sum(chances) - 1) > TOLERANCE
        ):
            yield "a distribution of an automaton does not add up to 1"
