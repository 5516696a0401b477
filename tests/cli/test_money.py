"""A limit holds against any server and any kill, and no report has a negative cost."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from contextlib import closing
from math import ceil
from pathlib import Path

import pytest

from otherminds.models import wrapper
from otherminds.models.wrapper import sent
from otherminds.studies.access import CALLS, SpentTokens
from otherminds.studies.run_dir import results
from tests.cases import thinned
from tests.cli.running import otherminds
from tests.models import serving
from tests.models.adversary import LIARS

ROOT = Path(__file__).parents[2]
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
    least = ceil(texts / wrapper.DENSE)
    assert 1 <= len(asked) <= 1000 / least + AT_ONCE < CALLS_PLANNED
    assert "are spent, of" in done.stdout + done.stderr
    spent = SpentTokens(out / CALLS)
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


COMMANDS = {
    "run": ("run", "study.toml", "--out", "out"),
    "shard": ("run", "study.toml", "--out", "out", "--shard", "1/1"),
    "author": (
        "pools",
        "author",
        "--out",
        "out",
        "--sandbox",
        "none",
        "--without",
        "council",
        "--reply-tokens",
        "256",
    ),
}


SILENT, SLOW = 60.0, 0.3
"""Seconds that a reply takes."""


@pytest.mark.parametrize(
    ("command", "late"), thinned([("run", SLOW), ("run", SILENT), ("author", SILENT), ("shard", SLOW)], 2)
)
def test_what_a_killed_command_had_sent_counts_for_the_next(
    command: str, late: float, tmp_path: Path
) -> None:
    """The server serves, over all starts, no more than the limit and the requests in flight."""
    (tmp_path / "study.toml").write_text(STUDY)
    server = serving.scripted()

    def answer(asked: serving.Asked) -> serving.Reply:
        reply = server(asked)
        reply.wait = late if asked.method == "POST" else 0.0
        return reply

    limit = 4000 if command == "author" else 1000
    awaited = (1 if command == "author" else AT_ONCE) + (2 if late == SLOW else 0)
    starts = 0
    with serving.serving(answer) as local:

        def served() -> list[serving.Asked]:
            return [one for one in local.asked or () if one.method == "POST"]

        model = f"openai:toy@{local.url}?context=65536&concurrency={AT_ONCE}"
        words = [*COMMANDS[command], "--model", model, "--max-tokens", str(limit)]
        while starts < 12:
            starts += 1
            before = len(served())
            process = subprocess.Popen(
                [sys.executable, "-m", "otherminds", *words],
                cwd=tmp_path,
                env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}"},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            try:
                while process.poll() is None and len(served()) < before + awaited:
                    time.sleep(0.01)
            finally:
                process.kill()
                said = process.communicate()[0]
            if "are spent, of" in said:
                break
        requests = served()
    least = min(ceil(len(one.raw) / wrapper.DENSE) + 1 for one in requests)
    assert 1 <= starts < 12, said
    (calls,) = (tmp_path / "out").rglob(CALLS)
    with closing(SpentTokens(calls)) as spent:
        ((_, used),) = spent.totals()
    assert used.prompt + used.completion >= limit
    assert used.prompt + used.completion >= sum(sum(server(one).body["usage"].values()) for one in requests)
    if late == SILENT:
        most = sum(sent(len(one.raw), one.body).unanswered().completion for one in requests)
        assert used.estimated_completion == used.completion == most
        assert used.prompt == sum(ceil(len(one.raw) / wrapper.DENSE) for one in requests)
        assert len(requests) <= limit / least + AT_ONCE
