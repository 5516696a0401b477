"""The commands ``otherminds policies``: the weights of learned minds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from otherminds.cli.extensions import examples

if TYPE_CHECKING:
    from otherminds.minds.learned.policy import Policy

app = typer.Typer(help="Policies of learned minds: list, pull, show.", no_args_is_help=True)
HEADS = ("name", "algorithm", "substrate", "steps", "seed", "bytes", "SHA-256", "from")


@app.command("list", epilog=examples("otherminds policies list"))
def list_policies() -> None:
    """List the policies that a study can name: those of the package, and those that were pulled.

    A file that is damaged has its error in place of its data.
    """
    from otherminds.core.display import text_table
    from otherminds.core.errors import StudyError
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


@app.command("show", epilog=examples("otherminds policies show ppo_scripted-rws-repeated-2"))
def show_policy(
    policy: Annotated[str, typer.Argument(help="The name of a policy, or the path of a file.")],
) -> None:
    """Print all that a policy file says of itself, and its tensors with their shapes and sizes."""
    from otherminds.minds.learned.files import network_of

    typer.echo(_describe_policy(network_of(policy).policy))


@app.command("pull", epilog=examples("otherminds policies pull https://example.org/policy.safetensors"))
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
    from otherminds.minds.learned.pulling import pull

    path, policy = pull(source, sha256, name)
    typer.echo(f"{path}\n{policy.name}: {_line(policy)}\nsha256 {policy.sha256}")


def _line(policy: Policy) -> str:
    info = policy.info
    return (
        f"{info.algorithm} in {info.substrate}, {info.steps:,} steps, seed {info.seed}, {policy.size:,} bytes"
    )


def _describe_policy(policy: Policy) -> str:
    from msgspec import to_builtins

    from otherminds.core.display import text_table

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
