"""Hostile model files, each in a study of two episodes through the command line in this process.

One episode scores continuations, one replies through the chat template. The copies are made from the structure of a
sound file: each key and each field of a tensor with extreme values, lists of other lengths and types, cuts, flipped
bits, and chat templates. Counted is where each ended; this process must outlive all of them.

``--part files`` reads hostile policies, packed scenes, segments, databases of replies and archives of arrays, each kind
in a process of its own, whose memory is measured.

``--part speed`` compares calls of the embedded model in its process with calls in this one.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from itertools import chain, islice
from os import sysconf
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from common import arguments, finish, show

sys.path.insert(0, str(Path(__file__).parent.parent))

from embedded_model import here
from tests.cli.running import Done, otherminds
from tests.hostile_files import DOORS
from tests.models.hostile_gguf import hostile, templates

from otherminds.core.errors import OtherMindsError, ProviderError
from otherminds.models.embedded import Embedded, Engine, LlamaProcess
from otherminds.models.files import find, inspect

STUDY = """name = "loads"
[[cells]]
scenarios = ["rps-single-v1"]
rounds = 1
episodes = 1
minds = ["lm@gguf:PATH", { mind = "cot", model = "gguf:PATH", params = { max_tokens = 8 } }]
"""
CODES = (0, 1, 2, 3)
"""Done, an episode failed, refused, and a model that said nothing."""
LATE = 90.0
"""Seconds after which a study of two episodes counts as hanging."""


def outcome(done: Done, path: Path, seconds: float) -> tuple[str, str]:
    """How a study ended, and what promise that broke, if any."""
    said = done.stdout + done.stderr
    broken = [
        why
        for why, wrong in (
            ("a traceback", "Traceback" in said),
            (f"exit code {done.returncode}", done.returncode not in CODES),
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


def attack(each: int, seed: int) -> tuple[dict[str, Counter[str]], list[str], float]:
    """Counts of outcomes for each group, for one of ``each`` copies, broken promises, and the longest study in seconds."""
    found: dict[str, Counter[str]] = {}
    wrong: list[str] = []
    longest = 0.0
    with TemporaryDirectory() as name:
        path, study = Path(name) / "mutated.gguf", Path(name) / "loads.toml"
        study.write_text(STUDY.replace("PATH", str(path)))
        chosen = (("structure and bytes", *one) for one in islice(hostile(seed), 0, None, each))
        hostile_templates = (("chat templates", *one) for one in templates())
        for number, (group, title, data) in enumerate(chain(chosen, hostile_templates)):
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


def read_all(kind: str, folder: Path) -> dict[str, Any]:
    """Reads each copy of a kind in ``folder``: counts, broken promises, and the longest in seconds."""
    door = DOORS[kind]
    found: Counter[str] = Counter()
    wrong: list[str] = []
    longest = 0.0
    for source in sorted(folder.iterdir()):
        with TemporaryDirectory() as name:
            path = Path(name) / f"mutated.{door.ending}"
            source.rename(path)
            began = perf_counter()
            try:
                door.read(path)
                found["read"] += 1
            except OtherMindsError as error:
                found["refused"] += 1
                said = str(error)
                if "\n" in said or "mutated" not in said:
                    wrong.append(f"{source.name}: {said[:200]!r}")
            except Exception as error:  # noqa: BLE001 - any other exception is what is looked for
                found["other errors"] += 1
                wrong.append(f"{source.name}: {type(error).__name__}: {str(error)[:200]!r}")
            longest = max(longest, perf_counter() - began)
    status = Path("/proc/self/status").read_text()  # getrusage counts what was there before exec
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    return {**found, "wrong": wrong, "longest": longest, "mib": peak}


def open_doors(seed: int) -> dict[str, dict[str, Any]]:
    """The figures of :func:`read_all` for each kind of file."""
    found: dict[str, dict[str, Any]] = {}
    for kind, door in DOORS.items():
        with TemporaryDirectory() as name:
            titles: list[str] = []
            for number, (title, data) in enumerate(door.copies(Random(seed))):
                (Path(name) / f"{number:05}").write_bytes(data)
                titles.append(title)
            command = [sys.executable, __file__, "--part", "files", "--read", kind, name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                figures: dict[str, Any] = {"wrong": [f"exit code {done.returncode}: {done.stderr[-300:]}"]}
            else:
                figures = json.loads(done.stdout)
            figures["wrong"] = [
                f"{kind}, {titles[int(one[:5])]}: {one}" if one[:5].isdecimal() else one
                for one in figures["wrong"]
            ]
            found[kind] = {"copies": len(titles), **figures}
    return found


def processor_time(way: Embedded) -> float:
    """Seconds of processor time of this process and of the model's own one, if it has one."""
    process = way._engine._process
    if not isinstance(process, LlamaProcess):
        return process_time()
    fields = Path(f"/proc/{process.number}/stat").read_text().rpartition(")")[2].split()
    return process_time() + (int(fields[11]) + int(fields[12])) / sysconf("SC_CLK_TCK")


def speed(times: int) -> list[tuple[str, float, float, float, float]]:
    """Calls per second of each kind in this process and in one of their own, and their ratio.

    The same call is made in both, by turns; all are medians, the ratio that of the pairs. The last is the ratio of
    processor times, which depends less on what else runs.
    """
    path = find("smollm2")
    ways = [Embedded("smollm2", here(path)), Embedded("smollm2", Engine(path))]
    rows: list[tuple[str, float, float, float, float]] = []
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
        used = [0.0, 0.0]
        for turn in range(times):
            for which in (0, 1) if turn % 2 else (1, 0):
                began, before = perf_counter(), processor_time(ways[which])
                call(ways[which], turn)
                spent[which].append(perf_counter() - began)
                used[which] += processor_time(ways[which]) - before
        ratio = median(one / other for one, other in zip(*spent, strict=True))
        rows.append((title, 1 / median(spent[0]), 1 / median(spent[1]), ratio, used[0] / used[1]))
    return rows


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--each", type=int, default=1, help="try every N-th copy (default: all)")
    parser.add_argument("--part", choices=("gguf", "files", "speed"), default="gguf")
    parser.add_argument("--read", nargs=2, metavar=("KIND", "FOLDER"), help=argparse.SUPPRESS)
    parser.add_argument("--times", type=int, default=100, help="calls of each kind (default 100)")
    options = parser.parse_args()
    if options.part == "speed":
        rows = speed(options.times)
        show(
            "Calls of the embedded model per second",
            ("call", "in this process", "in its own", "ratio", "of processor times"),
            [
                (title, f"{one:.1f}", f"{other:.1f}", f"{ratio:.3f}", f"{work:.3f}")
                for title, one, other, ratio, work in rows
            ],
        )
        finish(options, {title: [ratio, work] for title, _, _, ratio, work in rows}, ("xllamacpp",))
        return
    if options.read:
        print(json.dumps(read_all(options.read[0], Path(options.read[1]))))
        return
    if options.part == "files":
        doors = open_doors(options.seed)
        heads = ("copies", "read", "refused", "other errors", "longest", "mib")
        show(
            "Hostile files",
            ("kind", *heads[:4], "longest, s", "peak memory, MiB", "broken promises"),
            [
                (
                    kind,
                    *(f"{one.get(head, 0):.0f}" for head in heads[:4]),
                    f"{one.get('longest', 0):.1f}",
                    f"{one.get('mib', 0):.0f}",
                    str(len(one["wrong"])),
                )
                for kind, one in doors.items()
            ],
        )
        faults = [fault for one in doors.values() for fault in one["wrong"]]
        print(*faults, sep="\n")
        finish(options, doors)
        sys.exit(bool(faults))
    found, wrong, longest = attack(options.each, options.seed)
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
