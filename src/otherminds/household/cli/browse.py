"""The command ``otherminds tasks browse``: pools of tasks as one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from otherminds.household.cli.tasks import tasks_app


@tasks_app.command("browse")
def browse_pools(
    pools: Annotated[
        list[str],
        typer.Argument(metavar="POOL", help="Folders of pools, packed pools, or names of included splits."),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The page; by default POOL.html in the present folder.")
    ] = None,
) -> None:
    """Write one HTML page of all tasks: a table with filters, and each task with its map, secrets, proofs and a run.

    The run is that of the team level 3, which shows that the task is fair. Its calls are those of the certificate,
    played again in the simulator; without a certificate, as in a packed pool, the team plays again. The page needs no
    network and no other file.
    """
    from otherminds.core.disk import check_file, replace_file, resolve_path
    from otherminds.household.pool.splits import pool_called
    from otherminds.household.pool.store import PACKED
    from otherminds.household.reports.pool_page import BrowsedPool, as_pool_page

    names = {pool: resolve_path(Path(pool)).name.removesuffix(PACKED) for pool in pools}
    page = out or Path(f"{names[pools[0]]}.html")
    check_file(page)
    if len({*names.values()}) < len(names):
        names = {pool: pool for pool in pools}
    read = [
        BrowsedPool(name, pool_called(pool), Path(pool) if Path(pool).is_dir() else None)
        for pool, name in names.items()
    ]
    replace_file(page, as_pool_page(read))
    typer.echo(page)
