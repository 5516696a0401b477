"""Counts vague names: variables that are called ``found`` or ``one``, and functions that are bare participles.

    python tools/names.py [FOLDER ...]     # all of src/otherminds by default

Of the assigned variables of dm_env, pyperplan and Axelrod-Python, 0 to 0.7 % are vague. Exit code 1 if all together are above
the limits of this file, which are lowered as names are mended.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

VAGUE = """
found told made known kept named given said shown held taken seen heard left used asked put drawn written loaded wanted got came
went due one some thing things stuff what whole rest more
"""
"""Words that say nothing of the value that they name."""
IRREGULAR = """
built cut drawn found given heard held kept known led left lost made met paid put read said seen sent shown sought spent spelt
split sung taken taught told thought understood won worn written
"""
"""Participles that do not end in ``ed``."""
VAGUE_WORDS, IRREGULAR_PARTICIPLES = frozenset(VAGUE.split()), frozenset(IRREGULAR.split())
MOST_VARIABLES, MOST_FUNCTIONS = 0.01, 0.05
"""The greatest shares of vague variables and of functions that are bare participles."""


class NameCounts(NamedTuple):
    """What is in a folder: its variables and functions, and which of them are vague."""

    variables: int
    vague: Counter[str]
    functions: int
    participles: Counter[str]


def assigned_names(tree: ast.AST) -> Iterator[str]:
    """The names that are assigned, in loops, comprehensions and ``with`` too, and those of parameters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def is_participle(name: str) -> bool:
    """Whether a function is called by one participle.

    >>> is_participle("found"), is_participle("_loaded"), is_participle("load_task"), is_participle("need")
    (True, True, False, False)
    """
    word = name.strip("_")
    return word in IRREGULAR_PARTICIPLES or (
        word.isalpha() and len(word) > 4 and word.endswith("ed") and not word.endswith("eed")
    )


def count_names(folder: Path) -> NameCounts:
    """The names in the files of ``folder`` that git tracks."""
    tracked = subprocess.run(
        ["git", "ls-files", f"{folder}/*.py"], check=True, capture_output=True, text=True
    )
    trees = [ast.parse(Path(name).read_text(encoding="utf-8")) for name in tracked.stdout.splitlines()]
    variables = [name for tree in trees for name in assigned_names(tree) if name not in ("self", "cls", "_")]
    functions = [
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return NameCounts(
        len(variables),
        Counter(name for name in variables if name.strip("_") in VAGUE_WORDS),
        len(functions),
        Counter(name for name in functions if is_participle(name)),
    )


def main() -> None:
    """Prints a line for each folder."""
    root = Path("src/otherminds")
    folders = [Path(name) for name in sys.argv[1:]] or sorted(
        path for path in root.iterdir() if (path / "__init__.py").is_file()
    )
    for folder in (*folders, *([] if sys.argv[1:] else [root])):
        counts = count_names(folder)
        vague, participles = counts.vague.total(), counts.participles.total()
        print(
            f"{folder}: {vague} of {counts.variables} variables ({vague / max(1, counts.variables):.1%}): "
            f"{', '.join(f'{name} {n}' for name, n in counts.vague.most_common(6))}; "
            f"{participles} of {counts.functions} functions ({participles / max(1, counts.functions):.1%})"
        )
    every = count_names(root)
    sys.exit(
        every.vague.total() > MOST_VARIABLES * every.variables
        or every.participles.total() > MOST_FUNCTIONS * every.functions
    )


if __name__ == "__main__":
    main()
