"""How much of secrets in the words of the public release is read, and how often what is read was said.

The sentences (``tests/household/epistemic/words/release_secrets.jsonl``) were written with their meanings after the appendices C, D and F
of Juneja et al. 2026, before the reader was made. Half of them were looked at while it was made. The first rows are the reader
that there was before (``told_freely``), on the same sentences.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.household.epistemic.words.test_colloquial import TRAPS, Score, score, told
from tests.household.epistemic.words.test_worded import ROWS, meant, parts

from otherminds.household.epistemic.words.free import read_worded, told_freely
from otherminds.household.epistemic.words.free.release import Told

READERS: dict[str, Callable[[str, str], Told]] = {
    "told_freely": lambda text, you: tuple(told_freely(text, you)),
    "read_worded": lambda text, you: read_worded(text, you).told,
}


def main() -> None:
    """Prints both tables, and how many traps are read."""
    print_own()
    print()
    print_strangers()
    print(f"\ntraps read: {sum(bool(told(text)) for text in TRAPS)} of {len(TRAPS)}")


def print_strangers() -> None:
    """The table of the secrets by two writers who had not seen the reader."""
    print(f"| writer | half | {' | '.join(Score.__struct_fields__)} | recall | precision |")
    print(f"| --- | --- | {'--- | ' * (len(Score.__struct_fields__) + 2)}".rstrip())
    for writer in ("plain", "colloquial"):
        for half in ("tuned", "held"):
            counts = score(writer, half)
            numbers = [getattr(counts, name) for name in Score.__struct_fields__]
            shares = (f"{counts.right / counts.wanted:.3f}", f"{counts.right / max(1, counts.read):.3f}")
            print(f"| {' | '.join(map(str, (writer, half, *numbers, *shares)))} |")


def print_own() -> None:
    """The table of the sentences that were written together with the reader."""
    print("| reader | half | sentences | parts meant | parts read | right | recall | precision |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, reader in READERS.items():
        for half in ("tuned", "held"):
            rows = [row for row in ROWS if row["half"] == half]
            wanted = [meant(row) for row in rows]
            read = [set(parts(reader(row["text"], row["reader"]), row["reader"])) for row in rows]
            right = sum(len(one & other) for one, other in zip(wanted, read, strict=True))
            all_wanted, all_read = sum(map(len, wanted)), sum(map(len, read))
            cells = (name, half, len(rows), all_wanted, all_read, right)
            shares = (f"{right / all_wanted:.3f}", f"{right / all_read:.3f}")
            print(f"| {' | '.join(map(str, (*cells, *shares)))} |")


if __name__ == "__main__":
    main()
