"""How much of the secrets in free words the reader reads back, and how often what it reads was said.

The secrets of a pool of tasks (by default, of the included tasks) are worded freely several times and read back. Wording and
reading share no words: the one has templates, the other a grammar. The second table has sentences written by hand, with traps
that seem to say more than they do (``tests/data/epistemic/secrets.jsonl``).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
from common import arguments, finish
from msgspec import Struct

from otherminds.household.epistemic import forms
from otherminds.household.epistemic.formula import Know
from otherminds.household.epistemic.words import Must, Secret
from otherminds.household.epistemic.words.free import told_freely
from otherminds.household.generating.wording import freely, told_secrets
from otherminds.household.task import Task
from otherminds.household.tasks.load import load_task, shipped_tasks

DATA = Path(__file__).parent.parent / "tests" / "data" / "epistemic" / "secrets.jsonl"
READER = "agent_0"
"""The agent to which the sentences of the data are addressed."""


class Handwritten(Struct, frozen=True):
    """A sentence, and the forms that it tells agent_0; none: it is a trap."""

    text: str
    told: tuple[str, ...]

    @property
    def meant(self) -> tuple[Secret, ...]:
        """What it tells."""
        return forms.secrets(self.told)


class Reading(Struct, frozen=True):
    """A text, the statements that it makes, and those that are read."""

    text: str
    meant: tuple[Secret, ...]
    read: tuple[Secret, ...]

    @property
    def right(self) -> int:
        """The number of statements that are read as they were meant."""
        return (Counter(self.meant) & Counter(self.read)).total()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("pool", nargs="?", type=Path, help="a pool of tasks (default: the included tasks)")
    parser.add_argument("--draws", type=int, default=20, help="wordings of each secret (default 20)")
    parser.add_argument("--mistakes", action="store_true", help="list what is not read as it was meant")
    options = parser.parse_args()
    tasks = pooled(options.pool) if options.pool else [load_task(name) for name in shipped_tasks()]
    drawn = worded(tasks, options.draws, random.Random(options.seed))
    show_drawn(len(tasks), options.draws, drawn)
    told_by_hand = [Reading(one.text, one.meant, told_freely(one.text, you=READER)) for one in handwritten()]
    halves = {
        "sentences": [one for one in told_by_hand if one.meant],
        "traps": [one for one in told_by_hand if not one.meant],
    }
    table("written by hand", halves)
    for one in (*drawn, *told_by_hand) if options.mistakes else ():
        if one.read != one.meant:
            print(f"{one.text}\n    meant: {one.meant}\n    read: {one.read}")
    finish(
        options,
        {
            f"{name}.{figure}": value
            for name, ones in (("drawn", drawn), ("hand", told_by_hand))
            for figure, value in rates(ones).items()
        },
    )


KINDS = {
    **{
        "fact": "facts at the start",
        "must": "goals",
        "known": "goals of knowledge",
        "private": "private goals",
    },
    **{
        "barred": "rooms",
        "reaches": "whom one can message",
        "budget": "how many messages",
        "inverse": "reversed things",
    },
    **{"mirrors": "mirrored things", "controls": "things that set others"},
}
"""The kinds of statements, and their names in the table."""


def _kind(statement: Secret) -> str:
    if isinstance(statement, Must) and isinstance(statement.formula, Know):
        return "known"
    return str(type(statement).__struct_config__.tag)


def show_drawn(tasks: int, draws: int, drawn: list[Reading]) -> None:
    """Prints a table of the readings of drawn wordings by kind of statement."""
    by_kind = {kind: [one for one in drawn if _kind(one.meant[0]) == kind] for kind in KINDS}
    table(f"{tasks} tasks, {draws} wordings of each secret", by_kind | {"all": drawn})


def pooled(path: Path) -> Sequence[Task]:
    """The tasks of a pool."""
    from otherminds.household.pool.store import read_pool

    return [one.task for one in read_pool(path)]


def handwritten() -> list[Handwritten]:
    """All sentences of the data."""
    lines = DATA.read_text(encoding="utf-8").splitlines()
    return [msgspec.json.decode(line, type=Handwritten) for line in lines]


def worded(tasks: Iterable[Task], draws: int, draw: random.Random) -> list[Reading]:
    """Each secret of each agent in ``draws`` wordings, with what is read."""
    return [
        Reading(text, (one,), told_freely(text, you=agent))
        for agent, one in secrets_of(tasks)
        for text in (freely(one, agent, draw) for _ in range(draws))
    ]


def secrets_of(tasks: Iterable[Task]) -> Iterator[tuple[str, Secret]]:
    """The secrets of all agents, each with its agent."""
    return ((agent, one) for task in tasks for agent in task.agents for one in told_secrets(task, agent))


def rates(ones: Sequence[Reading]) -> dict[str, float]:
    """Recall and precision (0 to 1) over all statements; 1 if there are none."""
    meant, read, right = counts(ones)
    return {"recall": right / meant if meant else 1.0, "precision": right / read if read else 1.0}


def counts(ones: Sequence[Reading]) -> tuple[int, int, int]:
    """The number of statements meant, read, and both."""
    return (
        sum(len(one.meant) for one in ones),
        sum(len(one.read) for one in ones),
        sum(one.right for one in ones),
    )


def table(title: str, rows: dict[str, list[Reading]]) -> None:
    """Prints a Markdown table."""
    heads = ("", "texts", "different", "statements", "read", "right", "recall", "precision")
    print(f"\n{title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for name, ones in rows.items():
        rate = rates(ones)
        different = len({one.text for one in ones})
        cells = (
            KINDS.get(name, name),
            len(ones),
            different,
            *counts(ones),
            *(f"{value:.3f}" for value in rate.values()),
        )
        print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
