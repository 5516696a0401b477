"""The commands of authored pools: ``otherminds pool show``, ``stats``, ``report`` and ``export``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from otherminds.reports.sheets import Sheet

pool_app = typer.Typer(
    help="Authored pools: who wrote each task, from which others, at what cost, and who solves it. "
    "What every pool has is shown by `otherminds tasks browse` and `stats`.",
    no_args_is_help=True,
)

Pool = Annotated[Path, typer.Argument(metavar="POOL", help="The folder of an authored pool.")]


@pool_app.command("show")
def show_pool(pool: Pool) -> None:
    """Show where the tasks of a pool come from: its generations, the attempts that passed each stage, and their cost."""
    from otherminds.household.authoring.pooling.accounts import account_of
    from otherminds.household.reports.authoring.tables import acceptance_sheet, cost_sheet, generations_sheet

    account = account_of(pool)
    _print([generations_sheet(account), acceptance_sheet(account), cost_sheet(account)])


@pool_app.command("stats")
def show_pool_stats(pool: Pool) -> None:
    """Count a pool as the paper does: tables 3 and 7, the pass rate of targets by generation, and the yield of figure 3.

    `otherminds tasks stats` counts the tasks alone, of any pool.
    """
    from otherminds.household.authoring.pooling.accounts import account_of
    from otherminds.household.reports.authoring.tables import cost_sheet, pass_rate_sheet, yield_sheet
    from otherminds.household.reports.composition import composition_sheet

    account = account_of(pool)
    composition = composition_sheet("composition", account.tasks)
    _print([composition, cost_sheet(account), pass_rate_sheet(account), yield_sheet(account)])


@pool_app.command("report")
def report_pools(
    pools: Annotated[list[Path], typer.Argument(metavar="POOL", help="Folders of authored pools.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page.")] = Path("pools.html"),
) -> None:
    """Write one HTML page on one or more pools: yields, pass rates by generation, ablations, and the tables of each.

    Each pool is a row of the ablations (table 9), so that a pool made without a check can be set beside one with it.
    The tasks themselves are shown by `otherminds tasks browse`.
    """
    from otherminds.core.disk import check_file, replace_file
    from otherminds.household.authoring.pooling.accounts import accounts_of
    from otherminds.household.reports.authoring.page import pools_page

    check_file(out)
    replace_file(out, pools_page(accounts_of(pools)))
    typer.echo(out)


@pool_app.command("export")
def export_pool(
    pool: Pool,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the dataset, new or empty.")],
    licence: Annotated[
        str, typer.Option(help="The licence of the tasks, as the card of a dataset names it: cc-by-4.0, mit.")
    ],
    parquet: Annotated[
        bool, typer.Option("--parquet/--no-parquet", help="Also write Parquet; needs the extra 'parquet'.")
    ] = True,
) -> None:
    """Write a pool as a dataset for a hub: JSON lines and Parquet by generation, and a card (README.md).

    `otherminds tasks pack` writes the one file that `otherminds run` plays.
    """
    from otherminds.household.authoring.pooling.accounts import account_of
    from otherminds.household.authoring.pooling.exporting import export

    export(account_of(pool), out, licence, parquet=parquet)
    typer.echo(out)


def _print(sheets: list[Sheet]) -> None:
    """Prints tables with their notes; one without rows is left out."""
    from otherminds.reports.table import sheet_as_text
    from otherminds.studies.terminal import Terminal

    terminal = Terminal()
    for sheet in sheets:
        if sheet.rows:
            terminal.print(sheet_as_text(sheet, terminal.width))
            for note in (*sheet.meanings, *sheet.notes):
                terminal.print(f"  {note}", style="dim", soft_wrap=True)
            terminal.print()
