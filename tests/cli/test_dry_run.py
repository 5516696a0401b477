"""A dry run lists all that would stop the run, and says what time and money it takes."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from otherminds.core.record import Timing
from otherminds.studies.dry_run import ModelTime, Pace, estimate, times
from otherminds.studies.plan import plan_file
from tests.cli.running import Done, otherminds

STUDY = """
name = "dry"
episodes = 4
rounds = 5
[[cells]]
scenarios = ["rps-single-v1"]
minds = [{minds}]
"""
PRICES = '["openai:one"]\ninput = 1000.0\noutput = 1000.0\n'


def dry(folder: Path, minds: str, *words: object, out: Path | None = None) -> Done:
    (folder / "dry.toml").write_text(STUDY.format(minds=minds))
    before = sorted(folder.rglob("*"))
    done = otherminds("run", folder / "dry.toml", "--out", out or folder / "out", "--dry-run", *words)
    assert sorted(folder.rglob("*")) == before, "a dry run leaves nothing behind"
    return done


class Listing(BaseHTTPRequestHandler):
    """A server that lists two models."""

    def do_GET(self) -> None:
        body = b'{"data": [{"id": "one"}, {"id": "two"}]}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None: ...


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Listing) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}/v1"
        listening.shutdown()


def test_everything_that_would_stop_the_run_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (tmp_path / "file").write_text("no folder")
    (tmp_path / "cache").write_text("no cache")
    minds = '"rmax", "lm@gguf:gone.gguf", "qa@anthropic:claude", "qa@openai:x@http://127.0.0.1:9/v1"'
    done = dry(tmp_path, minds, "--ask-servers", "--cache", tmp_path / "cache", out=tmp_path / "file" / "out")
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert lines[0].endswith("dry.toml: 5 errors:")
    for line, text in zip(
        lines[1:],
        (
            "file/out: cannot be written",
            "cache: cannot be used (file is not a database)",
            "gone.gguf",
            "ANTHROPIC_API_KEY",
            "127.0.0.1:9",
        ),
        strict=True,
    ):
        assert text in line
    assert "16 episodes" in done.stdout, "the plan is printed nevertheless"


def test_faults_of_the_study_and_of_folders_are_listed_together(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    done = dry(tmp_path, '"rmaxx", "bayess"', out=tmp_path / "file" / "out")
    assert done.returncode == 2
    assert all(text in done.stderr for text in ("3 errors", "rmaxx", "bayess", "cannot be written"))


def test_a_folder_of_another_study_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    done = dry(tmp_path, '"rmax"')
    assert done.returncode == 2
    assert "is not empty and holds no study" in done.stderr


def test_a_limit_below_the_estimate_is_a_warning(tmp_path: Path, server: str) -> None:
    (tmp_path / "prices.toml").write_text(PRICES)
    model = f'"qa@openai:one@{server}"'
    words = ("--prices", tmp_path / "prices.toml", "--max-cost", 0.5, "--max-tokens", 10)
    done = dry(tmp_path, model, *words)
    assert done.returncode == 0, done.stderr
    assert "warning: --max-cost 0.5 is less than the estimated" in done.stdout
    assert "warning: --max-tokens 10 is less than the estimated" in done.stdout
    assert "for the episodes of openai:one (2,000 tokens read and 50 written a second: assumed" in done.stdout
    enough = dry(tmp_path, model, "--prices", tmp_path / "prices.toml", "--max-cost", 1000)
    assert "warning" not in enough.stdout


def test_a_limit_of_the_cost_needs_a_price(tmp_path: Path, server: str) -> None:
    done = dry(tmp_path, f'"qa@openai:one@{server}"', "--max-cost", 1)
    assert done.returncode == 2
    assert "needs the price of 'openai:one'" in done.stderr


def test_a_model_that_the_server_does_not_list_is_a_warning(tmp_path: Path, server: str) -> None:
    done = dry(tmp_path, f'"qa@openai:three@{server}"', "--ask-servers")
    assert done.returncode == 0, done.stderr
    assert "warning: model openai:three: the server does not list it; it lists one, two" in done.stdout


def test_weights_that_are_not_there_yet_are_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path / "weights"))
    done = dry(tmp_path, '"lm@smollm2"')
    assert done.returncode == 0, done.stderr
    assert "warning: model smollm2: the run downloads its weights (98 MB)" in done.stdout


def test_time_comes_from_tokens_and_then_from_recorded_episodes(tmp_path: Path) -> None:
    study = tmp_path / "dry.toml"
    study.write_text(STUDY.format(minds='"nash", "lm@scripted:uniform"'))
    plan = plan_file(study)
    needs = estimate(plan)
    (need,) = needs.values()
    assert 0 < need.fresh < need.read / 2, "most of a prompt repeats the one before"
    paces = {"scripted:uniform": Pace(10.0, 5.0, 2, "measured")}
    from_tokens = times(plan, needs, paces, {})["scripted:uniform"]
    assert from_tokens.seconds == pytest.approx((need.fresh / 10 + need.written / 5) / 2)
    asked = [spec for spec in plan.episodes if spec.seats["ego"].model]
    played = {asked[0].hash: Timing(seconds=30.0)}
    expected = {"scripted:uniform": ModelTime(90.0, "from recorded episodes")}
    assert times(plan, needs, paces, played) == expected
