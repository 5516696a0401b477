"""One recorded episode, round by round."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from otherminds.core.errors import StudyError
from otherminds.core.record import Asked, Record
from otherminds.play.prompts import prompts as full_prompts
from otherminds.studies.folder import results

NUMBER = 8
"""So many digits are the beginning of a hash, and no episode's number."""


def find(folder: Path, wanted: str) -> Record:
    """The record of number ``wanted`` in the plan (from 0), else whose episode hash starts with it.

    Raises:
        StudyError: none, or several, fit.
    """
    plan, records = results(folder)
    hashes = [spec.hash for spec in plan.episodes]
    if wanted.isdecimal() and len(wanted) < NUMBER and int(wanted) < len(hashes):
        fits = {hashes[int(wanted)]}
    else:
        fits = {name for name in hashes if wanted and name.startswith(wanted)}
    if len(fits) != 1:
        many = f"{len(fits)} episodes start with" if fits else f"none of {len(hashes)} episodes is"
        raise StudyError(f"{folder}: {many} {wanted!r}; give more of a hash, or a number below {len(hashes)}")
    for record in records:
        if record.spec.hash in fits:
            return record
    raise StudyError(f"{folder}: episode {fits.pop()} is planned but not recorded yet; run the study again")


CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) != "\n"}
"""A terminal would obey these; they are shown as escapes."""


def show_replay(folder: Path, wanted: str, *, prompts: bool) -> None:
    """Prints an episode: who played, what each did, what was predicted, what it brought."""
    record = find(folder, wanted)
    console = Console(soft_wrap=True)
    spec = record.spec
    who = ", ".join(f"{seat}: {sitter.title}" for seat, sitter in spec.seats.items())
    console.print(f"{spec.title}  seed {spec.seed}  episode {spec.hash}", highlight=False, markup=False)
    console.print(f"{who}; drawn: {record.drawn}", highlight=False, markup=False)
    console.print(rounds(record))
    totals = ", ".join(f"{seat} {record.total(seat):g}" for seat in record.seats)
    outcome = record.outcome
    ended = outcome.status + (f" ({outcome.blame}: {outcome.reason})" if outcome.reason else "")
    console.print(f"totals: {totals}; {ended}; body {record.hash[:16]}", highlight=False, markup=False)
    if prompts:
        for call, messages in zip(record.calls, full_prompts(record.calls), strict=True):
            console.rule(f"{call.seat} step {call.step} {call.purpose} (try {call.attempt + 1})")
            for message in messages:
                console.print(message.content.translate(CONTROLS), highlight=False, markup=False)
            scored = dict(zip(call.continuations, call.scores, strict=False))
            console.print(f"-> {scored or call.reply!r}", highlight=False, markup=False, style="bold")


def rounds(record: Record) -> Table:
    """A row a step: behaviours as the first seat knows them, rewards, and its prediction."""
    table = Table("step", *record.seats, "rewards", "said", "true")
    first = record.seats[0]
    met = {encounter.step: encounter.did for encounter in record.met.get(first, ())}
    said: dict[int, Asked] = {asked.step: asked for asked in record.asked}
    for step, rewards in enumerate(record.rewards):
        did = met.get(step, {})
        behaviours = [" or ".join(did[seat]) if seat in did else "" for seat in record.seats]
        asked = said.get(step)
        answer = (
            ""
            if asked is None
            else f"invalid: {escape(asked.invalid.reason)}"
            if asked.invalid
            else escape(str(asked.answer))
        )
        style = None if asked is None or asked.answer == asked.truth else "dim"
        table.add_row(
            str(step + 1),
            *behaviours,
            " ".join(f"{x:+g}" for x in rewards),
            answer,
            "" if asked is None else str(asked.truth),
            style=style,
        )
    return table
