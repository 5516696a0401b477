"""What every benchmark prints: a readable table, and with ``--json`` one JSON object at the end."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from rich.console import Console
from rich.table import Table


def arguments(about: str | None) -> argparse.ArgumentParser:
    """A parser with the options all benchmarks share."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first episode (default 0)")
    return parser


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Prints a table."""
    table = Table(*columns, title=title, title_justify="left")
    for row in rows:
        table.add_row(*(str(cell) for cell in row))
    Console(width=110).print(table)


def finish(options: argparse.Namespace, figures: dict[str, Any], packages: Sequence[str] = ()) -> None:
    """Prints the JSON object, if it is asked for: figures, units, versions and the seed."""
    if options.json:
        versions = {name: version(name) for name in ("otherminds", "numpy", *packages)}
        versions["python"] = platform.python_version()
        print(json.dumps({"figures": figures, "versions": versions, "seed": options.seed}))
