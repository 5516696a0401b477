"""The readers on 1,245 replies of an author who had not seen them: choices, predictions and answers of no option.

At first sight the lenient reader took 15 of the 699 replies of ``ghosts`` that name no option as one, and 3 of the 33
of ``languages``; it read 171 of the 185 predictions in words, and no answer as another one. The strict reader took none.
The rules were then mended, so all sets are development sets now.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from otherminds.core.data import Invalid
from otherminds.replies.lenient import choice
from otherminds.replies.strict import read
from otherminds.worlds.asking import asked
from tests.cases import for_each

SETS = {
    name: [
        json.loads(line)
        for line in Path(__file__).with_name(f"unseen_{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    for name in ("ghosts", "predictions", "languages")
}


def leniently(row: dict[str, Any]) -> str | None:
    found = choice(row["reply"], row["labels"], row["asked"])
    return found if isinstance(found, str) else None


def strictly(row: dict[str, Any]) -> str | None:
    found = read(asked("Q", row["labels"], row["labels"], row["asked"]), row["reply"])
    return None if isinstance(found, Invalid) else found


@for_each("reader", [leniently, strictly])
@for_each("name", list(SETS))
def test_no_reply_is_read_as_what_it_does_not_say(name: str, reader: Any) -> None:
    read_as = [(row["reply"], reader(row), row["intended"]) for row in SETS[name]]
    assert [one for one in read_as if one[1] not in (None, one[2])] == []


@for_each(
    ("name", "party", "right", "answers"),
    [
        ("ghosts", "own", 120, 126),
        ("ghosts", "other", 6, 6),
        ("predictions", "other", 177, 185),
        ("predictions", "own", 27, 31),
        ("languages", "own", 80, 88),
        ("languages", "other", 54, 55),
    ],
)
def test_figures(name: str, party: str, right: int, answers: int) -> None:
    """Those of docs/models.md."""
    rows = [row for row in SETS[name] if row["asked"] == party and row["intended"] is not None]
    found = Counter(leniently(row) == row["intended"] for row in rows)
    assert (found[True], len(rows)) == (right, answers)
