"""``otherminds policies``: lists, describes and keeps weights; every error is one line."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from otherminds.minds.learned import files
from tests.cli.running import otherminds
from tests.minds.learned.making import policy_file


@pytest.fixture(autouse=True)
def _empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(files.VARIABLE, str(tmp_path / "data"))
    monkeypatch.setattr(files, "SHIPPED", tmp_path / "shipped")


def test_a_policy_is_pulled_listed_and_shown(tmp_path: Path) -> None:
    source = policy_file(tmp_path, "rws-arena", "opre")
    found = hashlib.sha256(source.read_bytes()).hexdigest()
    assert "no policies" in otherminds("policies", "list").stdout
    pulled = otherminds("policies", "pull", source, "--sha256", found, "--name", "mine")
    assert pulled.returncode == 0
    assert pulled.stdout.splitlines() == [
        str(tmp_path / "data" / "policies" / "mine.safetensors"),
        f"mine: opre in rws-arena-v1, 1,000 steps, seed 3, {source.stat().st_size:,} bytes",
        f"sha256 {found}",
    ]
    policy_file(tmp_path / "shipped", "rws-repeated")
    head, *lines = otherminds("policies", "list").stdout.splitlines()
    assert head.split() == ["name", "algorithm", "substrate", "steps", "seed", "bytes", "SHA-256", "from"]
    assert [line.split()[:2] for line in lines] == [["mine", "opre"], ["ppo-rws-repeated-0", "ppo"]]
    assert lines[1].endswith("package")
    shown = otherminds("policies", "show", "mine").stdout
    for words in (f"sha256        {found}", "others        7", "policy.w  4 x 64 x 8", "prior.b   4 "):
        assert words in shown
    assert otherminds("policies", "show", source).stdout.replace(source.stem, "mine") == shown


def test_a_damaged_file_does_not_hide_the_others(tmp_path: Path) -> None:
    policy_file(tmp_path / "shipped", "rws-repeated")
    kept = tmp_path / "data" / "policies"
    kept.mkdir(parents=True)
    (kept / "damaged.safetensors").write_bytes(b"damaged")
    done = otherminds("policies", "list")
    assert done.returncode == 0
    assert "ppo-rws-repeated-0" in done.stdout
    assert "damaged.safetensors: no safetensors file" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "nobody"), "no policy is called 'nobody'"),
        (("show", "none.safetensors"), "there is no policy file 'none.safetensors'"),
        (("pull", "none.safetensors"), "cannot be read"),
        (("pull", "x", "--sha256", "1"), "64 hexadecimal digits"),
        (("pull", "http://[x/a.safetensors"), "is no URL"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(words: tuple[str, ...], said: str) -> None:
    done = otherminds("policies", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("otherminds: ")
