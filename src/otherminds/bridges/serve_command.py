"""The command ``otherminds serve``."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, cast

import typer

if TYPE_CHECKING:
    from otherminds.api.sessions import Rewards

LACKING = "the server needs the package openenv: pip install openenv==0.10.0"


def serve(
    scenario: Annotated[
        list[str],
        typer.Argument(help="Scenarios of the split 'train'; of n scenarios, seed s plays number s mod n."),
    ],
    openenv: Annotated[bool, typer.Option("--openenv", help="Speak the protocol of OpenEnv 0.10.")] = False,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8000,
    held_out: Annotated[
        list[str] | None, typer.Option(help="A scenario of the split 'held_out'; repeatable.")
    ] = None,
    strategy: Annotated[str, typer.Option(help="The prompting strategy that clients sit behind.")] = "chat",
    rewards: Annotated[
        str, typer.Option(help="exact (free of the partner's luck), or world (those of the world).")
    ] = "exact",
    ask: Annotated[bool, typer.Option("--ask", help="Also ask the questions of the scenario.")] = False,
    sessions: Annotated[int, typer.Option(min=1, help="Clients at once; more are refused.")] = 128,
) -> None:
    """Serve a seat of scenarios to trainers of language models, until Ctrl-C.

    Needs the package openenv. Every program that can reach the address can play; at the default address, those on this machine only.

    \b
    Examples:
      otherminds serve rps-mixed-v1 --openenv --port 8000
      otherminds serve rps-single-v1 rps-cycler-v1 --held-out rps-mixed-v1 --openenv
    """
    from otherminds.api.sessions import asession
    from otherminds.core.errors import StudyError

    if not openenv:
        raise StudyError("say which protocol to speak: --openenv")
    if find_spec("openenv") is None:
        raise StudyError(LACKING)
    splits = {"train": scenario} | ({"held_out": held_out} if held_out else {})
    make_session = partial(asession, splits, strategy=strategy, ask=ask, rewards=cast("Rewards", rewards))
    make_session()  # faults of the scenarios are reported before the server starts
    import socket

    import uvicorn

    from otherminds.bridges.openenv import make_app

    try:
        listener = socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET
        )
    except OSError as error:
        raise StudyError(f"cannot listen at {host}, port {port}: {error.strerror}") from None
    address = f"[{host}]" if ":" in host else host
    typer.echo(f"serving at http://{address}:{listener.getsockname()[1]} until Ctrl-C")
    config = uvicorn.Config(
        make_app(make_session, sessions), log_level="warning", ws_per_message_deflate=False
    )
    with listener, suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])
