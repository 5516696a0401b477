"""The commands of household tasks: ``otherminds tasks --help``."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from otherminds.cli.shared import (
    AllowHost,
    MaxCost,
    MaxTokens,
    Prices,
    RenamedCommand,
    examples,
    listed,
    seed_option,
)
from otherminds.household.cli.options import refuse_existing
from otherminds.household.cli.scenes import Agent, Out, Solid, draw

if TYPE_CHECKING:
    from otherminds.household.house import House
    from otherminds.household.proofs.verification import Verification

tasks_app = typer.Typer(
    help="Household tasks: check, list, calibrate, verify, judge, convert, export, show.",
    no_args_is_help=True,
)

for _name in ("browse", "generate", "pack", "stats"):
    RenamedCommand(f"tasks {_name}", f"pools {_name}").add_to(tasks_app)

MOST = 50
"""Errors of a task that are listed; the others are counted."""

SceneFile = Annotated[
    Path | None,
    typer.Option(
        "--scene",
        help="The scene of these tasks, if it is not included: a scene file, or a scene graph of the release.",
    ),
]


@tasks_app.command("check", epilog=examples("otherminds tasks check cabinet_confirmation"))
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
    from otherminds.household.calibrate import calibration_faults, describe_calibration
    from otherminds.household.tasks.check_told import verified
    from otherminds.household.tasks.diagnostics import from_file
    from otherminds.household.tasks.load import holds_scene, is_shipped, loaded, tasks_in

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
            task_file = loaded(name, own)
        except TaskError as error:
            wrong += 1
            typer.echo(str(error) if str(error).startswith(name) else f"{name}: {error}")
            continue
        house, account = task_file.house(), task_file.account
        faults = account.faults or (calibration_faults(house) if house else ())
        wrong += bool(faults)
        _list(name, faults)
        _list(f"{name}: not checked", account.missing)
        _list(f"{name}: note", account.notes)
        if not faults:
            partly = "no fault in what was checked, and it cannot be played without its scene"
            typer.echo(f"{name}: {'no fault found' if house else partly}")
            typer.echo(f"{name}: {verified(task_file.task)}")
            typer.echo(f"{name}: {describe_calibration(task_file.task)}")
    if wrong:
        raise typer.Exit(2)


@tasks_app.command("list", epilog=examples("otherminds tasks list", "otherminds tasks list --split dev"))
def list_tasks(
    split: Annotated[
        str,
        typer.Option(
            help="List this split instead (standard, hard, dev), or the pool in this folder or file."
        ),
    ] = "",
) -> None:
    """List the included tasks, or those of a split, with scene, agents, category, pattern and depth."""
    from otherminds.household.epistemic.formula import depth
    from otherminds.household.epistemic.parse import goal_of
    from otherminds.household.pool.store import pool_called
    from otherminds.household.tasks.load import load_task, shipped_tasks

    tasks = [entry.task for entry in pool_called(split)] if split else map(load_task, shipped_tasks())
    for task in tasks:
        kind = f"{task.category} ({task.pattern})" if task.pattern else task.category
        about = f"{task.num_agents} agents, {kind}, depth {depth(goal_of(task.problem_pddl))}"
        typer.echo(f"{task.task_id:<32} {task.scene_id:<28} {about:<34} {task.title}")


@tasks_app.command("calibrate", epilog=examples("otherminds tasks calibrate cabinet_confirmation"))
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
    from otherminds.household.calibrate import in_words
    from otherminds.household.planning.planned import planned
    from otherminds.household.tasks.load import is_shipped, read_ours
    from otherminds.household.tasks.publish import replace, with_field

    if write and is_shipped(path):
        raise TaskError(f"{path}: a shipped task is not written to; give --write a file")
    text = read_ours(Path(path)) if write else ""
    outcome = planned(_open_house(path, scene), seconds)
    if outcome.calibration is None:
        least = f"; no plan takes fewer than {outcome.least} turns" if outcome.least else ""
        typer.echo(f"{path}: not calibrated: {outcome.why}{least}")
        raise typer.Exit(2)
    if write:  # before anything is printed, since the reader of a pipe may leave
        replace(Path(path), with_field(text, "calibration", msgspec.to_builtins(outcome.calibration)))
    typer.echo(f"{path}: {in_words(outcome.calibration)}")
    for number, calls in enumerate(outcome.calibration.plan):
        typer.echo(f"  {number}  {'  '.join(calls)}")
    if write:
        typer.echo(f"written to {path}")


@tasks_app.command(
    "verify", epilog=examples("otherminds tasks verify cabinet_confirmation --certificate proof.json.gz")
)
def verify_task(
    path: Annotated[str, typer.Argument(help="A task file, or the name of an included task.")],
    scene: SceneFile = None,
    seconds: Annotated[
        float, typer.Option(help="Maximum processor time of one search of the planner.", min=1.0)
    ] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON.")] = False,
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="Write the certificate, a file .json or .json.gz, for --check and python -m otherminds.household.epistemic.check."
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            help="Prove nothing; check this certificate: its claims, its episodes by playing them again, whether it is about this task, and whether it shows all due verdicts. Needs no planner."
        ),
    ] = None,
) -> None:
    """Prove that a task can be solved, that it needs messages, each of its agents and its barred rooms, and that it is fair.

    Also proved: that no lower depth of the question suffices.

    A task is fair if the reference team of level 3 solves it in 3 of 3 runs with private information. Each verdict is
    proved and checked (an independent check accepts its evidence), proved by planner, refuted or unknown. Exit code 0
    if all verdicts that decide about the task are proved, else 1; verdicts in brackets do not decide. With --check, 0 if all
    due verdicts are shown. Needs the planner Fast Downward: pip install 'otherminds[verify]'.
    """
    import gzip

    import msgspec

    from otherminds.core.disk import check_file, replace_file
    from otherminds.core.errors import StudyError
    from otherminds.core.text import escape_bytes
    from otherminds.household.proofs.verdicts import verified

    if certificate is not None:
        if not certificate.name.endswith((".json", ".json.gz")):
            raise StudyError(f"{certificate}: a certificate is a file .json or .json.gz")
        check_file(certificate)
    house = _open_house(path, scene)
    if check is not None:
        _check(house, check)
        return
    verification = verified(house, seconds)
    if certificate is not None:
        raw = msgspec.json.encode(verification.certificate)
        replace_file(certificate, gzip.compress(raw, mtime=0) if certificate.suffix == ".gz" else raw)
    if as_json:
        summary = {
            "task": escape_bytes(path),
            "holds": verification.holds,
            "verdicts": verification.verdicts,
            "levels": verification.levels,
        }
        typer.echo(msgspec.json.encode(summary).decode())
    else:
        _table(path, verification)
    if not verification.holds:
        raise typer.Exit(1)


def _open_house(path: str, scene: Path | None) -> House:
    """The house of a task that can be played, in the scene of a file if one is given."""
    from otherminds.household.tasks.diagnostics import from_file
    from otherminds.household.tasks.load import playable

    return playable(path, from_file(scene) if scene else None)


def _check(house: House, certificate: Path) -> None:
    """Prints a line for each claim and each episode, and for each due verdict that is not shown; exit code 1 if one is not."""
    from otherminds.core.disk import read_file
    from otherminds.core.errors import StudyError
    from otherminds.household.epistemic.check import RejectedError, lines, read_certificate
    from otherminds.household.proofs.matching import check_for

    try:
        report = check_for(house, raw := read_file(certificate))
    except RejectedError as error:
        raise StudyError(f"{certificate}: {error}") from None
    for line in lines(report, read_certificate(raw).claims):
        typer.echo(line.encode("unicode_escape").decode())
    if not report.accepted:
        raise typer.Exit(1)


def _table(path: str, verification: Verification) -> None:
    from otherminds.household.cli.printing import draw_table
    from otherminds.studies.progress import Terminal

    table = draw_table(path, "verdict", "status", "what was shown")
    for verdict in verification.verdicts:
        table.add_row(verdict.name if verdict.decisive else f"({verdict.name})", verdict.status, verdict.says)
    terminal = Terminal()
    terminal.print(table)
    proved = sum(verdict.proved for verdict in verification.verdicts if verdict.decisive)
    every = sum(verdict.decisive for verdict in verification.verdicts)
    terminal.print(f"{proved} of {every} verdicts that decide about the task are proved", soft_wrap=True)


@tasks_app.command(
    "judge",
    epilog=examples(
        "otherminds tasks judge cabinet_confirmation --judges scripted_judge:0.1,scripted_judge:0.2"
    ),
)
def judge_task(
    task: Annotated[
        str, typer.Argument(help="A task file, or the name of an included task; not with --planted.")
    ] = "",
    judges: Annotated[
        str,
        typer.Option(help="Two models or more, with commas. Without judges, only the checks are made."),
    ] = "",
    rule: Annotated[
        str,
        typer.Option(
            help="paper: each judge has a mean of .65 and no criterion below .5; median: most judges, each with a line of the task."
        ),
    ] = "paper",
    planted: Annotated[
        int, typer.Option(min=0, help="Measure the judges on this many sound tasks with each fault planted.")
    ] = 0,
    seed: Annotated[int, seed_option("The seed of the judges' calls.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="A folder for the calls and report.json. The same command resumes in it."
        ),
    ] = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    prices: Prices = None,
    allow_host: AllowHost = None,
) -> None:
    """Judge a task by a council of models, beside what is proved about it.

    Printed are the checks, the scores with reasons and required changes, and each disagreement between a judge and a proof.
    With --planted, judges are measured instead: how many planted faults they catch, how many sound tasks they reject, how
    well they agree with proofs, and to how many independent judges they amount. Without any model:
    --judges scripted_judge:0.1,scripted_judge:0.2. Needs the planner Fast Downward: pip install 'otherminds[verify]'.

    Exit codes: 0 accepted by checks and judges, or measured; 1 rejected, or a limit was reached; 2 a wrong argument or
    file; 3 no reply of a judge could be read.
    """
    from otherminds.core.errors import StudyError
    from otherminds.household.cli.judging import Judging, measure, review
    from otherminds.models.hosts import allowed_hosts
    from otherminds.studies.access import Limits, load_prices

    if bool(task) == bool(planted):
        raise StudyError("give either a task, or --planted with a number")
    names = listed(judges)
    if len(names) == 1 or (planted and not names):
        raise StudyError("a council has at least 2 judges; name them with commas: --judges A,B")
    limits = Limits(max_cost, max_tokens, load_prices(prices) if prices else {})
    judging = Judging(names, rule, seed, out, limits, allowed_hosts(allow_host or ()))
    code = measure(planted, judging) if planted else review(task, judging)
    if code:
        raise typer.Exit(code)


class TaskForm(StrEnum):
    """The forms of a task file."""

    OURS = "ours"
    PUBLIC = "public"


@tasks_app.command(
    "convert",
    epilog=examples("otherminds tasks convert cabinet_confirmation --to public --out released.json"),
)
def convert_task(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="A task file in either format, or the name of an included task."),
    ],
    target: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="The file to write; it must not exist. With --house, IN_house.json by default.",
        ),
    ] = None,
    to: Annotated[
        TaskForm,
        typer.Option(
            help="The format of OUT: of Other Minds (ours), or of the public release of EnactToM (public)."
        ),
    ] = TaskForm.OURS,
    scene: SceneFile = None,
    house: Annotated[
        bool,
        typer.Option(
            "--house",
            help="For a task whose scene is not at hand: build a plain house from the names in the task, and write it next to OUT.",
        ),
    ] = False,
) -> None:
    """Convert a task between the format of Other Minds and that of the public release.

    Every change is reported. Content for which the other format has no field is kept (in the format of Other Minds
    under release). A task with errors is not written; all errors are listed, with exit code 2.

    Secrets without formulas are read, as far as the rest of the file agrees with them; each sentence that is left is
    listed, with formulas to confirm if the file suggests any.
    """
    import msgspec

    from otherminds.core.errors import StudyError, TaskError
    from otherminds.household.tasks.diagnostics import from_file
    from otherminds.household.tasks.load import loaded
    from otherminds.household.tasks.publish import ours, published, replace, written
    from otherminds.household.tasks.release import read_release

    if house and (scene is not None or to is TaskForm.PUBLIC):
        raise StudyError("--house builds the scene of a task in our form; leave --scene and --to out")
    if target is None and not house:
        raise StudyError("name the file to write: --out FILE")
    target = target or Path(f"{source.removesuffix('.json')}_house.json")
    beside = target.with_name(f"{target.name.removesuffix('.json')}_scene.json")
    for file in (target, beside) if house else (target,):
        refuse_existing(file)
    if not target.parent.is_dir():
        raise TaskError(f"{target}: there is no folder {target.parent}; make it")
    own = from_file(scene) if scene else None
    if to is TaskForm.PUBLIC:
        plain = loaded(source, own)
        account, task, built_scene, open_sentences = plain.account, plain.task, None, ()
    else:
        release = read_release(source, own, beside.name.removesuffix(".json") if house else "")
        account, task, built_scene, open_sentences = (
            release.account,
            release.task,
            release.scene,
            release.open,
        )
    _list(source, account.faults)
    if account.faults:
        raise TaskError(f"{source}: {len(account.faults)} fault(s); nothing was written")
    _list(f"{source}: note", account.notes)
    _list(f"{source}: to confirm", open_sentences)
    data = published(task) if to is TaskForm.PUBLIC else ours(task)
    try:
        if built_scene is not None:
            replace(beside, msgspec.json.encode(built_scene).decode() + "\n")
        replace(target, written(data) + "\n")
    except OSError as error:
        raise TaskError(f"{target}: cannot be written ({error.strerror})") from error
    form = "the form of the public release" if to is TaskForm.PUBLIC else "our form"
    typer.echo(f"{target}: written in {form}{f', with its house in {beside}' if house else ''}")


@tasks_app.command("export", epilog=examples("otherminds tasks export cabinet_confirmation --out pddl"))
def export_task(
    path: Annotated[str, typer.Argument(help="A task file, or the name of an included task.")],
    pddl: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Write domain.pddl and problem.pddl into this folder, which is made if it does not exist.",
        ),
    ],
    scene: SceneFile = None,
) -> None:
    """Export a task for a classical planner: its goal with knowledge compiled away (appendix E of the paper).

    Facts and limits of messages are fluents; what an agent looks at, does or says is an action. A look costs nothing, an
    act or a message costs one. The goal is the shared goal.
    """
    from otherminds.core.disk import replace_file
    from otherminds.core.errors import StudyError
    from otherminds.household.epistemic.pddl import Written
    from otherminds.household.proofs.exported import exported

    problem = exported(_open_house(path, scene))
    texts = Written(problem, problem.goal)
    try:
        pddl.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudyError(f"{pddl}: cannot be made ({error.strerror})") from error
    for name, text in (("domain", texts.domain), ("problem", texts.problem)):
        replace_file(pddl / f"{name}.pddl", text)
        typer.echo(pddl / f"{name}.pddl")


def _list(head: str, lines: Iterable[object]) -> None:
    listed = list(lines)
    for line in listed[:MOST]:
        typer.echo(f"{head}: {line}")
    if len(listed) > MOST:
        typer.echo(f"{head}: and {len(listed) - MOST} more")


@tasks_app.command("show", epilog=examples("otherminds tasks show cabinet_confirmation --out house.svg"))
def show_task(
    name: Annotated[str, typer.Argument(help="An included task, or a task file.")],
    out: Out,
    solid: Solid = False,
    agent: Agent = "",
) -> None:
    """Draw the start of a task, with what each agent sees and knows, as a map or in 3-D."""
    from otherminds.household.engine import HouseEngine
    from otherminds.household.reports.state import taken
    from otherminds.household.tasks.load import playable

    house = playable(name)
    draw(house.scene, taken(HouseEngine(house)), out, agent, solid=solid)
