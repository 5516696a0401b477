"""The commands of the houses of household tasks: ``otherminds scenes --help``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from otherminds.cli.shared import examples

if TYPE_CHECKING:
    from otherminds.household.reports.state import MapState
    from otherminds.household.scenes.scene import Scene

scenes_app = typer.Typer(help="The houses of household tasks.", no_args_is_help=True)

Out = Annotated[Path, typer.Option("--out", "-o", help="The picture: .svg, or .png.")]
Solid = Annotated[
    bool, typer.Option("--3d", help="A 3-D picture from above (.png); needs the extra '3d' (MuJoCo).")
]
Agent = Annotated[str, typer.Option("--agent", help="With --3d: what this agent sees at the start.")]


@scenes_app.command("list", epilog=examples("otherminds scenes list"))
def list_scenes() -> None:
    """List the included scenes with their rooms."""
    from otherminds.household.scenes.load import load_scene, shipped_scenes

    for name in shipped_scenes():
        scene = load_scene(name)
        counts = f"{len(scene.furniture)} pieces of furniture, {len(scene.objects)} objects"
        typer.echo(f"{name:<40} {len(scene.rooms)} rooms, {counts}: {', '.join(scene.rooms)}")


@scenes_app.command("objects", epilog=examples("otherminds scenes objects stitched_17"))
def list_objects(name: Annotated[str, typer.Argument(help="An included scene, or a scene file.")]) -> None:
    """List the names of the furniture and objects of a house by room, with what can be done with them."""
    from otherminds.household.reports.listing import list_scene
    from otherminds.household.scenes.load import load_scene

    for line in list_scene(load_scene(name)):
        typer.echo(line)


@scenes_app.command("show", epilog=examples("otherminds scenes show stitched_17 --out scene.svg"))
def show_scene(
    name: Annotated[str, typer.Argument(help="An included scene, or a scene file.")],
    out: Out,
    solid: Solid = False,
    agent: Agent = "",
) -> None:
    """Draw a house as a map or in 3-D."""
    from otherminds.household.reports.state import at_start
    from otherminds.household.scenes.load import load_scene

    scene = load_scene(name)
    draw(scene, at_start(scene, agents=bool(agent)), out, agent, solid=solid)


def draw(scene: Scene, state: MapState, out: Path, agent: str, *, solid: bool) -> None:
    """Writes a map, or with ``solid`` a 3-D picture, and says where.

    Raises:
        StudyError: the file's ending or an option does not fit, it cannot be written, or MuJoCo is lacking.
    """
    from otherminds.core.disk import check_file, replace_file
    from otherminds.core.errors import StudyError

    kinds = (".png",) if solid else (".svg", ".png")
    if out.suffix not in kinds:
        raise StudyError(f"{out}: this picture is a {' or a '.join(kinds)}")
    if agent and not solid:
        raise StudyError(f"--agent {agent}: a map shows all agents; with --3d a picture shows what one sees")
    check_file(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if solid:
            from otherminds.household.reports.state import renderers

            renderers.get("mujoco")(scene, state, out, agent)
        elif out.suffix == ".svg":
            from otherminds.household.reports.map import map_svg

            replace_file(out, map_svg(scene, state))
        else:
            from otherminds.household.reports.png import map_png

            map_png(scene, state).save(out, optimize=True)
    except OSError as error:
        raise StudyError(f"{out}: cannot be written ({error.strerror})") from error
    typer.echo(out)
