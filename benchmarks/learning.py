"""Trains the shipped configurations with several seeds and reports what they learnt.

    python benchmarks/learning.py runs/learn --jobs 2          # trains, or resumes
    python benchmarks/learning.py runs/learn --report          # tables and curves in docs/results
    python benchmarks/learning.py runs/learn --ship            # the weights of the package

Each training is a process of its own with one thread. Returns are over the first 1,000 steps of episodes, without
pseudo-rewards; intervals are over seeds (Student's t, 95 %).
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from scipy import stats

from otherminds.minds.learned.files import SHIPPED

DOCS = Path(__file__).parent.parent / "docs" / "results"
SUBSTRATES = ("pd-repeated", "rws-repeated", "cooking-asymmetric", "rws-arena")
KINDS = {"ppo": "C0", "opre": "C1", "ppo_scripted": "C2"}
"""The ends of the names of configurations, and their colours."""


def train(out: Path, name: str, seed: int) -> None:
    folder = out / f"{name}-{seed}"
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "JAX_COMPILATION_CACHE_DIR": str((out / "xla").resolve()),
        "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    }
    with (folder / "log.txt").open("a") as log:
        command = [
            sys.executable,
            "-m",
            "otherminds",
            "train",
            name,
            "--out",
            str(folder),
            "--seed",
            str(seed),
        ]
        code = subprocess.run(command, env=environment, stdout=log, stderr=log, check=False).returncode
    print(f"{folder}: exit code {code}", flush=True)


def ship(out: Path) -> None:
    """Writes the first member of each training into the package.

    Its weights are rounded to half precision, so that three trainings of each kind have at most 2 MB a substrate.
    """
    from safetensors import safe_open
    from safetensors.numpy import save_file

    for path in sorted(out.glob("*-[0-9]/policy-0.safetensors")):
        name, seed = path.parent.name.rsplit("-", 1)
        substrate, kind = name.rsplit("-", 1)
        with safe_open(path, "numpy") as file:
            names = file.keys()
            tensors = {tensor: file.get_tensor(tensor).astype(np.float16) for tensor in names}
            save_file(tensors, SHIPPED / f"{kind}-{substrate}-{seed}.safetensors", file.metadata())


def rows(folder: Path) -> list[dict[str, float]]:
    with (folder / "curve.csv").open() as file:
        return [{name: float(text) for name, text in row.items()} for row in csv.DictReader(file)]


def mean_of_members(row: dict[str, float], name: str) -> float:
    found = [
        value for key, value in row.items() if key.startswith(f"{name} ") and key[len(name) + 1 :].isdigit()
    ]
    return float(np.mean(found))


def shown(row: dict[str, float]) -> float:
    """Behaviours that a seat showed in 1,000 steps: duels whose inventory has a class with most, or acts."""
    return sum(value for name, value in row.items() if name.startswith("shown "))


def interval(values: list[float]) -> str:
    if len(values) < 2:
        return f"{values[0]:.1f}"
    half = stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{np.mean(values):.1f} ± {half:.1f}"


def report(out: Path) -> None:
    import matplotlib.pyplot as plt

    lines = [
        "| configuration | seeds | steps | with the partners of the training, first | last | among random players, first | last | encounters, first | last | prediction |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    times: dict[str, float] = {}
    figure, axes = plt.subplots(2, 4, figsize=(14, 6), layout="constrained")
    for column, substrate in enumerate(SUBSTRATES):
        for algorithm, colour in KINDS.items():
            folders = sorted(out.glob(f"{substrate}-{algorithm}-[0-9]"))
            done = [folder for folder in folders if (folder / "policy-0.safetensors").exists()]
            if not done:
                continue
            curves = [rows(folder) for folder in done]
            cells = [f"`{substrate}-{algorithm}`", str(len(done)), f"{curves[0][-1]['steps']:,.0f}"]
            for name in ("own", "random"):
                cells += [interval([mean_of_members(curve[at], name) for curve in curves]) for at in (0, -1)]
            cells += [interval([shown(curve[at]) for curve in curves]) for at in (0, -1)]
            cells.append(interval([100 * curve[-1]["probe"] for curve in curves]) + " %")
            lines.append(f"| {' | '.join(cells)} |")
            for line, name in enumerate(("own", "random")):
                for curve in curves:
                    steps = [row["steps"] / 1e6 for row in curve]
                    axes[line, column].plot(
                        steps, [mean_of_members(row, name) for row in curve], colour, alpha=0.8
                    )
                axes[line, column].set_title(
                    f"{substrate}, {'partners of the training' if name == 'own' else 'random players'}",
                    fontsize=9,
                )
            for folder in done:
                for part, seconds in json.loads((folder / "times.json").read_text()).items():
                    times[part] = times.get(part, 0.0) + seconds
    for axis in axes[1]:
        axis.set_xlabel("million steps")
    for kind, colour in KINDS.items():
        axes[0, 0].plot([], [], colour, label=kind)
    axes[0, 0].legend()
    figure.savefig(DOCS / "learning.svg")
    step = {part: seconds for part, seconds in times.items() if part != "evaluating"}
    total = sum(step.values())
    lines += ["", "| part of a training step | share of processor time |", "|---|---|"]
    lines += [f"| {part} | {100 * seconds / total:.1f} % |" for part, seconds in step.items()]
    print("\n".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="names of configurations, with commas")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--ship", action="store_true")
    given = parser.parse_args()
    if given.report:
        report(given.out)
        return
    if given.ship:
        ship(given.out)
        return
    todo = [
        (f"{substrate}-{algorithm}", seed)
        for algorithm in KINDS
        for seed in range(given.seeds)
        for substrate in SUBSTRATES
        if not given.only or f"{substrate}-{algorithm}" in given.only.split(",")
    ]
    with ThreadPoolExecutor(given.jobs) as pool:
        for name, seed in todo:
            pool.submit(train, given.out, name, seed)


if __name__ == "__main__":
    main()
