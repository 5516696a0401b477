"""Are the tests able to fail? Small errors are put into the package, and the tests must notice each.

A mutant is one change of one operator, constant or condition in a line of code. Sites are drawn at random, as many
in each package as its share of all sites, but at least two. For each, the test file of the same name and the doctests
of the file run first, then all tests of the package or world. A mutant that passes both is a survivor and is listed:
either a test is missing, or the change does not matter (an equal program, or only a speed).
"""

from __future__ import annotations

import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from common import arguments, finish, show

ROOT = Path(__file__).parent.parent
PACKAGE = Path("src/otherminds")
PARTS = ("core", "games", "play", "measures", "epistemic", "worlds", "minds")
SWAPS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.And: (" and ", " or "),
    ast.Or: (" or ", " and "),
    ast.In: (" in ", " not in "),
    ast.NotIn: (" not in ", " in "),
}
LONGEST = 1200
NO_TESTS = 5


class Mutant(NamedTuple):
    """A change of one line (from 0) of a file: columns ``start`` to ``end`` become ``new``."""

    path: Path
    line: int
    start: int
    end: int
    new: str

    def apply(self, root: Path) -> str:
        """Writes the change into the copy at ``root``; returns the line before and after."""
        lines = (ROOT / self.path).read_text().split("\n")
        old = lines[self.line]
        lines[self.line] = old[: self.start] + self.new + old[self.end :]
        (root / self.path).write_text("\n".join(lines))
        return f"`{old.strip()}` → `{lines[self.line].strip()}`"


def mutants(path: Path) -> Iterator[Mutant]:
    """All mutants of a file, in the order of its syntax tree."""
    text = (ROOT / path).read_text()
    lines = text.split("\n")
    if not text.isascii():
        return
    for node in code(ast.parse(text)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from between(path, lines, node.left, node.ops[0], node.comparators[0])
        elif isinstance(node, ast.BinOp):
            yield from between(path, lines, node.left, node.op, node.right)
        elif isinstance(node, ast.BoolOp):
            yield from between(path, lines, node.values[0], node.op, node.values[1])
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield Mutant(path, node.lineno - 1, node.col_offset, node.operand.col_offset, "")
        elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):
            new = str(not node.value) if isinstance(node.value, bool) else str(node.value + 1)
            yield Mutant(path, node.lineno - 1, node.col_offset, node.end_col_offset or 0, new)


def between(path: Path, lines: list[str], left: ast.expr, op: ast.AST, right: ast.expr) -> Iterator[Mutant]:
    """The mutant of the operator between two operands on one line, if it has one."""
    if type(op) in SWAPS and left.end_lineno == right.lineno:
        old, new = SWAPS[type(op)]
        at = lines[right.lineno - 1].find(old, left.end_col_offset, right.col_offset)
        if at >= 0:
            yield Mutant(path, right.lineno - 1, at, at + len(old), new)


def code(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run: no annotations, decorators, keywords of classes, or texts of errors."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list") or isinstance(tree, ast.Raise):
            continue
        if name == "keywords" and isinstance(tree, ast.ClassDef):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from code(child)


def drawn(count: int, rng: random.Random) -> list[Mutant]:
    """About ``count`` mutants, in proportion to the sites of the packages."""
    files = {part: sorted((ROOT / PACKAGE / part).rglob("*.py")) for part in PARTS}
    sites = [[m for file in files[part] for m in mutants(file.relative_to(ROOT))] for part in PARTS]
    total = sum(map(len, sites))
    return [m for s in sites for m in rng.sample(s, max(2, round(count * len(s) / total)))]


def notice(root: Path, path: Path) -> str:
    """Which tests notice the change in ``path``: ``file``, ``package``, or an empty text if none does."""
    inner = path.parent.relative_to(PACKAGE)
    package = Path("tests", *inner.parts[: 2 if inner.parts[0] == "worlds" else 1])
    own = Path("tests") / inner / f"test_{path.stem.lstrip('_')}.py"
    if fails(root, [what for what in (own, path) if (root / what).exists()]):
        return "file"
    return "package" if fails(root, [package]) else ""


def fails(root: Path, tests: list[Path]) -> bool:
    """Do ``tests`` fail in the copy at ``root``? Tests that do not end count as failed."""
    command = [sys.executable, "-B", "-m", "pytest", "-x", "--tb=no", *map(str, tests)]
    env = {**os.environ, "PYTHONPATH": str(root / "src")}
    try:
        run = subprocess.run(command, check=False, cwd=root, env=env, capture_output=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return True
    return run.returncode not in (0, NO_TESTS)


def forget_kernels(path: Path) -> None:
    """Deletes the compiled kernels that include ``path``: numba does not see changes of what they import."""
    if path.name in ("_kernel.py", "state.py", "views.py"):
        for compiled in path.parent.glob("__pycache__/*.nb?"):
            compiled.unlink()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--mutants", type=int, default=100, help="how many mutants (default 100)")
    options = parser.parse_args()
    made: Counter[str] = Counter()
    noticed: Counter[tuple[str, str]] = Counter()
    survivors: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "copy"
        for part in (
            "src",
            "tests",
            "pyproject.toml",
            "docs",
            "examples",
            "tools",
            "benchmarks",
            "README.md",
            "requirements",
        ):
            source = ROOT / part
            shutil.copytree(source, root / part) if source.is_dir() else shutil.copy(source, root / part)
        for mutant in drawn(options.mutants, random.Random(options.seed)):
            change = mutant.apply(root)
            forget_kernels(root / mutant.path)
            by = notice(root, mutant.path)
            shutil.copy(ROOT / mutant.path, root / mutant.path)
            forget_kernels(root / mutant.path)
            part = mutant.path.parts[2]
            made[part] += 1
            noticed[part, by] += 1
            print(f"{by or 'SURVIVES':8} {mutant.path}:{mutant.line + 1}: {change}", flush=True)
            if not by:
                survivors.append(f"{mutant.path}:{mutant.line + 1}: {change}")
    rows = [(p, made[p], noticed[p, "file"], noticed[p, "package"], noticed[p, ""]) for p in PARTS]
    rows.append(("all", *(sum(column) for column in list(zip(*rows, strict=True))[1:])))
    show(
        "Mutants", ("package", "mutants", "noticed by the file's tests", "by the package's", "survive"), rows
    )
    for line in survivors:
        print("-", line)
    finish(options, {"mutants": rows[-1][1], "survive": rows[-1][-1]}, ["pytest", "hypothesis"])


if __name__ == "__main__":
    main()
