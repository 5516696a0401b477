"""Damaged input files: studies, prompt packs, prices, tasks, scenes, model files and policies, each in many mutants.

Each mutant goes through the command line in this process. Counted are those that are still valid, those that are
refused with exit code 2 in a bounded number of lines that name the file, and tracebacks.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from common import arguments, finish
from tables import table

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.mutated_inputs import judged, kinds


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--mutants", type=int, default=500, help="mutants of each kind (default 500)")
    parser.add_argument("--kind", default="", help="one kind only")
    options = parser.parse_args()
    rows: list[list[str]] = []
    figures: dict[str, dict[str, float]] = {}
    wrong: list[str] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        for title, kind in kinds(folder).items():
            if options.kind not in ("", title):
                continue
            account = judged(kind, folder, options.mutants, options.seed)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            counts = account.outcomes
            numbers = [counts["valid"], counts["refused"], counts["traceback"], len(account.wrong)]
            rows.append([title, *map(str, numbers), f"{account.seconds:.2f}", f"{peak:.0f}"])
            figures[title] = {**counts, "wrong": len(account.wrong), "seconds": account.seconds, "mib": peak}
            print(f"{title}: slowest {account.slowest}", file=sys.stderr)
            wrong += [f"{title} {line}" for line in account.wrong]
    heads = [
        "input",
        "valid",
        "refused",
        "tracebacks",
        "broken promises",
        "longest, CPU s",
        "peak memory so far, MiB",
    ]
    print(table(heads, rows))
    print("\n".join(wrong))
    finish(options, figures)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
