"""The commands ``otherminds people ...``: what is done with the data of people after a study, and before it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from otherminds.cli.shared import examples

people_app = typer.Typer(
    help="Studies with people: a data sheet, their decisions as a table, the deletion of a person's data.",
    no_args_is_help=True,
)
Run = Annotated[Path, typer.Argument(help="The folder of a run of `otherminds host`.")]


@people_app.command("export", epilog=examples("otherminds people export runs/people --out decisions.csv"))
def export_people(
    folder: Run,
    out: Annotated[Path, typer.Option("--out", "-o", help="The table: a .csv, .jsonl or .parquet file.")],
) -> None:
    """Write a row for each decision of the people in a run, with its reaction time.

    docs/people.md explains the columns.
    """
    from otherminds.web.people_records import export_decisions

    count = export_decisions(folder, out)
    typer.echo(f"{out}: {count:,} decisions")


@people_app.command("delete", epilog=examples("otherminds people delete runs/people ABCD-EFGH-IJKL-MNOP"))
def delete_data(
    folder: Run,
    code: Annotated[
        str, typer.Argument(help="The code that the person was shown at the end, and sent to you.")
    ],
) -> None:
    """Delete what was recorded of a person: its episodes, replies, answers on pages, and participant label.

    Its episodes count as lost from then on, with the reason. Nothing else has to be given: the code says who it is. The study must
    not be running. Tables that were exported before are not changed.
    """
    from otherminds.web.deletion import delete_person

    label, withdrawn = delete_person(folder, code)
    typer.echo(f"{label}: {withdrawn} records were withdrawn; replies, answers and labels are deleted")


@people_app.command(
    "datasheet",
    epilog=examples(
        "otherminds people datasheet examples/people.toml --protocol examples/people_protocol.toml"
    ),
)
def print_datasheet(
    study: Annotated[Path, typer.Argument(help="A study in which models are called person:LABEL.")],
    protocol: Annotated[Path, typer.Option(help="Its protocol, as for `otherminds host`.")],
) -> None:
    """Print a data sheet of a study for an ethics board, as Markdown.

    It says what is asked, recorded, kept, sent, paid and deleted. What the files cannot tell is marked to be filled in.
    """
    from otherminds.core.errors import StudyError
    from otherminds.studies.file import find_study
    from otherminds.studies.plan import plan_file
    from otherminds.web.datasheet import write_datasheet
    from otherminds.web.people_records import list_people
    from otherminds.web.protocol import read_protocol

    plan = plan_file(find_study(study))
    if not list_people(plan.episodes):
        raise StudyError(f'{plan.name} has no people; name a model person:LABEL, as in model = "person:ann"')
    typer.echo(write_datasheet(plan, read_protocol(protocol)), nl=False)
