"""The example study of the README: the file is what the README shows, and it takes minutes."""

from __future__ import annotations

from pathlib import Path

from otherminds.studies.estimate import estimate
from otherminds.studies.plan import plan_file

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "my_study.toml"


def test_the_example_asks_its_model_few_questions() -> None:
    """A processor takes about 1 s for a call of the embedded model."""
    plan = plan_file(EXAMPLE)
    needs = estimate(plan)
    assert {mind for _, mind in needs} == {"lm@smollm2"}
    assert sum(need.calls for need in needs.values()) <= 120
    assert len(plan.episodes) < 100
