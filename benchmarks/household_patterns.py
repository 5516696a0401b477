"""Do the detectors of failure patterns agree with a reader? Free-text episodes that were labelled first.

Reads ``tests/data/household/transcripts.jsonl``: the facts of an episode a line, with the patterns
that a reader sees in it. For each pattern: precision, recall, Cohen's kappa, and every disagreement.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from common import arguments, finish, show

from otherminds.core.record import EpisodeSpec, Record
from otherminds.household.measures.patterns import patterns

TRANSCRIPTS = Path(__file__).parents[1] / "tests" / "data" / "household" / "transcripts.jsonl"


def main() -> None:
    options = arguments(__doc__).parse_args()
    _, *texts = map(json.loads, TRANSCRIPTS.read_text(encoding="utf-8").splitlines())
    records = [
        Record(EpisodeSpec(text["name"], {}, 0), (), {}, None, {}, None, [], [], {}, facts=text["facts"])
        for text in texts
    ]
    rows, figures = [], {}
    disagreements: list[str] = []
    for name in patterns:
        find = patterns.get(name)
        said = [bool(find(record)) for record in records]
        true = [name in text["labels"] for text in texts]
        figures[name] = agreement(said, true)
        rows.append((name, sum(true), sum(said), *(f"{number:.2f}" for number in figures[name].values())))
        for text, one, other in zip(texts, said, true, strict=True):
            if one != other:
                disagreements.append(
                    f"{name}: {'found' if one else 'missed'} in {text['name']}: {text['because']}"
                )
    show(
        f"{len(texts)} free-text episodes, {sum(not text['labels'] for text in texts)} of them clean",
        ("pattern", "labelled", "found", "precision", "recall", "kappa"),
        rows,
    )
    print("\n".join(disagreements) or "no disagreement")
    finish(options, figures)


def agreement(said: Sequence[bool], true: Sequence[bool]) -> dict[str, float]:
    """Precision, recall and Cohen's kappa (Cohen 1960) of two labellings."""
    n, both = len(said), sum(a and b for a, b in zip(said, true, strict=True))
    same = sum(a == b for a, b in zip(said, true, strict=True)) / n
    share, other = sum(said) / n, sum(true) / n
    chance = share * other + (1 - share) * (1 - other)
    return {
        "precision": both / sum(said) if any(said) else float("nan"),
        "recall": both / sum(true) if any(true) else float("nan"),
        "kappa": (same - chance) / (1 - chance) if chance < 1 else 1.0,
    }


if __name__ == "__main__":
    main()
