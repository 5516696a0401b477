"""Hypothetical Minds with several language models: figure 5 of Cross et al. 2025, with models of known ability behind servers.

``otherminds run hm-models --model A --model B`` is the study. Here the models are ``competent`` with three accuracies, each behind a
server with the API of OpenAI in a process of its own, in one scenario of each substrate. Or ``--model`` names others. The table has the reward
per 1,200 steps.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from common import arguments, finish, show
from tables import told

import otherminds as om
from otherminds.measures.cells import tabulate
from otherminds.studies.run_dir import results

ROOT = Path(__file__).parents[1]
SCENARIOS = ("rws-repeated-6-v1", "pd-repeated-5-v1", "rws-arena-6-v1", "cooking-asymmetric-0-v1")
ACCURACIES = (1.0, 0.85, 0.6)
MEASURE = "reward_per_1200_steps"


@contextmanager
def serve_model(model: str) -> Iterator[str]:
    """The URL of a server that answers as ``model``; its process ends with this one."""
    command = [sys.executable, "-m", "tests.models.serving", "--model", model]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--model", action="append", help="a model instead of the three; repeatable")
    parser.add_argument("--scenarios", nargs="*", default=list(SCENARIOS), help="the scenarios")
    parser.add_argument(
        "--episodes", type=int, default=3, help="episodes a scenario (default 3, as in the paper)"
    )
    parser.add_argument("--steps", type=int, default=1000, help="steps of an episode (default 1000)")
    options = parser.parse_args()
    with ExitStack() as stack:
        names: dict[str, str] = {model: model for model in options.model or ()}
        for accuracy in () if options.model else ACCURACIES:
            url = stack.enter_context(serve_model(f"competent:accuracy={accuracy}"))
            names[f"openai:accuracy-{accuracy}@{url}?context=65536"] = f"accuracy {accuracy}"
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()), "run")
        cells = {
            "scenarios": options.scenarios,
            "options": {"steps": options.steps},
            "minds": [{"mind": "hm", "model": "MODEL"}],
            "episodes": options.episodes,
        }
        om.run([cells], folder, models=tuple(names))
        plan, records = results(folder)
        tabulated = tabulate(plan.cells(), records)
    by_model = {model.partition("@")[0] if "@" in model else model: name for model, name in names.items()}
    figures = {
        (cell.scenario.partition(" ")[0], by_model[cell.mind.partition("@")[2]]): cell.more[MEASURE]
        for cell in tabulated
    }
    rows = [
        (scenario, *(told(figures[scenario, name]) for name in names.values()))
        for scenario in options.scenarios
    ]
    show(f"reward per 1,200 steps, {options.episodes} episodes", ("scenario", *names.values()), rows)
    finish(options, {f"{scenario}.{name}": figure.mean for (scenario, name), figure in figures.items()})


if __name__ == "__main__":
    main()
