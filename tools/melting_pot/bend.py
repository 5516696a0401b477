"""Bends the plain rules, one at a time, and asks whether the traces notice.

A comparison that explains everything proves little if it would explain other rules
too. Each bend replaces one piece of ``plain.py``'s text. Run in the library's
Python: ``python -m tools.melting_pot.bend TRACE.xz ...``; exit code 1 if a bend
goes unnoticed on a substrate, or its text is not found once.
"""

from __future__ import annotations

import argparse
import sys
import types
from collections.abc import Sequence
from pathlib import Path

from tests.gridworlds.in_the_matrix import plain
from tools.melting_pot.in_the_matrix import follow, orders
from tools.melting_pot.in_the_matrix.trace import Trace, load

from otherminds.gridworlds.in_the_matrix.rules import SUBSTRATES

MOVES = "        for i in moving:\n            self._move(i, actions[i], taken)\n"
BEAMS = "        for i in firing:\n            self._fire(i, taken)\n"
RETURNS = "        for i in returning:\n            self._respawn(i)\n"
COLUMNS = "((-1, (0, 1, 2)), (1, (0, 1, 2)), (0, (1, 2, 3)))"
LEAVE = (
    "        for i in leaving:\n            self.avatars[i].alive = False\n"
    "            self.avatars[i].removed = self.step_number\n            del self.standing[self.avatars[i].cell]\n"
    "        leaving = []\n"
)
BUSY = '        if target.busy:\n            self.events.append(Event("zapped", (i, j), "busy"))\n            return\n'
GONE = "        resource.shown, resource.gone = False, self.step_number\n"
PICKED = '        taken.append(resource)\n        self.events.append(Event("collected"'
BROKEN = '                taken.append(resource)\n                self.events.append(Event("destroyed"'
COOLS = "        if not avatar.alive or avatar.lock:\n            return False\n"
SUM = "            inner += p[i] * matrix[i][j]\n        total += inner * q[j]"

BENDS = {
    "an avatar can be hit twice a step": (BUSY, ""),
    "a hit without effect leaves the target free": ("        target.busy = True\n", ""),
    "the hitter may have been hit before": ("        if hitter.busy:\n", "        if False:\n"),
    "a hit leaves the hitter free": ("        hitter.busy = True\n", ""),
    "a frozen target does not count as busy": (
        "        if target.busy:",
        "        if target.pending < 0 and target.busy:",
    ),
    "the frozen can be zapped": ("        if target.pending >= 0:", "        if False:"),
    "only the zapped need be ready": ("(hitter.ready and target.ready)", "target.ready"),
    "only the zapper need be ready": ("(hitter.ready and target.ready)", "hitter.ready"),
    "a tie is the column's": ("if row.pay >= column.pay:", "if row.pay > column.pay:"),
    "a winning row keeps its inventory": ("if row.pay >= column.pay:", "if False:"),
    "the freeze ends a step sooner": ("self.rules.freeze + 2", "self.rules.freeze + 1"),
    "duels take effect a step later": ("pending = self.rules.freeze\n", "pending = self.rules.freeze + 1\n"),
    "avatars return a step sooner": (
        "avatar.removed + self.rules.respawn",
        "avatar.removed + self.rules.respawn - 1",
    ),
    "avatars return a step later": (
        "avatar.removed + self.rules.respawn",
        "avatar.removed + self.rules.respawn + 1",
    ),
    "resources wait a step longer": (
        "resource.gone + self.rules.delay:",
        "resource.gone + self.rules.delay + 1:",
    ),
    "what appears under an avatar stays": (
        "                self._collect(self.standing[resource.cell], resource, taken)\n",
        "",
    ),
    "what is collected is gone at once": (PICKED, GONE + PICKED),
    "what is destroyed is gone at once": (BROKEN, "        " + GONE + BROKEN),
    "a pickup restores health": (PICKED, "        resource.health = self.rules.health\n" + PICKED),
    "what is destroyed stays at one hit": ("resource.health = self.rules.health\n", "resource.health = 1\n"),
    "what is destroyed stops the beam": (BROKEN, "                blocked = True\n" + BROKEN),
    "an avatar shields the resource under it": (
        "        if resource is not None and resource.shown:\n            resource.health",
        "        if not blocked and resource is not None and resource.shown:\n            resource.health",
    ),
    "the beam cools in the freeze": (
        COOLS,
        "        if avatar.lock and avatar.cooldown:\n            avatar.cooldown -= 1\n" + COOLS,
    ),
    "the beam cools while removed": (
        COOLS,
        "        if not avatar.alive and avatar.cooldown:\n            avatar.cooldown -= 1\n" + COOLS,
    ),
    "who returns has a cool beam": (
        "        avatar.alive = True\n",
        "        avatar.alive = True\n        avatar.cooldown = 0\n",
    ),
    "the beam cools a step longer": ("cooldown = self.rules.cooldown", "cooldown = self.rules.cooldown + 1"),
    "the own column comes first": (COLUMNS, "((0, (1, 2, 3)), (-1, (0, 1, 2)), (1, (0, 1, 2)))"),
    "the own column comes second": (COLUMNS, "((-1, (0, 1, 2)), (0, (1, 2, 3)), (1, (0, 1, 2)))"),
    "the right column comes first": (COLUMNS, "((1, (0, 1, 2)), (-1, (0, 1, 2)), (0, (1, 2, 3)))"),
    "beams before moves": (MOVES + BEAMS, BEAMS + MOVES),
    "returns before beams": (BEAMS + RETURNS, RETURNS + BEAMS),
    "returns before moves": (MOVES, RETURNS + "        returning = []\n" + MOVES),
    "removals before moves": (MOVES, LEAVE + MOVES),
    "removals before beams": (BEAMS, LEAVE + BEAMS),
    "regrowth before beams": (
        BEAMS,
        "        for resource in regrowing:\n            resource.shown = True\n" + BEAMS,
    ),
    "who is paid stays ready": (
        "        avatar.ready = False\n        avatar.indicator = UNREADY\n",
        "        avatar.indicator = UNREADY\n",
    ),
    "markers show this step's events": (
        "        self.over = ending",
        "        for avatar in self.avatars:\n            avatar.mark = avatar.indicator\n        self.over = ending",
    ),
    "payoffs are summed in one go": (
        SUM,
        "            inner += p[i] * matrix[i][j] * q[j]\n        total += inner",
    ),
    "shares are divided by multiplying": ("[count / sum(row) for", "[count * (1 / sum(row)) for"),
    "checks for the end at whole intervals": ("(t + 1) % rules.interval", "t % rules.interval"),
    "one step more at the limit": ("t >= rules.maximum", "t > rules.maximum"),
    "turns the other way": ("avatar.facing + TURN[action]", "avatar.facing - TURN[action]"),
}


def bent(old: str, new: str) -> types.ModuleType:
    """The follower's module, standing on a ``plain`` in which ``old`` is replaced. Raises ValueError."""
    text = Path(str(plain.__file__)).read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"found {text.count(old)} times in plain.py: {old!r}")
    modules: dict[str, types.ModuleType] = {}
    texts = {"bent_plain": text.replace(old, new)}
    for name, module in (("bent_orders", orders), ("bent_follow", follow)):
        source = Path(str(module.__file__)).read_text(encoding="utf-8")
        texts[name] = source.replace(plain.__name__, "bent_plain")
    for name, source in texts.items():
        modules[name] = sys.modules[name] = types.ModuleType(name)
        exec(compile(source, name, "exec"), modules[name].__dict__)
    return modules["bent_follow"]


def noticed(module: types.ModuleType, traces: Sequence[Trace]) -> bool:
    """Whether any trace is not explained. A crash of bent rules is noticed as well."""
    for trace in traces:
        try:
            if module.follow(trace, SUBSTRATES[trace.substrate]).mismatches:
                return True
        except (KeyError, IndexError, ValueError):
            return True
    return False


def main() -> None:
    """Tries every bend on every substrate whose traces are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="+", type=Path)
    traces: dict[str, list[Trace]] = {}
    for path in parser.parse_args().traces:
        for trace in load(path):
            traces.setdefault(trace.substrate, []).append(trace)
    if any(noticed(bent(MOVES, MOVES), some) for some in traces.values()):
        sys.exit("these traces are not explained to begin with: see compare.py")
    print("| bent rule |", " | ".join(traces), "|\n|---|" + "---|" * len(traces))
    missed = False
    for name, (old, new) in BENDS.items():
        module = bent(old, new)
        found = [noticed(module, some) for some in traces.values()]
        missed |= not all(found)
        print(
            f"| {name} |",
            " | ".join("noticed" if one else "**not noticed**" for one in found),
            "|",
            flush=True,
        )
    sys.exit(missed)


if __name__ == "__main__":
    main()
