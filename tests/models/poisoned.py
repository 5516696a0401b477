"""A server with a fault that repeats, and a study against it; for tests and ``benchmarks/hardening_server.py``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides
from tests.models import serving
from tests.models.services import Quiet

STUDY = """
name = "poisoned"
episodes = 300
rounds = 1
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = ["qa@MODEL"]
"""
"""Two calls an episode."""
SLOW_DOWN = {"error": {"message": "slow down"}}
SHAPES = {
    "no choices": serving.Reply({"choices": []}),
    "no JSON": serving.Reply(b"<html>hello</html>"),
    "another type": serving.Reply({"choices": [{"message": {"content": {"text": "A: Option J"}}}]}),
}
"""Replies in a wrong form."""
WAITS = {
    "Retry-After: 1e9": serving.Reply(SLOW_DOWN, 429, {"retry-after": "1e9"}),
    "retry-after-ms: 1e15": serving.Reply(SLOW_DOWN, 503, {"retry-after-ms": "1e15"}),
}
"""Faults that ask for a wait of years."""


class Poisoned:
    """Answers as a scripted model, but one request in ``one_in`` with ``bad``, always or ``once``.

    A request is known by its whole text, seed included, so that a repetition of it is the same one; the
    first is the one at a quarter of ``one_in``.
    """

    def __init__(self, bad: serving.Reply, one_in: int = 400, once: bool = False) -> None:
        self.bad = bad
        self.one_in = one_in
        self.once = once
        self.asked: Counter[bytes] = Counter()
        self.poisoned: set[bytes] = set()
        self._answer = serving.scripted()

    def __call__(self, asked: Any) -> serving.Reply:
        if asked.method != "POST":
            return self._answer(asked)
        if asked.raw not in self.asked and len(self.asked) % self.one_in == self.one_in // 4 - 1:
            self.poisoned.add(asked.raw)
        self.asked[asked.raw] += 1
        bad = asked.raw in self.poisoned and not (self.once and self.asked[asked.raw] > 1)
        return self.bad if bad else self._answer(asked)


def played(server: Poisoned, tmp_path: Path, episodes: int) -> tuple[dict[str, int], Counter[str]]:
    """The states in the ledger after a run of ``episodes``, and the outcomes of its records."""
    (tmp_path / "study.toml").write_text(STUDY)
    with serving.serving(server) as local:
        model = f"openai:toy@{local.url}?context=9000"
        plan = plan_file(tmp_path / "study.toml", RunOverrides((model,), episodes=episodes))
        states = run(plan, tmp_path / "out", Quiet())
    return states, Counter(record.outcome.status for record in results(tmp_path / "out")[1])
