"""What ``--dry-run`` estimates against what a run with the embedded model takes.

Estimates a small study twice: by rehearsal, before anything is played, and from the
first episode of each cell; then plays it whole and compares. A rehearsal takes every
reply to be readable at once, so that it can only be right where the model is asked
once: for LM prompting and with models that keep to the form.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from common import arguments, finish, show

from otherminds.studies.dry_run import CellUsage, Key, estimate
from otherminds.studies.plan import ego, plan_file
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides

STUDY = """
name = "dry_run"
rounds = {rounds}
episodes = {episodes}
[[cells]]
scenarios = ["ipd-tit_for_tat-v1", "rps-single-v1"]
minds = [
    "lm@smollm2",
    {{ mind = "social_lm", model = "smollm2", params = {{ tries = 20 }} }},
    {{ mind = "reflexion", model = "smollm2", params = {{ tries = 20, reflection_tokens = 64 }} }},
]
"""
WITHIN = 0.2


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=8, help="rounds of an episode (default 8)")
    parser.add_argument("--episodes", type=int, default=3, help="episodes of a cell (default 3)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study, out = folder / "dry_run.toml", folder / "out"
        study.write_text(STUDY.format(rounds=options.rounds, episodes=options.episodes), encoding="utf-8")
        plan, progress = plan_file(study), ShownProgress()
        rehearsed = estimate(plan)
        run(plan_file(study, RunOverrides(episodes=1)), out, progress)
        reckoned = estimate(plan, results(out)[1])
        run(plan, out, progress)
        progress.close()
        used: dict[Key, int] = {}
        for record in results(out)[1]:
            key = (record.spec.title, ego(record.spec).title)
            took = sum(call.prompt_tokens + call.completion_tokens for call in record.calls)
            used[key] = used.get(key, 0) + took
    rows = [
        [
            *key,
            used[key],
            _all(rehearsed[key]),
            _off(rehearsed[key], used[key]),
            _all(reckoned[key]),
            _off(reckoned[key], used[key]),
        ]
        for key in used
    ]
    total = sum(used.values())
    before, after = (CellUsage(sum(map(_all, found.values())), 0) for found in (rehearsed, reckoned))
    rows.append(["in all", "", total, _all(before), _off(before, total), _all(after), _off(after, total)])
    columns = ["scenario", "mind", "tokens used", "rehearsed", "off", "from 1 episode", "off"]
    show(f"Dry run against run: {options.rounds} rounds, {options.episodes} episodes a cell", columns, rows)
    figures = {
        "rehearsed, LM": max(
            abs(_all(rehearsed[key]) / used[key] - 1) for key in used if key[1].startswith("lm@")
        ),
        "from one episode, in all": abs(_all(after) / total - 1),
    }
    finish(
        options,
        {name: {"value": value, "unit": "share of the tokens used"} for name, value in figures.items()},
    )
    if max(figures.values()) > WITHIN:
        raise SystemExit(f"an estimate is more than {WITHIN:.0%} off")


def _all(needs: CellUsage) -> int:
    return needs.read + needs.written


def _off(needs: CellUsage, used: int) -> str:
    return f"{100 * (_all(needs) / used - 1):+.0f} %"


if __name__ == "__main__":
    main()
