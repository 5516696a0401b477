"""The command ``otherminds view``: the runs in some folders as pages in a browser."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer


def view(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Folders of runs, or folders with such folders.")
    ],
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 0,
) -> None:
    """Show runs in a browser: verdicts, cells, episodes, transcripts and replays, also while a run goes on.

    The pages are for this machine only, and open no folder but those that are named. Nothing is written into a run; an index of its
    episodes lies in the user's cache. Needs the extra web.

    \b
    Examples:
      otherminds view runs
      otherminds view runs/first runs/second --port 8000
    """
    from otherminds.web.server import check_extra, serve

    check_extra("view needs")
    from otherminds.web.view_pages import make_app
    from otherminds.web.viewed_runs import Gallery, find_cache

    gallery = Gallery(folders, find_cache())
    with serve(lambda: make_app(gallery), "127.0.0.1", port, ()) as base:
        gallery.start()
        typer.echo(f"{base}/")
        typer.echo("Open the link in a browser. Ctrl-C ends it.")
        try:
            while True:
                time.sleep(3600)
        except KeyboardInterrupt:
            gallery.close()
