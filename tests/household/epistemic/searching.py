"""An independent search for the cheapest plan of a finite-domain task: Dijkstra's, with costs of 0 and 1."""

from __future__ import annotations

from collections import defaultdict, deque

from otherminds.household.epistemic.fast_downward import PlanningOperator, SasTask


def cheapest(task: SasTask, most: int = 1000) -> int | None:
    """The cost of the cheapest plan; ``None`` if there is none, or none that costs at most ``most``."""
    by_first: dict[tuple[int, int], list[PlanningOperator]] = defaultdict(list)
    for operator in task.operators:
        by_first[operator.preconditions[0]].append(operator)
    known = {task.start: 0}
    waiting = deque([task.start])
    while waiting:
        state = waiting.popleft()
        cost = known[state]
        if all(state[var] == value for var, value in task.goal):
            return cost
        for first in enumerate(state):
            for operator in by_first.get(first, ()):
                if any(state[var] != value for var, value in operator.preconditions):
                    continue
                then = list(state)
                for var, value in operator.effects:
                    then[var] = value
                after, paid = tuple(then), cost + operator.cost
                if paid <= most and paid < known.get(after, most + 1):
                    known[after] = paid
                    (waiting.append if operator.cost else waiting.appendleft)(after)
    return None
