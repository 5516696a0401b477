"""What people type about household tasks and scenes: ``otherminds tasks --help``, ``otherminds scenes --help``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

tasks_app = typer.Typer(help="Household tasks: check, list, calibrate, draw.", no_args_is_help=True)
scenes_app = typer.Typer(help="Houses that tasks happen in.", no_args_is_help=True)

SceneFile = Annotated[
    Path | None,
    typer.Option(
        "--scene",
        help="The scene of these tasks, if it is not a shipped one: a file of ours or a scene graph.",
    ),
]


@tasks_app.command("check")
def check_tasks(
    paths: Annotated[
        list[str], typer.Argument(help="Task files, folders of them, or names of shipped tasks.")
    ],
    scene: SceneFile = None,
) -> None:
    """Say all that is wrong with task files, and what could not be checked. Exit code 2 if anything is wrong.

    A scene that is not shipped may lie beside its task, as SCENE.json or SCENE.json.gz.

    A task without other faults is also played by the reference team that shares all secrets: one that this team
    fails is no test of what agents know of one another.
    """
    from otherminds.core.errors import TaskError
    from otherminds.worlds.household.calibrate import trouble
    from otherminds.worlds.household.tasks.load import holds_scene, house_of, is_shipped, tasks_in
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
            house, account = house_of(name, own)
        except TaskError as error:
            wrong += 1
            typer.echo(str(error) if str(error).startswith(name) else f"{name}: {error}")
            continue
        faults = account.faults or (trouble(house) if house else ())
        wrong += bool(faults)
        for fault in faults:
            typer.echo(f"{name}: {fault}")
        for lack in account.missing:
            typer.echo(f"{name}: not checked: {lack}")
        for note in account.notes:
            typer.echo(f"{name}: note: {note}")
        if not faults and house:
            typer.echo(f"{name}: no fault found")
        elif not faults:
            typer.echo(f"{name}: no fault in what was checked, and it cannot be played without its scene")
    if wrong:
        raise typer.Exit(2)


@tasks_app.command("list")
def list_tasks() -> None:
    """List the shipped tasks with scene, agents, category and depth."""
    from otherminds.epistemic.formula import depth
    from otherminds.epistemic.parse import goal_of
    from otherminds.worlds.household.tasks.load import load_task, shipped_tasks

    for name in shipped_tasks():
        task = load_task(name)
        about = f"{task.num_agents} agents, {task.category}, depth {depth(goal_of(task.problem_pddl))}"
        typer.echo(f"{name:<32} {task.scene_id:<28} {about:<34} {task.title}")


@tasks_app.command("calibrate")
def calibrate_task(
    path: Annotated[str, typer.Argument(help="A task file, or the name of a shipped task.")],
    scene: SceneFile = None,
) -> None:
    """Say how many turns and messages the reference team takes that shares all secrets. Exit code 2 if it fails."""
    from otherminds.worlds.household.calibrate import calibrated
    from otherminds.worlds.household.tasks.load import playable
    from otherminds.worlds.household.tasks.things import from_file

    took = calibrated(playable(path, from_file(scene) if scene else None))
    typer.echo(
        f"{path}: {'solved' if took.solved else 'not solved'}, {took.turns} turns, {took.messages} messages"
    )
    if not took.solved:
        raise typer.Exit(2)


@scenes_app.command("list")
def list_scenes() -> None:
    """List the shipped scenes with their rooms."""
    from otherminds.worlds.household.scenes.load import load_scene, shipped_scenes

    for name in shipped_scenes():
        scene = load_scene(name)
        counts = f"{len(scene.furniture)} pieces of furniture, {len(scene.objects)} objects"
        typer.echo(f"{name:<40} {len(scene.rooms)} rooms, {counts}: {', '.join(scene.rooms)}")
