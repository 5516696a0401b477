"""Records of strangers: changed in one to three places under a right hash, through every command that reads records.

Changes follow the schema of records (``tests/strange_records.py``). Each command may read a record, or refuse it with
exit code 2 in one line that names it. Counted are both, tracebacks, and other broken promises: another exit code, a
control character in the output, an element or attribute of a page that a text of the record made. Prints Markdown.
"""

from __future__ import annotations

import resource
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from common import arguments, finish
from hypothesis import HealthCheck, Phase, given, seed, settings
from tables import table

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.mutated_inputs import Account
from tests.strange_records import Forged, judge, sound_records, strange_records

MEMORY = 4 * 2**30
"""Bytes of address space; a command that needs more ends in a traceback."""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--records", type=int, default=5000, help="changed records (default 5000)")
    options = parser.parse_args()
    accounts: dict[str, Account] = {}
    start = perf_counter()
    with TemporaryDirectory() as name:
        folder = Path(name)
        sound = sound_records(folder)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

        @seed(options.seed)
        @settings(
            max_examples=options.records,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(strange_records(sound))
        def attack(forged: Forged) -> None:
            judge(forged, folder / "run", accounts)
            shutil.rmtree(folder / "run")

        attack()
    heads = ["command", "records", "read", "refused", "tracebacks", "broken promises", "longest, CPU s"]
    rows: list[list[str]] = []
    figures: dict[str, dict[str, float]] = {}
    for command, account in accounts.items():
        counts = account.outcomes
        numbers = [
            counts.total(),
            counts["done"],
            counts["refused"],
            counts["traceback"],
            len(account.wrong) - counts["traceback"],
        ]
        rows.append([command, *map(str, numbers), f"{account.seconds:.2f}"])
        figures[command] = {**counts, "wrong": len(account.wrong), "seconds": account.seconds}
    print(table(heads, rows))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\npeak memory {peak:.0f} MiB, {perf_counter() - start:.0f} s in all")
    wrong = [f"{command}: {line}" for command, account in accounts.items() for line in account.wrong]
    print("\n".join(wrong))
    finish(options, {**figures, "all": {"mib": peak}})
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
