"""Hostile model files, each in a study of two episodes through the command line in this process.

One episode scores continuations, one replies through the chat template. The copies are made from the structure of a
sound file: each key and each field of a tensor with extreme values, lists of other lengths and types, cuts, flipped
bits, and chat templates. Counted is where each ended; this process must outlive all of them.

``--part speed`` compares calls of the embedded model in its process with calls in this one.
"""

from __future__ import annotations

import resource
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from common import arguments, finish, show

sys.path.insert(0, str(Path(__file__).parent.parent))

from embedded_model import here
from tests.cli.running import Done, otherminds
from tests.models.hostile_gguf import hostile, templates

from otherminds.core.errors import ProviderError
from otherminds.models.embedded import Embedded, Engine
from otherminds.models.gguf import inspect
from otherminds.models.pull import find

STUDY = """name = "loads"
[[cells]]
scenarios = ["rps-single-v1"]
rounds = 1
episodes = 1
minds = ["lm@gguf:PATH", { mind = "cot", model = "gguf:PATH", params = { max_tokens = 8 } }]
"""
LATE = 90.0
"""Seconds after which a study of two episodes counts as hanging."""


def outcome(done: Done, path: Path, seconds: float) -> tuple[str, str]:
    """How a study ended, and what promise that broke, if any."""
    said = done.stdout + done.stderr
    broken = [
        why
        for why, wrong in (
            ("a traceback", "Traceback" in said),
            (f"exit code {done.returncode}", done.returncode not in (0, 1, 2)),
            ("the file is not named", path.stem not in said),
            (f"{seconds:.0f} s", seconds > LATE),
            ("more than one line", done.returncode == 2 and done.stderr.strip().count("\n") > 0),
        )
        if wrong
    ]
    if "llama.cpp ended" in said or "llama.cpp gives no" in said or "llama.cpp has gone" in said:
        kind = "its process ended, one line"
    elif done.returncode == 2:
        kind = (
            "refused by llama.cpp, one line"
            if "cannot load" in said
            else "refused before llama.cpp, one line"
        )
    else:
        kind = "an episode failed, one line" if done.returncode else "played"
    return kind, ", ".join(broken)


def attack(count: int, seed: int) -> tuple[dict[str, Counter[str]], list[str], float]:
    """Counts of outcomes for each group of copies, broken promises, and the longest study in seconds."""
    found: dict[str, Counter[str]] = {}
    wrong: list[str] = []
    longest = 0.0
    with TemporaryDirectory() as name:
        path, study = Path(name) / "mutated.gguf", Path(name) / "loads.toml"
        study.write_text(STUDY.replace("PATH", str(path)))
        copies = [("structure and bytes", *one) for one in hostile(seed)]
        chosen = copies[:: max(1, len(copies) // count)] if count else copies
        for number, (group, title, data) in enumerate(
            [*chosen, *(("chat templates", *one) for one in templates())]
        ):
            path.write_bytes(data)
            counts = found.setdefault(group, Counter())
            began = perf_counter()
            with suppress(ProviderError):
                inspect(path)
                counts["passed the check of the header"] += 1
            done = otherminds("run", study, "--out", Path(name) / f"out-{number}")
            seconds = perf_counter() - began
            longest = max(longest, seconds)
            kind, broken = outcome(done, path, seconds)
            counts[kind] += 1
            if kind.startswith("its process"):
                print(
                    title,
                    [line for line in done.stderr.splitlines() if "llama.cpp" in line][:1],
                    file=sys.stderr,
                )
            if broken:
                wrong.append(f"{title}: {broken}: {(done.stdout + done.stderr)[-300:]!r}")
    return found, wrong, longest


def speed(times: int) -> list[tuple[str, float, float]]:
    """Calls per second of each kind in this process and in one of their own, by turns: medians."""
    path = find("smollm2")
    ways = [Embedded("smollm2", here(path)), Embedded("smollm2", Engine(path))]
    rows: list[tuple[str, float, float]] = []
    history = "In round {}, you chose Option J and the other chose Option F.\n"
    request = {"messages": [{"role": "user", "content": "Count."}], "top_k": 0, "temperature": 1.0, "seed": 1}

    def score(way: Embedded, turn: int) -> object:
        prompt = "".join(history.format(k) for k in range(turn % 20 + 1))
        return way._score(f"{prompt}Q: Which?\nA: Option", [" J", " F"])

    def reply(way: Embedded, turn: int) -> object:
        return way._engine.chat({**request, "max_tokens": 8})

    def count(way: Embedded, turn: int) -> object:
        return way.count(f"{history} {turn}")

    for title, call in (
        ("score, two continuations", score),
        ("reply of 8 tokens", reply),
        ("count tokens", count),
    ):
        spent: list[list[float]] = [[], []]
        for turn in range(times):
            for which in (0, 1) if turn % 2 else (1, 0):
                began = perf_counter()
                call(ways[which], turn)
                spent[which].append(perf_counter() - began)
        rows.append((title, 1 / median(spent[0]), 1 / median(spent[1])))
    return rows


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--mutants", type=int, default=0, help="about so many copies (default all)")
    parser.add_argument("--part", choices=("gguf", "speed"), default="gguf")
    parser.add_argument("--times", type=int, default=100, help="calls of each kind (default 100)")
    options = parser.parse_args()
    if options.part == "speed":
        rows = speed(options.times)
        show(
            "Calls of the embedded model per second",
            ("call", "in this process", "in its own", "ratio"),
            [(title, f"{one:.1f}", f"{other:.1f}", f"{other / one:.3f}") for title, one, other in rows],
        )
        finish(options, {title: other / one for title, one, other in rows}, ("xllamacpp",))
        return
    found, wrong, longest = attack(options.mutants, options.seed)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    show(
        f"Hostile GGUF files: longest study {longest:.1f} s, peak memory of this process {peak:.0f} MiB",
        ("copies of", "ended as", "number"),
        [(group, kind, str(n)) for group, counts in found.items() for kind, n in sorted(counts.items())],
    )
    print(f"broken promises: {len(wrong)}", *wrong, sep="\n")
    figures = {group: dict(counts) for group, counts in found.items()}
    finish(options, {**figures, "wrong": len(wrong), "longest": longest, "mib": peak}, ("xllamacpp",))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
