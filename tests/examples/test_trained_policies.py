"""The examples that train a policy with PyTorch; left out where PyTorch or Stable-Baselines3 is not installed."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "with_torch"


@pytest.mark.parametrize(
    ("example", "package", "little", "enough"),
    [("train_with_sb3.py", "stable_baselines3", 0, 2000), ("train_like_cleanrl.py", "torch", 0, 25)],
)
def test_training_raises_f_from_ignorance_to_the_best_reply(
    example: str, package: str, little: int, enough: int
) -> None:
    pytest.importorskip(package)
    run: dict[str, Any] = runpy.run_path(str(EXAMPLES / example))
    train, score = run["train"], run["score"]
    assert score("informed") == pytest.approx(1.0)
    assert score("blind") == pytest.approx(0.0)
    assert score(train(little)) < 0.6
    assert score(train(enough)) > 0.85
