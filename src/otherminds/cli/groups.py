"""The command groups ``otherminds prompts``, what is sent to a model, and ``otherminds policies``, the weights of minds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from otherminds.cli.shared import examples
from otherminds.core.data import Message
from otherminds.core.errors import StudyError, UnknownNameError
from otherminds.core.model import Decoding
from otherminds.core.record import Call, Record, SeatSpec, prompts
from otherminds.core.registry import parameters
from otherminds.core.scenario import Participant, Scenario, Setup
from otherminds.core.wording import PACK, PLAIN

if TYPE_CHECKING:
    from otherminds.minds.learned.policy import Policy


prompts_app = typer.Typer(help="Prompts of strategies, and prompt packs.", no_args_is_help=True)
GAME = "rps"
"""Any game serves: the default frame is one for all of them."""
REPLY = "(the text that the model wrote)"
"""The reply of the stand-in where no option is asked for."""


@prompts_app.command("show", epilog=examples("otherminds prompts show cot rps"))
def show_prompts(
    strategy: Annotated[str, typer.Argument(help="A strategy; see `otherminds list strategies`.")],
    game: Annotated[str, typer.Argument(help="A game, such as rps, or a scenario.")],
    pack: Annotated[str, typer.Option(help="A prompt pack: a shipped name, or a .toml file.")] = PLAIN,
    at: Annotated[
        int,
        typer.Option("--round", min=1, help="The round whose prompts are shown; without rounds, the step."),
    ] = 1,
) -> None:
    """Print exactly what is sent to a model for one decision and the prediction, as messages with roles.

    Earlier rounds and replies are those of a stand-in, which always chooses the first option that is listed.
    """
    from otherminds.minds.language.wording import resolve_pack
    from otherminds.minds.registry import strategies

    strategies.get(strategy)
    params = {} if pack == PLAIN else {PACK: resolve_pack(pack, Path())}
    record = _play_stand_in(_scenario(game, at), SeatSpec(strategy, params, "stand-in"))
    unit, rounds = _list_rounds(record)
    steps = rounds[at - 1] if at <= len(rounds) else ()
    requests = [
        _describe_call(call, sent)
        for call, sent in zip(record.calls, prompts(record.calls), strict=True)
        if call.step in steps
    ]
    if not requests:
        raise StudyError(f"{strategy!r} sends nothing in {unit} {at}; the episode has {len(rounds)} {unit}s")
    typer.echo("\n\n".join(requests))


@prompts_app.command("pack", epilog=examples("otherminds prompts pack plain"))
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

    from otherminds.core.scenario import scenario, scenarios
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


def _list_rounds(record: Record) -> tuple[str, list[range]]:
    """The steps of each round, and what it is called: a round ends with an encounter; without encounters it is a step."""
    broken = record.outcome.status != "scored"
    count = len(record.actions) + broken
    ends = sorted({encounter.step + 1 for met in record.met.values() for encounter in met})
    # Where avatars meet now and then, what comes after the last encounter belongs to none.
    if not ends or (ends[-1] < count and not broken):
        return "step", [range(step, step + 1) for step in range(count)]
    if broken:
        ends.append(count)
    return "round", [range(start, end) for start, end in pairwise([0, *ends])]


def _frame_file(built: Scenario) -> Path | None:
    """The file with the default frame of a scenario's texts; ``None`` where a pack's frame is not used."""
    return built.verbalizer(built.drawn(0), built.focal[0]).frame_file if built.verbalizer else None


def _play_stand_in(built: Scenario, spec: SeatSpec) -> Record:
    """An episode of ``spec`` in every seat under test, with the stand-in as its model."""
    from otherminds.minds.registry import make_mind
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


policies_app = typer.Typer(help="Policies of learned minds: list, pull, show.", no_args_is_help=True)
HEADS = ("name", "algorithm", "substrate", "steps", "seed", "bytes", "SHA-256", "from")


@policies_app.command("list", epilog=examples("otherminds policies list"))
def list_policies() -> None:
    """List the policies that a study can name: those of the package, and those that were pulled.

    A file that is damaged has its error in place of its data.
    """
    from otherminds.core.errors import StudyError
    from otherminds.core.text import text_table
    from otherminds.minds.learned.files import known_files, load_network, shipped_files

    rows: list[tuple[str, ...]] = []
    damaged: list[str] = []
    shipped = shipped_files()
    for name, path in sorted(known_files().items()):
        try:
            policy = load_network(path).policy
        except StudyError as error:
            damaged.append(str(error))
            continue
        info = policy.info
        numbers = (f"{info.steps:,}", str(info.seed), f"{policy.size:,}")
        origin = "package" if name in shipped else str(path.parent)
        rows.append((name, info.algorithm, info.substrate, *numbers, policy.sha256[:16], origin))
    if rows:
        typer.echo(text_table(HEADS, rows))
    elif not damaged:
        typer.echo("no policies; `otherminds policies pull URL` keeps one")
    for line in damaged:
        typer.echo(line)


@policies_app.command("show", epilog=examples("otherminds policies show ppo_scripted-rws-repeated-2"))
def show_policy(
    policy: Annotated[str, typer.Argument(help="The name of a policy, or the path of a file.")],
) -> None:
    """Print all that a policy file says of itself, and its tensors with their shapes and sizes."""
    from otherminds.minds.learned.files import network_of

    typer.echo(_describe_policy(network_of(policy).policy))


@policies_app.command(
    "pull", epilog=examples("otherminds policies pull https://example.org/policy.safetensors")
)
def pull_policy(
    source: Annotated[str, typer.Argument(help="The URL or the path of a policy file.")],
    sha256: Annotated[str, typer.Option("--sha256", help="Refuse a file with another SHA-256.")] = "",
    name: Annotated[
        str, typer.Option("--name", help="The name of the policy; by default that of the file.")
    ] = "",
) -> None:
    """Check a policy file and keep it in the user's data folder, so that studies can name it.

    The folder is OTHERMINDS_DATA/policies, or that of the system. Prints the path, the name and the SHA-256.
    """
    from otherminds.minds.learned.files import pull

    path, policy = pull(source, sha256, name)
    typer.echo(f"{path}\n{policy.name}: {_line(policy)}\nsha256 {policy.sha256}")


def _line(policy: Policy) -> str:
    info = policy.info
    return (
        f"{info.algorithm} in {info.substrate}, {info.steps:,} steps, seed {info.seed}, {policy.size:,} bytes"
    )


def _describe_policy(policy: Policy) -> str:
    from msgspec import to_builtins

    from otherminds.core.text import text_table

    facts = {"name": policy.name, "sha256": policy.sha256, "bytes": policy.size} | to_builtins(policy.info)
    lines = [f"{key:<13} {_write_value(value)}" for key, value in facts.items()]
    rows = [
        (name, " x ".join(map(str, tensor.shape)), f"{tensor.size:,}", f"{tensor.nbytes:,}")
        for name, tensor in policy.tensors.items()
    ]
    total = sum(tensor.size for tensor in policy.tensors.values())
    rows.append(("all", "", f"{total:,}", f"{4 * total:,}"))
    return "\n".join([*lines, "", text_table(("tensor", "shape", "numbers", "bytes"), rows)])


def _write_value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
