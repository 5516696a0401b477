"""Precision and recall of the secret linter on labelled secrets and descriptions, with 95 % intervals.

The texts are those of ``tests/authoring/secrets_corpus.txt`` and ``descriptions_corpus.txt``, which were written before their
author had read the linter. Texts judged wrongly are printed for the development half only, since rules may be
mended by it; those of the held-out half are not shown.
"""

from __future__ import annotations

import sys
from pathlib import Path

from common import arguments, finish, show

from otherminds.measures.intervals import Estimate, share_of

sys.path.insert(0, str(Path(__file__).parents[1]))  # for the corpora, which the tests have too

from tests.authoring.linting import HALVES, counted_descriptions, counted_secrets


def main() -> None:
    options = arguments(__doc__).parse_args()
    rows, figures = [], {}
    for name, counted in (("secrets", counted_secrets), ("descriptions", counted_descriptions)):
        for half in HALVES:
            counts = counted(half)
            if half == "dev":
                print(f"{name}, misjudged in the development half:", *counts.misses, sep="\n  ")
            precision, recall = share_of(counts.hits, counts.found), share_of(counts.hits, counts.faulty)
            rows.append([name, half, _share(counts.hits, precision), _share(counts.hits, recall)])
            figures[f"{name}, {half}"] = {"precision": precision.mean, "recall": recall.mean}
    show("The secret linter", ["texts", "half", "precision", "recall"], rows)
    finish(options, figures)


def _share(hits: int, share: Estimate) -> str:
    assert share.mean is not None
    assert share.low is not None
    assert share.high is not None
    return f"{share.mean:.3f} ({hits}/{share.n}; {share.low:.3f} to {share.high:.3f})"


if __name__ == "__main__":
    main()
