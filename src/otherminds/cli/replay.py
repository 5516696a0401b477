"""The command ``replay``: one recorded episode as text, as a page or as a film."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import shorten

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from otherminds.core.data import Seat, SkillChoice
from otherminds.core.disk import check_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.record import Asked, Record
from otherminds.core.record import prompts as full_prompts
from otherminds.matrix.replay import (
    MEANINGS,
    MatrixReplay,
    plays_matrix,
    replay_matrix,
    summarise_rounds,
)
from otherminds.measures.seats import in_words
from otherminds.reports.replay.minds import RIGHT, WRONG, answered, ended, told
from otherminds.reports.sheets import grouped_by
from otherminds.studies.run_dir import plan_in, recorded
from otherminds.studies.terminal import Terminal

LONGEST_REPLY = 300
"""Characters of a reply without a prediction that are shown; `--prompts` shows it whole."""
SEVERAL = 2
"""Best replies that make a line long."""
NUMBER = 8
"""A number with at least this many digits is the start of a hash, not the number of an episode."""


def find(folder: Path, wanted: str) -> Record:
    """The record of number ``wanted`` in the plan (from 0), else whose episode hash starts with it.

    Raises:
        StudyError: none, or several, fit.
    """
    plan = plan_in(folder)
    planned = len(plan.episodes)
    if wanted.isdecimal() and len(wanted) < NUMBER and int(wanted) < planned:
        fits = [int(wanted)]
    else:
        fits = [i for i, spec in enumerate(plan.episodes) if wanted and spec.hash.startswith(wanted)]
    if len(fits) != 1:
        many = f"{len(fits)} episodes start with" if fits else f"none of {planned} episodes is"
        raise StudyError(f"{folder}: {many} {wanted!r}; give more of a hash, or a number below {planned}")
    for number, line in recorded(folder, plan):
        if number == fits[0]:
            return line.record()
    name = plan.episodes[fits[0]].hash
    raise StudyError(f"{folder}: episode {name} is planned but not recorded yet; run the study again")


def show_replay(folder: Path, wanted: str, *, prompts: bool) -> None:
    """Prints an episode: minds, actions, predictions and rewards."""
    record = find(folder, wanted)
    console = Terminal(soft_wrap=True)
    spec = record.spec
    who = ", ".join(f"{seat}: {sitter.called}" for seat, sitter in spec.seats.items())
    console.print(f"{spec.title}  seed {spec.seed}  episode {spec.hash}")
    if plays_matrix(record):
        console.print(who)
        for part in matrix_rounds(replay_matrix(record)):
            console.print(part)
    else:
        console.print(f"{who}; drawn: {record.drawn}")
        console.print(calls(record) if in_words(record) else rounds(record))
    for line in told(record):
        console.print(line)
    totals = ", ".join(f"{seat} {record.total(seat):g}" for seat in record.seats)
    console.print(f"totals: {totals}; {ended(record)}; body {record.hash[:16]}")
    if prompts:
        for call, messages in zip(record.calls, full_prompts(record.calls), strict=True):
            console.rule(f"{call.seat} step {call.step} {call.purpose} (try {call.attempt + 1})")
            for message in messages:
                console.print(message.content)
            scored = dict(zip(call.continuations, call.scores, strict=False))
            console.print(f"-> {scored or call.reply!r}", style="bold")


def matrix_rounds(replay: MatrixReplay) -> Iterator[str | Table]:
    """A matrix game: its payoffs, a row for each round, what the marks mean, and what the rounds come to."""
    yield f"payoffs of a round ({replay.mind}, {replay.partner}), with the labels and in the order that models are shown:"
    payoffs = Table("", *(replay.name(theirs, 1) for theirs in replay.labels[1]), box=SIMPLE_HEAD)
    for own, row in replay.payoffs():
        payoffs.add_row(replay.name(own, 0), *(f"{mine:g}, {theirs:g}" for mine, theirs in row))
    yield payoffs
    table = Table("", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for head in ("prediction", ""):
        table.add_column(head, no_wrap=True)
    table.add_column("best reply", no_wrap=all(len(one.best) < SEVERAL for one in replay.rounds))
    for head in ("choice", "partner"):
        table.add_column(head, no_wrap=True)
    for head in ("earned", "would pay"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("mark")
    for one in replay.rounds:
        table.add_row(
            str(one.step + 1),
            one.said,
            "" if one.said is None else RIGHT if one.right else WRONG,
            " or ".join(one.best),
            one.own,
            one.other,
            f"{one.earned:g}",
            "" if one.advised is None else f"{one.advised:g}",
            ", ".join(one.marks),
        )
    yield table
    for one in replay.rounds:
        if one.unread:
            yield f"round {one.step + 1}, the reply to the question: {shorten(one.unread, LONGEST_REPLY)}"
    if replay.stopped:
        yield f"round {replay.stopped.step + 1} was not played: {replay.stopped.reason}"
        if replay.stopped.reply:
            yield f"the reply: {replay.stopped.reply}"
    yield "would pay: what the best reply to the prediction would have earned against what the partner did"
    for mark in dict.fromkeys(mark for one in replay.rounds for mark in one.marks):
        yield f"{mark}: {MEANINGS[mark]}"
    yield from summarise_rounds(replay)
    if replay.fault:
        yield replay.fault


def rounds(record: Record) -> Table:
    """A row for each step with a behaviour, a reward or a question.

    Behaviours are those that the first seat knows; of encounters without it, each seat's own.
    Chosen skills have a column in worlds with skills.
    """
    did = _behaviours(record)
    chosen = _choices(record)
    said = grouped_by(record.asked, lambda asked: asked.step)
    paid = {step for step, rewards in enumerate(record.rewards) if any(rewards)}
    choosing = ["chosen"] if chosen else []
    if len(record.seats) > BESIDE:
        table = Table("step", "did and earned", *choosing, "said")
    else:
        table = Table("step", *record.seats, *choosing, "rewards", "said", "true")
    for step in sorted({*did, *chosen, *said, *paid}):
        if step >= len(record.rewards):
            continue
        asked = said.get(step, [])
        now, rewards = did.get(step, {}), dict(zip(record.seats, record.rewards[step], strict=True))
        choice = [chosen.get(step, "")] if chosen else []
        if len(record.seats) > BESIDE:
            deeds = [f"{seat} {now[seat]} {rewards[seat]:+.4g}" for seat in record.seats if seat in now]
            words = [f"{record.questions[one.question].about} {_answer(one)} ({one.truth})" for one in asked]
            cells = ["\n".join(deeds), *choice, "\n".join(words)]
        else:
            earned = " ".join(f"{x:+g}" for x in rewards.values())
            answers, truths = ("\n".join(map(_answer, asked)), "\n".join(str(one.truth) for one in asked))
            cells = [*(now.get(seat, "") for seat in record.seats), *choice, earned, answers, truths]
        right = all(one.answer == one.truth for one in asked)
        table.add_row(str(step + 1), *cells, style=None if right else "dim")
    return table


def calls(record: Record) -> Table:
    """A row for each action of each seat, where actions are texts, with its result; then the questions."""
    table = Table("turn", "seat", "call", "what came of it")
    log = {(one["turn"], one["seat"]): one for one in record.facts.get("log", ())}
    for step, row in enumerate(record.actions):
        for seat, action in zip(record.seats, row, strict=True):
            came = log.get((step, seat), {})
            if came or not log:
                words = (str(step + 1), seat, str(action), came.get("text", ""))
                table.add_row(*words, style=None if came.get("ok", True) else "dim")
        table.add_section()
    for asked in record.asked:
        question, right = record.questions[asked.question], asked.answer == asked.truth
        said = f"invalid: {asked.invalid.reason}" if asked.invalid else answered(asked.answer)
        true = "" if right or asked.truth is None else f"; true: {answered(asked.truth)}"
        words = ("asked", question.seat, question.text, said + true)
        table.add_row(*words, style=None if right else "dim")
    return table


BESIDE = 4
"""With more seats than this, what each did is listed line by line, with the truth in brackets."""


def _answer(asked: Asked) -> str:
    return f"invalid: {asked.invalid.reason}" if asked.invalid else str(asked.answer)


def _behaviours(record: Record) -> dict[int, dict[Seat, str]]:
    """What each seat did, by step."""
    found: dict[int, dict[Seat, str]] = {}
    first = record.seats[0]
    for seat, met in record.met.items():
        for encounter in met:
            row = found.setdefault(encounter.step, {})
            for other, behaviours in encounter.did.items():
                if seat == first or (other == seat and other not in row):
                    row[other] = " or ".join(behaviours)
    return found


def _choices(record: Record) -> dict[int, str]:
    """The skills that were chosen, by step."""
    found: dict[int, list[str]] = {}
    for choice in record.choices:
        made = choice.made
        if isinstance(made, SkillChoice):
            words = f"{made.name}({', '.join(map(str, made.args))})"
            found.setdefault(choice.step, []).append(f"{choice.seat} {words}")
    return {step: "; ".join(words) for step, words in found.items()}


def show_again(
    folder: Path, wanted: str, page: Path | None, film: Path | None, steps: str, speed: float | None
) -> None:
    """Replays an episode and writes its page or film; exit code 1 if the replay differs from the record.

    The page of a world without a map has the rounds and the hypotheses of minds. ``steps`` is FROM:TO, or
    empty for all; ``speed`` is in steps per second, ``None`` for the default of the world.

    Raises:
        StudyError: the world cannot be shown as requested, or a file cannot be written.
    """
    from otherminds.gridworlds.replay.page import SPEED, as_page, as_rounds_page
    from otherminds.gridworlds.replay.scenes import has_map, replay_of
    from otherminds.matrix.replay import SPEED as ROUNDS_A_SECOND
    from otherminds.matrix.replay import as_matrix_page
    from otherminds.reports.replay.again import again, scenario_of

    record = find(folder, wanted)
    if page and not (film or steps) and plays_matrix(record):
        _write(page, as_matrix_page(record, speed or ROUNDS_A_SECOND))
        return
    world = scenario_of(record).world()
    own = replay_of(world)
    if own is not None:
        if film or steps or not page:
            raise StudyError(
                f"{record.spec.scenario!r} replays as a page (--page), whole; --film and --steps are for gridworlds"
            )
        text, fault = own.page(record, speed)
        _write(page, text)
        _report(fault)
        return
    if page and not (film or steps or has_map(world)):
        _write(page, as_rounds_page(record))
        return
    grid_replay = again(record)
    if steps:
        limits = re.fullmatch(r"(\d*):(\d*)", steps)
        if limits is None:
            raise StudyError(f"--steps {steps}: give FROM:TO, as 100:250")
        grid_replay = grid_replay.cut(int(limits[1] or grid_replay.first), int(limits[2] or grid_replay.last))
    if page:
        _write(page, as_page(grid_replay, speed or SPEED))
    if film:
        from otherminds.gridworlds.replay.film import write_film

        with _written(film):
            write_film(grid_replay, film, speed or SPEED)
    _report(grid_replay.fault)


def _report(fault: str) -> None:
    """Prints where a replay differs from its record, with exit code 1."""
    if fault:
        typer.echo(f"otherminds: {fault}", err=True)
        raise typer.Exit(1)


def _write(path: Path, page: str) -> None:
    with _written(path):
        replace_file(path, page)


@contextmanager
def _written(path: Path) -> Iterator[None]:
    """Makes the folder of ``path``, and prints ``path`` once it is written."""
    check_file(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise StudyError(f"{path}: cannot be written ({error.strerror})") from error
    typer.echo(path)
