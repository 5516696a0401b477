"""A limit holds against a server that states false counts or none, and no report has a negative cost."""

from __future__ import annotations

import re
from math import ceil
from pathlib import Path

import pytest

from otherminds.models import billing
from otherminds.studies.access import CALLS, Spent
from otherminds.studies.run_dir import results
from tests.cli.running import otherminds
from tests.models import serving
from tests.models.adversary import LIARS

STUDY = """
name = "lied"
episodes = 400
rounds = 1
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = ["qa@MODEL"]
"""
CALLS_PLANNED = 800
AT_ONCE = 4
PRICES = '["openai:toy"]\ninput = 1000\noutput = 1000\ncached_input = 1\n'
"""US dollars for a million tokens, so that a limit of 1 dollar is 1,000 tokens."""


@pytest.mark.parametrize("limit", [("--max-cost", "1"), ("--max-tokens", "1000")], ids=["cost", "tokens"])
@pytest.mark.parametrize("name", LIARS)
def test_a_limit_ends_a_study_with_any_server(name: str, limit: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "prices.toml").write_text(PRICES)
    out = tmp_path / "out"
    with serving.serving(LIARS[name]) as local:
        model = f"openai:toy@{local.url}?context=9000&concurrency={AT_ONCE}&timeout=5"
        prices = ("--prices", tmp_path / "prices.toml")
        done = otherminds("run", tmp_path / "study.toml", "--model", model, "--out", out, *prices, *limit)
        asked = [one for one in local.asked or () if one.method == "POST"]
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    texts = min(sum(len(one["content"]) for one in request.body["messages"]) for request in asked)
    least = ceil(texts / billing.DENSE)
    assert 1 <= len(asked) <= 1000 / least + AT_ONCE < CALLS_PLANNED
    assert "are spent, of" in done.stdout + done.stderr
    spent = Spent(out / CALLS)
    ((_, used),) = spent.totals()
    spent.close()
    assert used == used.possible
    assert used.prompt + used.completion >= 1000
    assert used.estimated_prompt == used.prompt
    report = otherminds("report", out, "--json")
    assert not re.search(r'"(?:dollars|money)": ?-', report.stdout)
    recorded = [call for record in results(out)[1] for call in record.calls]
    assert all(call.estimated_prompt == call.prompt_tokens > 0 for call in recorded)
    if recorded:
        assert "are estimated from the bytes" in otherminds("report", out).stdout
    assert (
        f"{used.estimated_prompt + used.estimated_completion:,} of them estimated"
        in otherminds("status", out).stdout
    )


def test_an_honest_server_is_believed(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY.replace("400", "5"))
    with serving.serving() as local:
        model = f"openai:toy@{local.url}?context=9000"
        done = otherminds("run", tmp_path / "study.toml", "--model", model, "--out", tmp_path / "out")
    assert done.returncode == 0
    recorded = [call for record in results(tmp_path / "out")[1] for call in record.calls]
    assert len(recorded) == 10
    assert all(call.usage.estimated == call.usage.estimated.possible for call in recorded)
    assert not any(call.estimated_prompt or call.estimated_completion for call in recorded)
    assert "estimated from the bytes" not in otherminds("report", tmp_path / "out").stdout
