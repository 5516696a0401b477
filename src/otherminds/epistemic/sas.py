"""Planning tasks in finite-domain form (SAS+), and their text for Fast Downward's search program.

Source of the format: Helmert, The Fast Downward Planning System (JAIR 26, 2006), as version 3 of the
translator's output writes it.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

Value = tuple[int, int]
"""A variable and the number of one of its values."""


class Operator(Struct, frozen=True):
    """Applicable where all of ``needs`` hold; then every variable of ``sets`` takes its value.

    ``name`` has no line break. ``cost`` is a whole number of at least 0.
    """

    name: str
    needs: tuple[Value, ...]
    sets: tuple[Value, ...]
    cost: int = 0


class SasTask(Struct, frozen=True):
    """Variable ``v`` takes the values 0 to ``sizes[v] - 1``, and ``start[v]`` at the start."""

    sizes: tuple[int, ...]
    start: tuple[int, ...]
    goal: tuple[Value, ...]
    operators: tuple[Operator, ...]

    def text(self) -> str:
        """The task as the search program reads it."""
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


def _operator(operator: Operator) -> Iterable[str]:
    needs, sets = dict(operator.needs), dict(operator.sets)
    prevail = [f"{var} {value}" for var, value in needs.items() if var not in sets]
    effects = [f"0 {var} {needs.get(var, -1)} {value}" for var, value in sets.items()]
    return [operator.name, str(len(prevail)), *prevail, str(len(effects)), *effects, str(operator.cost)]


def _block(kind: str, lines: Iterable[str]) -> list[str]:
    return [f"begin_{kind}", *lines, f"end_{kind}"]
