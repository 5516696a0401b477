"""PDDL through Fast Downward's translator, a subprocess with resource limits, and then its search.

The translator is a Python program in the wheel ``up-fast-downward``; like the search, it is never imported. Its exit codes
are 0, 20 (memory), 21 (time), 30 and 31 (faulty input); a task that it finds unsolvable it writes as such for the search,
whose exit code 11 is the proof.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from otherminds.core.errors import InternalError, StudyError
from otherminds.household.epistemic.certificate import EpistemicProblem, Known
from otherminds.household.epistemic.compiling import PlanStep
from otherminds.household.epistemic.fast_downward import INSTALL, SearchResult, program, run, solve
from otherminds.household.epistemic.pddl import Written

STOPPED = {20: "the translator ran out of memory", 21: "the translator ran out of time"}
"""Exit codes of the translator that prove nothing."""
OUT_OF_TIME = (23, -9, -24)
"""The code of :func:`.run` after its timeout, and those of processes that a limit of processor time ended."""


def solve_pddl(
    domain: str, problem: str, search: str, seconds: float = 60.0, megabytes: int = 2048
) -> SearchResult:
    """The outcome of ``search`` on a domain and a problem in PDDL.

    ``seconds`` of processor time and ``megabytes`` are for the translator and for the search each. Steps are an action
    and its arguments, separated by spaces.

    Raises:
        StudyError: the planner is not installed.
        InternalError: a program failed for a reason other than a limit.
    """
    path = program()
    if path is None:
        raise StudyError(f"the planner Fast Downward is not installed: {INSTALL}")
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("domain.pddl", "problem.pddl", "output.sas")]
        for file, text in zip(files, (domain, problem), strict=False):
            file.write_text(text, encoding="utf-8")
        start = f"import runpy, sys; sys.path[0] = {str(path.parent)!r}; sys.stdin.read()"
        start += "; runpy.run_module('fast_downward.translate', run_name='__main__', alter_sys=True)"
        call = [
            sys.executable,
            "-E",
            "-s",
            "-B",
            "-c",
            start,
            *map(str, files[:2]),
            "--sas-file",
            str(files[2]),
        ]
        code, output = run(call, "", seconds, megabytes)
        if code in STOPPED:
            return SearchResult("unknown", why=STOPPED[code])
        if code in OUT_OF_TIME:
            return SearchResult("unknown", why=STOPPED[21])
        if code:
            raise InternalError(f"the translator ended with exit code {code}: {output[-500:]}")
        text = files[2].read_text(encoding="utf-8")
    return solve(text, search, seconds, megabytes)


def steps_by_pddl(
    problem: EpistemicProblem, goal: Sequence[Known], search: str, seconds: float = 60.0
) -> tuple[SearchResult, tuple[PlanStep, ...]]:
    """The outcome of ``search`` on parts of a problem's goal by way of PDDL, and the steps of its plan.

    Raises:
        StudyError: the planner is not installed.
        InternalError: a program failed for a reason other than a limit.
        TaskError: the problem cannot be written (:class:`.pddl.Written`).
    """
    encoding = Written(problem, goal)
    outcome = solve_pddl(encoding.domain, encoding.problem, search, seconds)
    return outcome, encoding.plan(outcome.steps)
