"""Planning tasks in finite-domain form (SAS+), and Fast Downward's search as a subprocess with resource limits.

The program is part of the wheel ``up-fast-downward`` (extra ``verify``); it is under the GPL and is never imported. Exit
codes are interpreted as in its documentation: only 11 proves that a task has no plan. The text of a task is version 3 of
the translator's output (Helmert, The Fast Downward Planning System, JAIR 26, 2006).
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen, TimeoutExpired
from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.core.errors import InternalError, StudyError

INSTALL = "pip install 'otherminds[verify]'"
PROGRAM = Path("downward") / "builds" / "release" / "bin" / "downward"
OPERATOR = re.compile(r"^begin_operator\n(.*)\n(?:[-\d ]+\n)*?(\d+)\nend_operator$", re.MULTILINE)
GRACE = 5.0
"""Additional seconds of wall-clock time."""
PLANNED, UNSOLVABLE = 0, 11
STOPPED = {12: "search gave up without a proof", 22: "out of memory", 23: "out of time", 24: "out of both"}
"""Exit codes that prove nothing."""
LAYER = re.compile(r"\bf = (\d+)")

Verdict: TypeAlias = Literal["plan", "unsolvable", "unknown"]


Value = tuple[int, int]
"""A variable and the number of one of its values."""


class PlanningOperator(Struct, frozen=True):
    """Applicable where all ``preconditions`` hold; then every variable of ``effects`` takes its value.

    ``name`` has no line break. ``cost`` is a non-negative integer.
    """

    name: str
    preconditions: tuple[Value, ...]
    effects: tuple[Value, ...]
    cost: int = 0


class SasTask(Struct, frozen=True):
    """Variable ``v`` has the values 0 to ``sizes[v] - 1`` and starts with ``start[v]``."""

    sizes: tuple[int, ...]
    start: tuple[int, ...]
    goal: tuple[Value, ...]
    operators: tuple[PlanningOperator, ...]

    def text(self) -> str:
        """The task in the input format of the search program."""
        lines = [*_block("version", ["3"]), *_block("metric", ["1"]), str(len(self.sizes))]
        for variable, size in enumerate(self.sizes):
            values = [f"Atom v{variable}({value})" for value in range(size)]
            lines += _block("variable", [f"var{variable}", "-1", str(size), *values])
        lines += ["0", *_block("state", map(str, self.start))]
        lines += _block("goal", [str(len(self.goal)), *(f"{var} {value}" for var, value in self.goal)])
        lines.append(str(len(self.operators)))
        for operator in self.operators:
            lines += _block("operator", _operator(operator))
        return "\n".join([*lines, "0", ""])


class SearchResult(Struct, frozen=True):
    """The result of a search.

    ``steps`` are the names of a plan's operators, and ``cost`` is their total cost. ``least`` is a lower bound on the cost
    of every plan: that of the plan itself if the search was optimal and ended. ``why`` is the reason for the verdict
    ``unknown``.
    """

    verdict: Verdict
    steps: tuple[str, ...] = ()
    cost: int = 0
    least: int = 0
    why: str = ""


def program() -> Path | None:
    """The search program; ``None`` if the extra ``verify`` is not installed."""
    spec = find_spec("up_fast_downward")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / PROGRAM
    return path if path.is_file() else None


def solve(task: SasTask | str, search: str, seconds: float = 60.0, megabytes: int = 2048) -> SearchResult:
    """The outcome of ``search`` (in the program's own language) on ``task``, which may be text in its input format.

    ``seconds`` are of processor time. ``least`` assumes that the search is A* with an admissible heuristic.

    Raises:
        StudyError: the planner is not installed.
        InternalError: the program failed for a reason other than a limit.
    """
    if isinstance(task, SasTask) and not task.goal:
        return SearchResult("plan")
    path = program()
    if path is None:
        raise StudyError(f"the planner Fast Downward is not installed: {INSTALL}")
    text = task if isinstance(task, str) else task.text()
    with tempfile.TemporaryDirectory() as folder:
        plan = Path(folder) / "plan"
        call = [str(path), "--search", search, "--internal-plan-file", str(plan)]
        code, output = run(call, text, seconds, megabytes)
        steps = _steps(plan) if code == PLANNED else ()
    if code == UNSOLVABLE:
        return SearchResult("unsolvable")
    layers = [int(layer) for layer in LAYER.findall(output)]
    if code == PLANNED:
        costs = _costs(task)
        cost = sum(costs[step] for step in steps)
        return SearchResult("plan", steps, cost, least=cost if search.startswith("astar(") else 0)
    if code in STOPPED:
        return SearchResult("unknown", least=max(layers, default=0), why=STOPPED[code])
    raise InternalError(f"Fast Downward ended with exit code {code}: {output[-500:]}")


def run(call: list[str], text: str, seconds: float, megabytes: int) -> tuple[int, str]:
    """The exit code and the output of ``call``; the code is 23 after a timeout."""
    process = Popen(
        call, stdin=PIPE, stdout=PIPE, stderr=STDOUT, text=True, env={"LC_ALL": "C"}, start_new_session=True
    )
    # The process waits for its input, so that the limits apply from the first step of the search.
    _limit(process.pid, seconds, megabytes)
    try:
        output, _ = process.communicate(text, timeout=2 * seconds + GRACE)
    except TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        return 23, output
    return process.returncode, output


def _limit(pid: int, seconds: float, megabytes: int) -> None:
    """Limits processor time and memory on Linux; elsewhere only the wall-clock timeout applies."""
    if sys.platform != "linux":
        return
    import resource

    whole_seconds = max(1, round(seconds))
    resource.prlimit(pid, resource.RLIMIT_CPU, (whole_seconds, whole_seconds + 1))
    size = megabytes * 1024 * 1024
    resource.prlimit(pid, resource.RLIMIT_AS, (size, size))


def _costs(task: SasTask | str) -> dict[str, int]:
    if isinstance(task, str):
        return {name: int(cost) for name, cost in OPERATOR.findall(task)}
    return {operator.name: operator.cost for operator in task.operators}


def _steps(plan: Path) -> tuple[str, ...]:
    lines = plan.read_text(encoding="utf-8").splitlines()
    return tuple(line[1:-1] for line in lines if line.startswith("("))


def _operator(operator: PlanningOperator) -> Iterable[str]:
    before, after = dict(operator.preconditions), dict(operator.effects)
    prevail = [f"{var} {value}" for var, value in before.items() if var not in after]
    effects = [f"0 {var} {before.get(var, -1)} {value}" for var, value in after.items()]
    return [operator.name, str(len(prevail)), *prevail, str(len(effects)), *effects, str(operator.cost)]


def _block(kind: str, lines: Iterable[str]) -> list[str]:
    return [f"begin_{kind}", *lines, f"end_{kind}"]
