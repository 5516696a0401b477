"""Precision and recall of the secret linter on labelled secrets and descriptions, with 95 % intervals.

The texts are those of ``tests/household/authoring/secrets_corpus.txt`` and ``descriptions_corpus.txt``, which were written before their
author had read the linter. Texts judged wrongly are printed for the development half only, since rules may be
mended by it; those of the held-out half are not shown. ``tests/household/authoring/secrets_second.txt`` is by a second author who had
not seen the rules, which were not changed after the run; its misjudged texts are printed to describe them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from common import arguments, finish, show

from otherminds.measures.intervals import Estimate, share_of

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the corpora, which the tests have too

from tests.household.authoring.linting import (
    HALVES,
    counted_descriptions,
    counted_second_secrets,
    counted_secrets,
)


def main() -> None:
    options = arguments(__doc__).parse_args()
    groups = [
        *((("secrets", half), counted_secrets(half)) for half in HALVES),
        *((("descriptions", half), counted_descriptions(half)) for half in HALVES),
        (("secrets", "second author, first sight"), counted_second_secrets()),
    ]
    rows, figures = [], {}
    for (name, part), counts in groups:
        if part != "held out":
            print(f"{name}, misjudged ({part}):", *counts.misses, sep="\n  ")
        precision, recall = share_of(counts.hits, counts.found), share_of(counts.hits, counts.faulty)
        rows.append([name, part, _share(counts.hits, precision), _share(counts.hits, recall)])
        figures[f"{name}, {part}"] = {"precision": precision.mean, "recall": recall.mean}
    show("The secret linter", ["texts", "part", "precision", "recall"], rows)
    finish(options, figures)


def _share(hits: int, share: Estimate) -> str:
    assert share.mean is not None
    assert share.low is not None
    assert share.high is not None
    return f"{share.mean:.3f} ({hits}/{share.n}; {share.low:.3f} to {share.high:.3f})"


if __name__ == "__main__":
    main()
