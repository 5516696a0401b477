"""Pictures of houses: ``otherminds scenes show --help``, ``otherminds tasks show --help``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from otherminds.cli.tasks import scenes_app, tasks_app

if TYPE_CHECKING:
    from otherminds.reports.household.state import MapState
    from otherminds.worlds.household.scenes.scene import Scene

Out = Annotated[Path, typer.Option("--out", "-o", help="The picture: .svg, or .png.")]
Solid = Annotated[
    bool, typer.Option("--3d", help="A 3-D picture from above (.png); needs the extra '3d' (MuJoCo).")
]
Agent = Annotated[str, typer.Option("--agent", help="With --3d: what this agent sees at the start.")]


@scenes_app.command("show")
def show_scene(
    name: Annotated[str, typer.Argument(help="A shipped scene, or a scene file.")],
    out: Out,
    solid: Solid = False,
    agent: Agent = "",
) -> None:
    """Draw a house: as a map, or in 3-D."""
    from otherminds.reports.household.taking import at_start
    from otherminds.worlds.household.scenes.load import load_scene

    scene = load_scene(name)
    draw(scene, at_start(scene, agents=bool(agent)), out, agent, solid=solid)


@tasks_app.command("show")
def show_task(
    name: Annotated[str, typer.Argument(help="A shipped task, or a task file.")],
    out: Out,
    solid: Solid = False,
    agent: Agent = "",
) -> None:
    """Draw a task as it starts: its agents, what each sees and knows; as a map, or in 3-D."""
    from otherminds.reports.household.taking import taken
    from otherminds.worlds.household.engine import Engine
    from otherminds.worlds.household.tasks.load import playable

    house = playable(name)
    draw(house.scene, taken(Engine(house)), out, agent, solid=solid)


def draw(scene: Scene, state: MapState, out: Path, agent: str, *, solid: bool) -> None:
    """Writes a map, or with ``solid`` a 3-D picture, and says where.

    Raises:
        StudyError: the file's ending or an option does not fit, it cannot be written, or MuJoCo is lacking.
    """
    from otherminds.core.errors import StudyError

    kinds = (".png",) if solid else (".svg", ".png")
    if out.suffix not in kinds:
        raise StudyError(f"{out}: this picture is a {' or a '.join(kinds)}")
    if agent and not solid:
        raise StudyError(f"--agent {agent}: a map shows all agents; with --3d a picture shows what one sees")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if solid:
            from otherminds.reports.household.renderers import renderers

            renderers.get("mujoco")(scene, state, out, agent)
        elif out.suffix == ".svg":
            from otherminds.reports.household.svg import map_svg

            out.write_text(map_svg(scene, state), encoding="utf-8")
        else:
            from otherminds.reports.household.png import map_png

            map_png(scene, state).save(out, optimize=True)
    except OSError as error:
        raise StudyError(f"{out}: cannot be written ({error.strerror})") from error
    typer.echo(out)
