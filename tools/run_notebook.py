"""Runs the code cells of a notebook without Jupyter: ``python tools/run_notebook.py FILE.ipynb``.

Cells run one after the other in one namespace, on an event loop, as in a kernel. The value of a
cell's last line is printed. An error ends the script.
"""

from __future__ import annotations

import ast
import asyncio
import json
import sys
from pathlib import Path
from typing import Any


def run_cell(source: str, namespace: dict[str, Any]) -> None:
    """Runs one cell, and prints the value of its last line where that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), namespace)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), namespace)
        if value is not None:
            print(value)
            getattr(value, "_repr_html_", str)()


async def main(path: Path) -> None:
    """Runs the notebook at ``path``."""
    namespace: dict[str, Any] = {"__name__": "notebook"}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            print(f"\n>>> {source}")
            run_cell(source, namespace)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
