"""The command ``otherminds train``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from otherminds.gridworlds import training_command as training
from tests.cli.running import otherminds

TINY = 'substrate = "pd-repeated-v1"\nworlds = 2\nlength = 8\nsteps = 32\nminibatches = 1\nevaluations = 1\n'


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "find_spec", lambda name: None)
    done = otherminds("train", "pd-repeated-ppo", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr == f"otherminds: {training.LACKING}\n"
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not find_spec("jax"), reason="needs the extra 'learn'")
class TestWithTheExtra:
    def test_it_trains_and_names_the_policies(self, tmp_path: Path) -> None:
        file, out = tmp_path / "tiny.toml", tmp_path / "out"
        file.write_text(TINY)
        done = otherminds("train", file, "--out", out, "--seed", 5, "--steps", 64)
        assert done.returncode in {None, 0}, done.stderr
        assert done.stdout.split() == [str(out / f"policy-{member}.safetensors") for member in range(2)]
        assert "64 of 64 steps" in done.stderr
        assert '"seed": 5' in (out / "training.json").read_text()

    def test_an_unknown_name_lists_those_that_are_near(self, tmp_path: Path) -> None:
        done = otherminds("train", "pd-repeated-pppo", "--out", tmp_path)
        assert done.returncode == 2
        assert "did you mean pd-repeated-ppo" in done.stderr
        assert done.stderr.count("\n") == 1
