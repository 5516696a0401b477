"""Sessions in verifiers: native episodes and ``vf-eval``, with a model server on this machine."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import otherminds as om
from otherminds.models.scripted import FORM

vf: Any = pytest.importorskip("verifiers.v1")
EXAMPLES = Path(__file__).parents[2] / "examples" / "with_verifiers"
ROUNDS = 4


class ModelServer(ThreadingHTTPServer):
    """A server of chat completions that keeps the messages of each request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), FirstOption)
        self.requests: list[list[dict[str, str]]] = []


class FirstOption(BaseHTTPRequestHandler):
    """Chooses the first option of the last message; says nothing useful to the model name ``mute``."""

    server: ModelServer

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body["messages"])
        form = FORM.search(body["messages"][-1]["content"])
        text = form[1].split("\n")[0] if form and body["model"] != "mute" else "I cannot say."
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "x", "object": "chat.completion", "created": 0, "model": body["model"]}
        reply = json.dumps({**head, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    monkeypatch.setenv("KEY_OF_NOBODY", "none")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    serving = ModelServer()
    thread = Thread(target=serving.serve_forever, daemon=True)
    thread.start()
    yield serving
    serving.shutdown()
    serving.server_close()
    thread.join(10)


def url_of(server: ModelServer) -> str:
    return f"http://127.0.0.1:{server.server_port}/v1"


def run_natively(server: ModelServer, model: str) -> list[Any]:
    """The traces of the first three episodes."""
    from verifiers.v1.utils.loaders import load_environment

    from otherminds.bridges.verifiers import TextConfig, TextEnvConfig

    taskset = TextConfig(id="otherminds_text", rounds=ROUNDS, episodes=3)
    env = load_environment(TextEnvConfig(taskset=taskset))
    client = vf.EvalClientConfig(base_url=url_of(server), api_key_var="KEY_OF_NOBODY")

    async def run() -> list[Any]:
        traces: list[Any] = []
        async with env.serving():
            for task in env.taskset:
                episode = await env.run_slot(env.slots(task)[0], vf.ModelContext(model=model, client=client))
                assert episode.ok, episode.errors
                traces += episode.traces
        return traces

    return asyncio.run(run())


def test_a_native_run_plays_the_episodes_of_sessions(server: ModelServer) -> None:
    traces = run_natively(server, "first")
    session = om.session("rps-mixed-v1", options={"rounds": ROUNDS}, ask=False)
    assert len(traces) == 3
    for seed, trace in enumerate(traces):
        turn = session.reset(seed)
        while isinstance(turn, om.Turn):
            turn = session.step(turn.options[0])
        assert trace.info["turn_rewards"] == session.turn_rewards
        assert trace.info["record"] == turn.record.hash
        assert trace.rewards["episode_return"].score == session.reward
        assert trace.metrics["scored"] == 1
        assert trace.num_turns == ROUNDS


def test_the_conversation_only_grows(server: ModelServer) -> None:
    run_natively(server, "first")
    requests = server.requests
    assert len(requests) == 3 * ROUNDS
    for before, after in itertools.pairwise(requests):
        if len(after) > len(before):
            assert after[: len(before)] == before


def test_replies_without_an_answer_have_the_least_return(server: ModelServer) -> None:
    for trace in run_natively(server, "mute"):
        assert trace.metrics["scored"] == 0
        assert trace.rewards["episode_return"].score == pytest.approx(-3)


def test_vf_eval_runs_it_unchanged(server: ModelServer, tmp_path: Path) -> None:
    words = ["otherminds_text", "--env.taskset.scenarios", '["ibs-mixed-v1", "rps-single-v1"]']
    words += ["--env.taskset.rounds", str(ROUNDS), "--env.taskset.episodes", "4"]
    words += [
        "--model",
        "first",
        "--client.base-url",
        url_of(server),
        "--client.api-key-var",
        "KEY_OF_NOBODY",
    ]
    words += ["--no-push", "--no-rich", "--output-dir", str(tmp_path)]
    program = [sys.executable, "-c", "from verifiers.v1.cli.eval.main import main; main()", *words]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(EXAMPLES), *sys.path))}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (traces,) = tmp_path.rglob("traces.jsonl")
    assert len(traces.read_text().splitlines()) == 4
    assert len(server.requests) == 4 * ROUNDS
