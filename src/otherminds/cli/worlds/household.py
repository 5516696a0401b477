"""The commands of the household: ``otherminds tasks --help``, ``otherminds scenes --help``."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from otherminds.cli.worlds import commands

if TYPE_CHECKING:
    from otherminds.reports.household.state import MapState
    from otherminds.worlds.household.scenes.scene import Scene

tasks_app = typer.Typer(help="Household tasks: check, list, calibrate, convert, show.", no_args_is_help=True)
scenes_app = typer.Typer(help="The houses of household tasks.", no_args_is_help=True)
commands.add("tasks", tasks_app)
commands.add("scenes", scenes_app)

MOST = 50
"""Errors of a task that are listed; the others are counted."""

SceneFile = Annotated[
    Path | None,
    typer.Option(
        "--scene",
        help="The scene of these tasks, if it is not included: a scene file, or a scene graph of the release.",
    ),
]
Out = Annotated[Path, typer.Option("--out", "-o", help="The picture: .svg, or .png.")]
Solid = Annotated[
    bool, typer.Option("--3d", help="A 3-D picture from above (.png); needs the extra '3d' (MuJoCo).")
]
Agent = Annotated[str, typer.Option("--agent", help="With --3d: what this agent sees at the start.")]


@tasks_app.command("check")
def check_tasks(
    paths: Annotated[
        list[str], typer.Argument(help="Task files, folders of task files, or names of included tasks.")
    ],
    scene: SceneFile = None,
) -> None:
    """List all errors in task files, and what could not be checked. Exit code 2 if there is an error.

    A scene of your own can be next to its task, as SCENE.json or SCENE.json.gz.

    For each task without errors, it prints whether the task is verified (its secrets agree with their formulas) and
    calibrated (its plan reaches the goal in the simulator). Neither is required.
    """
    from otherminds.core.errors import TaskError
    from otherminds.worlds.household.calibrate import calibration_faults, said
    from otherminds.worlds.household.tasks.check_told import verified
    from otherminds.worlds.household.tasks.load import holds_scene, is_shipped, loaded, tasks_in
    from otherminds.worlds.household.tasks.things import from_file

    own = from_file(scene) if scene else None
    wrong = 0
    names: list[str] = []
    # A pattern of the shell names the scenes beside the tasks too.
    for path in [path for path in paths if not holds_scene(Path(path))] or paths:
        try:
            names += [path] if is_shipped(path) else map(str, tasks_in(Path(path)))
        except TaskError as error:
            wrong += 1
            typer.echo(f"otherminds: {error}", err=True)
    for name in names:
        try:
            found = loaded(name, own)
        except TaskError as error:
            wrong += 1
            typer.echo(str(error) if str(error).startswith(name) else f"{name}: {error}")
            continue
        house, account = found.house(), found.account
        faults = account.faults or (calibration_faults(house) if house else ())
        wrong += bool(faults)
        _list(name, faults)
        _list(f"{name}: not checked", account.missing)
        _list(f"{name}: note", account.notes)
        if not faults:
            partly = "no fault in what was checked, and it cannot be played without its scene"
            typer.echo(f"{name}: {'no fault found' if house else partly}")
            typer.echo(f"{name}: {verified(found.task)}")
            typer.echo(f"{name}: {said(found.task)}")
    if wrong:
        raise typer.Exit(2)


@tasks_app.command("list")
def list_tasks() -> None:
    """List the included tasks with scene, agents, category and depth."""
    from otherminds.epistemic.formula import depth
    from otherminds.epistemic.parse import goal_of
    from otherminds.worlds.household.tasks.load import load_task, shipped_tasks

    for name in shipped_tasks():
        task = load_task(name)
        about = f"{task.num_agents} agents, {task.category}, depth {depth(goal_of(task.problem_pddl))}"
        typer.echo(f"{name:<32} {task.scene_id:<28} {about:<34} {task.title}")


@tasks_app.command("calibrate")
def calibrate_task(
    path: Annotated[str, typer.Argument(help="A task file, or the name of an included task.")],
    scene: SceneFile = None,
    seconds: Annotated[
        float, typer.Option(help="Maximum processor time of one search of the planner.", min=1.0)
    ] = 60.0,
    write: Annotated[bool, typer.Option("--write", help="Write the plan into the task file.")] = False,
) -> None:
    """Find the shortest plan if all secrets are public, in joint turns, and replay it. Exit code 2 if there is none.

    Needs the planner Fast Downward: pip install 'otherminds[verify]'.
    """
    import msgspec

    from otherminds.core.errors import TaskError
    from otherminds.worlds.household.calibrate import in_words
    from otherminds.worlds.household.planning.planned import planned
    from otherminds.worlds.household.tasks.load import is_shipped, playable, read_ours
    from otherminds.worlds.household.tasks.publish import replace, with_field
    from otherminds.worlds.household.tasks.things import from_file

    if write and is_shipped(path):
        raise TaskError(f"{path}: a shipped task is not written to; give --write a file")
    text = read_ours(Path(path)) if write else ""
    found = planned(playable(path, from_file(scene) if scene else None), seconds)
    if found.calibration is None:
        least = f"; no plan takes fewer than {found.least} turns" if found.least else ""
        typer.echo(f"{path}: not calibrated: {found.why}{least}")
        raise typer.Exit(2)
    typer.echo(f"{path}: {in_words(found.calibration)}")
    for number, calls in enumerate(found.calibration.plan):
        typer.echo(f"  {number}  {'  '.join(calls)}")
    if write:
        replace(Path(path), with_field(text, "calibration", msgspec.to_builtins(found.calibration)))
        typer.echo(f"written to {path}")


class TaskForm(StrEnum):
    """The forms of a task file."""

    OURS = "ours"
    PUBLIC = "public"


@tasks_app.command("convert")
def convert_task(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="A task file in either format, or the name of an included task."),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; it must not exist.")],
    to: Annotated[
        TaskForm,
        typer.Option(
            help="The format of OUT: of Other Minds (ours), or of the public release of EnactToM (public)."
        ),
    ] = TaskForm.OURS,
    scene: SceneFile = None,
) -> None:
    """Convert a task between the format of Other Minds and that of the public release.

    Every change is reported. Content for which the other format has no field is kept (in the format of Other Minds
    under release). A task with errors is not written; all errors are listed, with exit code 2.
    """
    from otherminds.core.errors import TaskError
    from otherminds.worlds.household.tasks.load import loaded
    from otherminds.worlds.household.tasks.publish import ours, published, replace, written
    from otherminds.worlds.household.tasks.things import from_file

    if target.exists():
        raise TaskError(f"{target}: there is such a file already; name another, or take it away")
    if not target.parent.is_dir():
        raise TaskError(f"{target}: there is no folder {target.parent}; make it")
    found = loaded(source, from_file(scene) if scene else None)
    _list(source, found.account.faults)
    if found.account.faults:
        raise TaskError(f"{source}: {len(found.account.faults)} fault(s); nothing was written")
    _list(f"{source}: note", found.account.notes)
    data = published(found.task) if to is TaskForm.PUBLIC else ours(found.task)
    try:
        replace(target, written(data) + "\n")
    except OSError as error:
        raise TaskError(f"{target}: cannot be written ({error.strerror})") from error
    form = "the form of the public release" if to is TaskForm.PUBLIC else "our form"
    typer.echo(f"{target}: written in {form}")


def _list(head: str, lines: Iterable[object]) -> None:
    listed = list(lines)
    for line in listed[:MOST]:
        typer.echo(f"{head}: {line}")
    if len(listed) > MOST:
        typer.echo(f"{head}: and {len(listed) - MOST} more")


@scenes_app.command("list")
def list_scenes() -> None:
    """List the included scenes with their rooms."""
    from otherminds.worlds.household.scenes.load import load_scene, shipped_scenes

    for name in shipped_scenes():
        scene = load_scene(name)
        counts = f"{len(scene.furniture)} pieces of furniture, {len(scene.objects)} objects"
        typer.echo(f"{name:<40} {len(scene.rooms)} rooms, {counts}: {', '.join(scene.rooms)}")


@scenes_app.command("objects")
def list_objects(name: Annotated[str, typer.Argument(help="An included scene, or a scene file.")]) -> None:
    """List the names of the furniture and objects of a house by room, with what can be done with them."""
    from otherminds.reports.household.listing import listed
    from otherminds.worlds.household.scenes.load import load_scene

    for line in listed(load_scene(name)):
        typer.echo(line)


@scenes_app.command("show")
def show_scene(
    name: Annotated[str, typer.Argument(help="An included scene, or a scene file.")],
    out: Out,
    solid: Solid = False,
    agent: Agent = "",
) -> None:
    """Draw a house as a map or in 3-D."""
    from otherminds.reports.household.state import at_start
    from otherminds.worlds.household.scenes.load import load_scene

    scene = load_scene(name)
    draw(scene, at_start(scene, agents=bool(agent)), out, agent, solid=solid)


@tasks_app.command("show")
def show_task(
    name: Annotated[str, typer.Argument(help="An included task, or a task file.")],
    out: Out,
    solid: Solid = False,
    agent: Agent = "",
) -> None:
    """Draw the start of a task, with what each agent sees and knows, as a map or in 3-D."""
    from otherminds.reports.household.state import taken
    from otherminds.worlds.household.engine import HouseEngine
    from otherminds.worlds.household.tasks.load import playable

    house = playable(name)
    draw(house.scene, taken(HouseEngine(house)), out, agent, solid=solid)


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
            from otherminds.reports.household.state import renderers

            renderers.get("mujoco")(scene, state, out, agent)
        elif out.suffix == ".svg":
            from otherminds.reports.household.svg import map_svg

            replace_file(out, map_svg(scene, state))
        else:
            from otherminds.reports.household.png import map_png

            map_png(scene, state).save(out, optimize=True)
    except OSError as error:
        raise StudyError(f"{out}: cannot be written ({error.strerror})") from error
    typer.echo(out)
