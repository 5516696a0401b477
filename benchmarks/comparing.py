"""Does ``compare`` name differences that are there, and only these? Pairs of minds whose nature is known.

Every pair plays ``rps-mixed-v1`` and ``ibs-single-v1``, with ``--designs`` label designs a partner and 20 rounds, in many
studies. Wanted: a difference of equal or ignorant minds is named in at most 5 % of studies, and one in use always.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from common import arguments, finish, show

from otherminds.core.scenario import scenario
from otherminds.measures.comparing import compare
from otherminds.measures.episode import Episode, summarise

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the minds of known nature, which the tests have too

from tests.measures import known_minds
from tests.measures.known_minds import play_study

ROUNDS = 20
WORLDS = {"rps-mixed-v1": "neutral", "ibs-single-v1": "varied"}
"""The scenarios, with the option ``names`` that gives each episode labels of its own."""
MINDS = (
    known_minds.IGNORANT
    | known_minds.PLAYS
    | known_minds.USERS
    | known_minds.PARTLY
    | known_minds.HALF
    | known_minds.IDLE
)
EQUAL = (
    ("uniform", "uniform"),
    ("hash", "hash"),
    ("80 % used", "80 % used"),
    ("half used", "half used"),
    ("own constant", "uniform"),
    ("mirror", "uniform"),
    ("quitter", "quitter"),
    ("quitter", "uniform"),
    ("bayes", "bayes"),
    ("truth, stuck", "truth, stuck"),
)
"""Pairs that differ in nothing that ``compare`` may name."""
UNEQUAL = (("bayes", "half used"), ("bayes", "80 % used"))
MOST_FALSE = 0.05


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--studies", type=int, default=100, help="studies of each pair (default 100)")
    parser.add_argument("--designs", type=int, default=12, help="label designs a partner (default 12)")
    options = parser.parse_args()
    rows: list[tuple[str, ...]] = []
    false, holds = 0, True
    for first, second in (*EQUAL, *UNEQUAL):
        named: Counter[str] = Counter()
        for number in range(options.studies):
            differences = named_differences(first, second, number, options.designs)
            named.update(differences)
            named["any"] += bool(differences)
        rows.append((first, second, str(named.pop("any")), ", ".join(f"{k} {n}" for k, n in named.items())))
        print(*rows[-1], sep=" | ", file=sys.stderr, flush=True)
        if (first, second) in EQUAL:
            false += int(rows[-1][2])
        else:
            holds &= int(rows[-1][2]) == options.studies
    holds &= false <= MOST_FALSE * options.studies * len(EQUAL)
    show(f"studies of {options.studies} with a difference", ("first", "second", "any", "which"), rows)
    finish(options, {"rows": rows, "false": false, "of": options.studies * len(EQUAL)})
    sys.exit(not holds)


def named_differences(first: str, second: str, number: int, designs: int) -> list[str]:
    """The scores in which ``compare`` names a difference."""
    ours, theirs = episodes(first, 2 * number, designs), episodes(second, 2 * number + 1, designs)
    return [pooled.score for pooled in compare(ours, theirs).pooled if pooled.differs]


def episodes(mind: str, study: int, designs: int) -> dict[tuple[str, str], list[Episode]]:
    """The episodes of a mind in one study, by scenario."""
    return {
        (world, ""): list(
            map(
                summarise,
                play_study(
                    scenario(world, {"rounds": ROUNDS, "names": names}),
                    *(MINDS[mind], study, designs, designs, ROUNDS),
                ),
            )
        )
        for world, names in WORLDS.items()
    }


if __name__ == "__main__":
    main()
