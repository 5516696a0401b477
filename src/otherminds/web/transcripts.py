"""An episode as one reads it: what minds were sent and wrote, chose and answered, and what happened, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Struct

from otherminds.core.data import Message
from otherminds.core.record import Call, Record
from otherminds.measures.registry import in_words
from otherminds.reports.replay.replays import LONGEST, Happening, story

LINES = 200
"""Lines on a page."""
RANKS = {"act": 0, "reply": 1, "question": 2, "choice": 3, "note": 4}
"""The order of lines before one step; an act follows the replies of its step."""


class TranscriptLine(Struct, frozen=True):
    """One line: what ``seats`` did at a ``step`` (from 1).

    ``kind`` is a key of :data:`RANKS`. ``more`` is shown on request. ``right`` says whether an answer was; ``None`` where that cannot be said.
    Of a reply, ``call`` is the number of the model call, ``prompt`` what its prompt adds to the one of call ``base``, and ``reasoning`` what
    the model thought before.
    """

    step: int
    kind: str
    seats: str
    text: str
    more: str = ""
    right: bool | None = None
    call: int | None = None
    prompt: tuple[Message, ...] = ()
    base: int = -1
    reasoning: str = ""


@dataclass(frozen=True)
class _WholeEpisode:
    record: Record
    happenings: tuple[Happening, ...]
    first: int
    last: int


def tell_episode(record: Record) -> list[TranscriptLine]:
    """The lines of an episode, in order."""
    episode = _WholeEpisode(record, tuple(list_acts(record)), 0, len(record.actions) + 1)
    lines = [
        TranscriptLine(
            line.step + (line.kind != "act"),
            line.kind,
            ", ".join(record.seats[seat] for seat in line.seats),
            line.text,
            line.more,
            line.right,
        )
        for line in story(episode)
        if line.kind != "reply"  # told with its prompt
    ]
    lines += [describe_call(call, n) for n, call in enumerate(record.calls)]
    return sorted(lines, key=lambda line: (line.step + (line.kind == "act"), RANKS[line.kind]))


def list_acts(record: Record) -> Iterator[Happening]:
    """What every seat did, and what that earned: each encounter, or each step of a world without any that has words or rewards."""
    met = [encounter for own in record.met.values() for encounter in own]
    listed: set[tuple[int, str]] = set()
    for encounter in sorted(met, key=lambda encounter: encounter.step):
        did = ", ".join(f"{seat}: {' or '.join(words)}" for seat, words in sorted(encounter.did.items()))
        if (encounter.step, did) not in listed:
            listed.add((encounter.step, did))
            earned = show_rewards(record, encounter.step)
            yield Happening(encounter.step + 1, "act", (), f"{did}{earned}")
    if met:
        return
    for step, (actions, rewards) in enumerate(zip(record.actions, record.rewards, strict=True)):
        acts = [f"{seat}: {action}" for seat, action in zip(record.seats, actions, strict=True)]
        if in_words(record) or any(rewards):
            words = "; ".join(acts) if in_words(record) else "earned"
            yield Happening(step + 1, "act", (), f"{words}{show_rewards(record, step)}")


def show_rewards(record: Record, step: int) -> str:
    """The rewards of a step as the end of a line; empty where nobody has any."""
    rewards = record.rewards[step]
    if not any(rewards):
        return ""
    return (
        f" ({', '.join(f'{seat} {reward:+g}' for seat, reward in zip(record.seats, rewards, strict=True))})"
    )


def describe_call(call: Call, number: int) -> TranscriptLine:
    """The line of a model call."""
    best = max(zip(call.scores, call.continuations, strict=False), default=None)
    again = f", try {call.attempt + 1}" if call.attempt else ""
    return TranscriptLine(
        call.step + 1,
        "reply",
        call.seat,
        shorten(call.reply or (best[1] if best else "")),
        f"{call.purpose}{again}",
        call=number,
        prompt=tuple(Message(message.role, shorten(message.content)) for message in call.added),
        base=call.base,
        reasoning=shorten(call.reasoning),
    )


def shorten(text: str) -> str:
    """The first :data:`.LONGEST` characters, and how many follow; the page of the call has all."""
    surplus = len(text) - LONGEST
    return text if surplus <= 0 else f"{text[:LONGEST]} … ({surplus:,} more characters)"
