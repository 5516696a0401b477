"""The commands ``otherminds play`` and ``otherminds host``: people in the seats of a scenario, or of a study."""

from __future__ import annotations

import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from otherminds.cli.shared import follow_up, seed_option

if TYPE_CHECKING:
    from otherminds.core.record import EpisodeSpec, Record
    from otherminds.studies.plan import StudyPlan
    from otherminds.web.people import Desk
    from otherminds.web.protocol import Protocol
    from otherminds.web.server import TlsFiles

YOU = "you"
ROUNDS = 20
"""Rounds of an episode that somebody plays alone, where the scenario has rounds."""
LINGER = 60.0
"""Seconds for which the pages stay after the last episode, so that everybody sees how it ended."""


def play(
    scenario: Annotated[
        str, typer.Argument(help="A scenario with one seat under test: `otherminds list scenarios`.")
    ],
    option: Annotated[
        list[str] | None,
        typer.Option("--option", help="An option of the scenario, such as rounds=10; repeatable."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The folder of the run; a new one by default.")
    ] = None,
    seed: Annotated[int, seed_option("Draws the partner and its moves.")] = 0,
    ask: Annotated[
        bool, typer.Option("--ask/--no-ask", help="Whether the questions of the scenario are asked.")
    ] = True,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 0,
) -> None:
    """Play a scenario yourself, in a browser, where a model would play.

    You read what models read, and are asked what they are asked. The episode is recorded as theirs are. If you stop, the same
    command with the same --out goes on at the same turn. Needs the extra web.

    \b
    Examples:
      otherminds play rps-mixed-v1
      otherminds play ipd-mixed-v1 --option rounds=10 --no-ask
    """
    from otherminds.studies.file import check_study
    from otherminds.studies.plan import plan
    from otherminds.web.protocol import NO_CONSENT

    options = read_options(option or ())
    cell = {
        "scenarios": [scenario],
        "rounds": options.pop("rounds", None),
        "options": options,
        "minds": [{"mind": "chat", "model": f"person:{YOU}"}],
        "ask": ask,
    }
    study = check_study(
        {"name": f"play {scenario}", "episodes": 1, "rounds": ROUNDS, "seed": seed, "cells": [cell]}
    )
    folder = out or Path("runs") / f"play-{scenario}-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    seat_people(plan(study, Path()), folder, "127.0.0.1", port, (), NO_CONSENT, describe=True)


def host(
    study: Annotated[Path, typer.Argument(help="A study in which models are called person:LABEL.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the run.")],
    protocol: Annotated[
        Path | None,
        typer.Option(help="Consent, instructions, questions about them, limits of time and the end (TOML)."),
    ] = None,
    no_consent: Annotated[
        bool, typer.Option("--no-consent", help="Ask for no consent: a trial among colleagues.")
    ] = False,
    listen: Annotated[str, typer.Option("--listen", help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            help="The address that browsers show, such as https://study.example.org, behind a proxy; repeatable."
        ),
    ] = None,
    tls_cert: Annotated[
        Path | None,
        typer.Option(
            "--tls-cert", help="Serve by HTTPS with this certificate (PEM, with its chain); needs --tls-key."
        ),
    ] = None,
    tls_key: Annotated[
        Path | None,
        typer.Option("--tls-key", help="The private key of the certificate (PEM, without a password)."),
    ] = None,
) -> None:
    """Play a study with people: one link for each, and models and programs beside them.

    In the study, `minds = [{ mind = "chat", model = "person:ann" }]` is a seat for Ann; she gets the prompts of a model, and a row
    beside models in the report. Started again, it goes on at the same turns under the same links. Needs the extra web.

    \b
    Examples:
      otherminds host examples/people.toml --out runs/people --no-consent
      otherminds host examples/people.toml --out runs/people --protocol examples/people_protocol.toml
    """
    from otherminds.core.errors import StudyError
    from otherminds.studies.file import find_study
    from otherminds.studies.plan import plan_file
    from otherminds.web.protocol import NO_CONSENT, read_protocol
    from otherminds.web.server import TlsFiles

    if (protocol is None) == (not no_consent):
        raise StudyError(
            "give --protocol FILE with a text of consent (docs/people.md), or --no-consent, and not both"
        )
    if (tls_cert is None) != (tls_key is None):
        raise StudyError("give --tls-cert and --tls-key together")
    tls = None if tls_cert is None or tls_key is None else TlsFiles(tls_cert, tls_key)
    rules = NO_CONSENT if protocol is None else read_protocol(protocol)
    seat_people(plan_file(find_study(study)), out, listen, port, origin or (), rules, tls=tls)


def seat_people(
    plan: StudyPlan,
    folder: Path,
    address: str,
    port: int,
    origins: Sequence[str],
    protocol: Protocol,
    *,
    tls: TlsFiles | None = None,
    describe: bool = False,
) -> None:
    """Serves the people of ``plan`` while it is played into ``folder``; ``describe`` tells them how their last episode went.

    Raises:
        StudyError: the extra is missing, the plan has no people, or the address is in use.
    """
    from otherminds.cli.commands import play as play_plan
    from otherminds.core.errors import StudyError
    from otherminds.core.locks import Lock
    from otherminds.studies.run_dir import claim, make_folder, results
    from otherminds.web.server import check_extra, check_tls, serve

    check_extra("people need")
    if tls is not None:
        check_tls(tls)
    from otherminds.web.deletion import finish_deletions
    from otherminds.web.farewell import describe_episode
    from otherminds.web.links import make_deletion_code, read_links
    from otherminds.web.people import Chair, open_desk
    from otherminds.web.people_records import list_people, read_returns
    from otherminds.web.progress import SeatProgress
    from otherminds.web.protocol import keep_protocol
    from otherminds.web.seats import make_app
    from otherminds.web.stays import Journal, Stay

    labels = list_people(plan.episodes)
    if not labels:
        raise StudyError(f'{plan.name} has no people; name a model person:LABEL, as in model = "person:ann"')
    make_folder(folder)
    lock = Lock(folder)
    try:
        claim(folder, plan)  # the folder of a run holds nothing before it holds its study
        keep_protocol(folder, protocol)
        links = read_links(folder, labels)
        finish_deletions(folder)
    finally:
        lock.release()
    journal = Journal(folder)
    events = journal.read_events()
    stays = {
        label: Stay(
            protocol,
            label,
            journal,
            events.get(label, []),
            partial(read_returns, folder, label),
            make_deletion_code(links[label]),
        )
        for label in labels
    }

    def is_link(path: str) -> bool:
        return path.startswith("/s/") and path.removeprefix("/s/") in secrets

    secrets = {*links.values()}
    desk = open_desk({label: Chair(label, protocol, stay) for label, stay in stays.items()})
    seat_together(desk, plan.episodes)
    with serve(
        lambda: make_app(desk, links, plan.name, protocol.join), address, port, origins, is_link, tls
    ) as base:
        for label in labels if protocol.join is None else ():
            typer.echo(f"{label}: {base}/s/{links[label]}")
        if protocol.join is not None:
            typer.echo(f"everybody: {base}/join?{protocol.join.parameter}=LABEL")
        typer.echo(
            "Open the link in a browser. Ctrl-C stops; the same command goes on." if len(labels) == 1 else ""
        )
        progress = SeatProgress(desk, *count_episodes(plan, results(folder)[1]), say_farewell=not describe)
        stopped = play_plan(plan, folder, progress)
        records = list(results(folder)[1])
        for label, chair in desk.chairs.items():
            own = [record for record in records if label in list_people([record.spec])]
            chair.dismiss(describe_episode(own[-1]) if describe and own else chair.stay.farewell())
        # Who has dropped out stays out: there is no --retry-failed here.
        typer.echo(
            stopped.partition(";")[0]
            or f"all {len(records)} episodes are recorded: {follow_up('report', folder)}"
        )
        linger(desk)


def read_options(texts: Sequence[str]) -> dict[str, Any]:
    """Options given as ``name=value``, with values as in TOML; a word needs no quotation marks.

    >>> read_options(["rounds=10", "reach=window"])
    {'rounds': 10, 'reach': 'window'}

    Raises:
        StudyError: one of them has another form.
    """
    from otherminds.core.errors import StudyError

    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name.strip() or not equals:
            raise StudyError(f"--option {text!r}: give NAME=VALUE, as in rounds=10")
        try:
            options[name.strip()] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            options[name.strip()] = value
    return options


def seat_together(desk: Desk, episodes: Iterable[EpisodeSpec]) -> None:
    """Tells each chair with whom it shares an episode."""
    from otherminds.web.people_records import list_people

    shared = {tuple(labels) for spec in episodes if len(labels := list_people([spec])) > 1}
    for label, chair in desk.chairs.items():
        others = {other for labels in shared if label in labels for other in labels} - {label}
        chair.companions = tuple(desk.chairs[other] for other in sorted(others))


def count_episodes(plan: StudyPlan, records: Iterable[Record]) -> tuple[Counter[str], Counter[str]]:
    """How many episodes of ``plan`` each person still has to play, and how many of its own are in ``records``."""
    from otherminds.web.people_records import list_people

    recorded = {record.spec.hash for record in records}
    left, done = Counter[str](), Counter[str]()
    for spec in plan.episodes:
        (done if spec.hash in recorded else left).update(list_people([spec]))
    return left, done


def linger(desk: Desk) -> None:
    """Waits until everybody has seen how it ended, :data:`LINGER` seconds at most."""
    end = time.monotonic() + LINGER
    while time.monotonic() < end and not all(
        chair.has_seen_end or chair.stay.is_gone for chair in desk.chairs.values()
    ):
        time.sleep(0.1)
