"""The commands ``otherminds prompts``: what is sent to a model, without one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from otherminds.cli.extensions import examples
from otherminds.core.data import Message
from otherminds.core.errors import StudyError, UnknownNameError
from otherminds.core.model import Decoding
from otherminds.core.record import Call, Record, SeatSpec, prompts
from otherminds.core.registry import parameters
from otherminds.core.scenario import Scenario
from otherminds.core.setup import Participant, Setup
from otherminds.core.wording import PACK, PLAIN

app = typer.Typer(help="Prompts of strategies, and prompt packs.", no_args_is_help=True)
GAME = "rps"
"""Any game serves: the default frame is one for all of them."""
REPLY = "(the text that the model wrote)"
"""The reply of the stand-in where no option is asked for."""


@app.command("show", epilog=examples("otherminds prompts show cot rps"))
def show(
    strategy: Annotated[str, typer.Argument(help="A strategy; see `otherminds list strategies`.")],
    game: Annotated[str, typer.Argument(help="A game, such as rps, or a scenario.")],
    pack: Annotated[str, typer.Option(help="A prompt pack: a shipped name, or a .toml file.")] = PLAIN,
    at: Annotated[int, typer.Option("--round", min=1, help="The round whose prompts are shown.")] = 1,
) -> None:
    """Print exactly what is sent to a model for one decision and the prediction, as messages with roles.

    Earlier rounds and replies are those of a stand-in, which always chooses the first option that is listed.
    """
    from otherminds.minds.language.wording import resolve_pack
    from otherminds.minds.registry import strategies

    strategies.get(strategy)
    params = {} if pack == PLAIN else {PACK: resolve_pack(pack, Path())}
    record = _play_stand_in(_scenario(game, at), SeatSpec(strategy, params, "stand-in"))
    requests = [
        _describe_call(call, sent)
        for call, sent in zip(record.calls, prompts(record.calls), strict=True)
        if call.step == at - 1
    ]
    if not requests:
        raise StudyError(
            f"{strategy!r} sends nothing in round {at}; the episode has {len(record.actions)} rounds"
        )
    typer.echo("\n\n".join(requests))


@app.command("pack", epilog=examples("otherminds prompts pack plain"))
def pack_text(
    name: Annotated[str, typer.Argument(help="The name of a shipped pack.")] = PLAIN,
    game: Annotated[
        str, typer.Argument(help="A game, or a scenario, whose frame completes a pack that has none.")
    ] = GAME,
) -> None:
    """Print a whole shipped pack, with its frame, as a file to copy and change."""
    from otherminds.minds.language.wording import FRAME, shipped_packs, wording

    framed, file = bool(wording(name).frame), _frame_file(_scenario(game, 1))
    parts = [shipped_packs()[name].read_text(encoding="utf-8")]
    if file is not None and not framed:
        content = file.read_text(encoding="utf-8")
        parts.append(content[content.index(f"\n[{FRAME}]") :])
    typer.echo("\n".join(part.strip() + "\n" for part in parts), nl=False)


def _scenario(game: str, rounds: int) -> Scenario:
    """The scenario of that name, or that of a game against constant partners; long enough for ``rounds``."""
    from difflib import get_close_matches

    from otherminds.core.worlds import scenario, scenarios
    from otherminds.games.registry import games

    name = f"{game}-single-v1" if game in games else game
    if name not in scenarios:
        near = get_close_matches(game, [*games, *scenarios], 3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are the games {', '.join(games)}"
        raise UnknownNameError(f"no game or scenario is called {game!r}; {hint}")
    options: dict[str, Any] = {}
    for parameter in parameters(scenarios.get(name)):
        if parameter.default is parameter.empty:
            raise StudyError(f"scenario {name!r} needs the option {parameter.name!r}; name one without it")
        if parameter.name == "rounds" and rounds > parameter.default:
            options["rounds"] = rounds
    return scenario(name, options)


def _frame_file(built: Scenario) -> Path | None:
    """The file with the default frame of a scenario's texts; ``None`` where a pack's frame is not used."""
    return built.verbalizer(built.drawn(0), built.focal[0]).frame_file if built.verbalizer else None


def _play_stand_in(built: Scenario, spec: SeatSpec) -> Record:
    """An episode of ``spec`` in every seat under test, with the stand-in as its model."""
    from otherminds.minds.making import make_mind
    from otherminds.models.scripted import FORM, ScriptedModel, favouring
    from otherminds.play.loop import play

    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        form = FORM.search(messages[-1].content)
        fields = f"Plans: {REPLY}\nInsights: {REPLY}\n" if "Plans:" in messages[-1].content else ""
        return fields + form[1].split("\n")[0] if form else REPLY

    model = ScriptedModel(reply, lambda prompt, labels: favouring(0, len(labels)), "stand-in")
    minds = {seat: Participant(make_mind(spec), model) for seat in built.focal}
    return asyncio.run(play(Setup(built, minds)))[0]


def _describe_call(call: Call, sent: Sequence[Message]) -> str:
    """What one call sends: a heading, then each message below its role."""
    if call.continuations:
        listed = ", ".join(map(repr, call.continuations))
        return f"=== {call.purpose}: log-probabilities of {listed} after this text ===\n{sent[0].content}"
    words = "\n".join(f"--- {message.role} ---\n{message.content}" for message in sent)
    return f"=== {call.purpose}: a reply of at most {call.config['max_tokens']} tokens ===\n{words}"
