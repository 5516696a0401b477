"""Which hypotheses Hypothetical Minds ends on, by the bot that it met, and what they are worth.

Reads a folder in which a study with the mind ``hm`` was run, such as ``bayesian`` or
``hypothetical``. Cells are the mind's episodes in RWS repeated.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import fmean

from common import arguments, finish
from tables import table

from otherminds.core.data import FALLBACK, UNUSABLE
from otherminds.core.record import Record
from otherminds.measures.notes import hypothesis_tracks, thoughts
from otherminds.studies.run_dir import results

NONE = "(none)"


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("folder", type=Path, help="the output folder of the study")
    options = parser.parse_args()
    _, records = results(options.folder)
    played = [r for r in records if r.spec.seats["ego"].mind == "hm" and "rws-repeated" in r.spec.scenario]
    by_scenario: dict[str, list[Record]] = {}
    by_bot: dict[str, Counter[str]] = {}
    for record in played:
        by_scenario.setdefault(record.spec.scenario, []).append(record)
        by_bot.setdefault(record.partners["partner_0"].name, Counter())[final(record)] += 1
    print(
        table(
            [
                "scenario",
                "episodes",
                "ever validated",
                "encounters before",
                "reward an encounter before",
                "from the first validation on",
                "unusable replies",
                "fallbacks",
            ],
            [[name, *row(found)] for name, found in sorted(by_scenario.items())],
        )
    )
    print(
        table(
            ["bot", "the hypothesis held in the end (episodes)"],
            [
                [bot, "; ".join(f"{text} ({n})" for text, n in found.most_common())]
                for bot, found in sorted(by_bot.items())
            ],
        )
    )
    finish(options, {name: len(found) for name, found in by_scenario.items()})


def final(record: Record) -> str:
    """The text of the hypothesis that was validated last."""
    said = NONE
    for noted in thoughts(record, "ego"):
        thinking = noted.thinking
        said = next((one.text for one in thinking.thoughts if one.id == thinking.validated), said)
    return said


def row(records: list[Record]) -> list[str]:
    """One scenario's figures."""
    found = [course for record in records for course in hypothesis_tracks(record)]
    validated = [course for course in found if course.first is not None]
    before = [reward for course in found for reward in course.before]
    after = [reward for course in found for reward in course.after]
    kinds = Counter(note.kind for record in records for note in record.notes)
    return [
        str(len(records)),
        f"{len(validated)}",
        f"{fmean(len(course.before) for course in validated):.1f}" if validated else "–",
        f"{fmean(before):+.2f}" if before else "–",
        f"{fmean(after):+.2f}" if after else "–",
        str(kinds[UNUSABLE]),
        str(kinds[FALLBACK]),
    ]


if __name__ == "__main__":
    main()
