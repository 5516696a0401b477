"""The example study of the README: the file is what the README shows, and it takes minutes."""

from __future__ import annotations

import re
from pathlib import Path

from otherminds.studies.dry_run import estimate
from otherminds.studies.plan import plan_file

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "my_study.toml"


def test_the_readme_shows_the_example_as_it_is() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"```toml\n(.*?)```", readme, re.DOTALL)
    assert shown == EXAMPLE.read_text(encoding="utf-8")
    commands = readme.split(shown)[1].split("```")[2]
    assert {word for word in commands.split() if word.endswith(".toml")} == {"examples/my_study.toml"}


def test_the_example_asks_its_model_few_questions() -> None:
    """A processor takes about 1 s for a call of the embedded model."""
    plan = plan_file(EXAMPLE)
    needs = estimate(plan)
    assert {mind for _, mind in needs} == {"lm@smollm2"}
    assert sum(need.calls for need in needs.values()) <= 120
    assert len(plan.episodes) < 100
