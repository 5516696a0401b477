"""Policies by name and by path, in studies and in records; pulled files."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from otherminds.core.errors import ProviderError, StudyError
from otherminds.minds.learned import files
from otherminds.minds.learned.files import known_files, network_of, pin_policy, pull
from otherminds.minds.registry import prepare_setup
from otherminds.studies.plan import StudyPlan, ego, plan_file
from tests.minds.learned.making import policy_file

STUDY = """name = "own"
episodes = 2
[[cells]]
scenarios = ["{scenario}"]
options = {{ steps = 5 }}
minds = [{{ mind = "learned", params = {{ policy = "{policy}" }} }}]
"""


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(files.VARIABLE, str(tmp_path / "data"))
    monkeypatch.setattr(files, "SHIPPED", tmp_path / "shipped")
    monkeypatch.setenv("NO_PROXY", "*")


def planned(folder: Path, policy: str, scenario: str = "rws-repeated-0-v1") -> StudyPlan:
    study = folder / "study.toml"
    study.write_text(STUDY.format(scenario=scenario, policy=policy))
    return plan_file(study)


def test_a_planned_study_holds_the_hash_of_the_weights(tmp_path: Path) -> None:
    path = policy_file(tmp_path / "weights")
    first = planned(tmp_path, f"weights/{path.name}")
    spec = next(iter(first.episodes))
    held = ego(spec).params["policy"]
    assert held["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert ego(spec).title == f"learned(policy=ppo-rws-repeated-0#{ego(spec).title[-9:-1]})"
    prepare_setup(spec)
    path.write_bytes(policy_file(tmp_path / "others", seed=1).read_bytes())
    second = planned(tmp_path, f"weights/{path.name}")
    assert second.identity != first.identity
    assert next(iter(second.episodes)).hash != spec.hash
    with pytest.raises(StudyError, match="this study was planned with"):
        prepare_setup(spec)


def test_a_pulled_policy_is_named_and_its_path_is_not_recorded(tmp_path: Path) -> None:
    pull(str(policy_file(tmp_path)), name="mine")
    held = ego(next(iter(planned(tmp_path, "mine").episodes))).params["policy"]
    assert set(held) == {"name", "sha256"}
    assert held["name"] == "mine"
    assert pin_policy(held, tmp_path) == held


@pytest.mark.parametrize(
    ("policy", "scenario", "words"),
    [
        ("nowhere.safetensors", "rws-repeated-0-v1", r"cells\[0\].minds\[0\]: there is no policy file"),
        ("nobody", "rws-repeated-0-v1", r"cells\[0\].minds\[0\]: no policy is called 'nobody'"),
        ("study.toml/..", "rws-repeated-0-v1", "there is no policy file"),
        ("damaged.safetensors", "rws-repeated-0-v1", "damaged.safetensors: no safetensors file"),
        ("ppo-rws-repeated-0.safetensors", "pd-repeated-0-v1", "was trained in rws-repeated"),
    ],
)
def test_a_study_with_another_file_is_refused_while_it_is_planned(
    tmp_path: Path, policy: str, scenario: str, words: str
) -> None:
    policy_file(tmp_path)
    (tmp_path / "damaged.safetensors").write_bytes(b"damaged")
    with pytest.raises(StudyError, match=words) as caught:
        planned(tmp_path, policy, scenario)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "policy", [3, {"name": "x"}, {"name": "x", "sha256": 3}, ["a"], None, "\0", "a/\0", "x" * 10_000]
)
def test_what_is_no_policy_is_refused(policy: Any) -> None:
    with pytest.raises(StudyError):
        network_of(policy)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = policy_file(tmp_path)
    first = network_of(str(path))
    assert network_of(str(path)) is first
    path.write_bytes(policy_file(tmp_path / "more", seed=1).read_bytes() + b"")
    path.touch()
    assert network_of(str(path)).policy.sha256 != first.policy.sha256


def test_a_pull_copies_and_does_it_once(tmp_path: Path) -> None:
    source = policy_file(tmp_path)
    path, policy = pull(str(source), policy_hash(source))
    assert path.read_bytes() == source.read_bytes()
    assert known_files()[policy.name] == path
    before = path.stat().st_mtime_ns
    assert pull(str(source))[0] == path
    assert path.stat().st_mtime_ns == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_a_pull_refuses_what_it_cannot_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, other = policy_file(tmp_path), policy_file(tmp_path, seed=1)
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(source.read_bytes()[:-1])
    pull(str(source), name="taken")
    for arguments, words in (
        ((str(source), "0" * 64), "its SHA-256 is"),
        ((str(source), "0" * 63), "64 hexadecimal digits"),
        ((str(source), "", "../up"), "cannot be called"),
        ((str(other), "", "taken"), "another policy is called 'taken'"),
        ((str(damaged),), "damaged.safetensors"),
        ((str(damaged), policy_hash(source)), "its SHA-256 is"),
        ((str(tmp_path),), "is a folder"),
        ((str(tmp_path / "none.safetensors"),), "cannot be read"),
        (("",), "cannot be called"),
    ):
        with pytest.raises(StudyError, match=words):
            pull(*arguments)
    assert list(files.pulled_files()) == ["taken"]
    monkeypatch.setattr(files, "SHIPPED", tmp_path)
    with pytest.raises(StudyError, match="a policy of the package is called"):
        pull(str(source))


def policy_hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Shelf(BaseHTTPRequestHandler):
    """Answers with the body of each path; ``/moved`` redirects, ``/endless`` never ends."""

    bodies: dict[str, bytes] = {}  # noqa: RUF012 - a class says it once

    def do_GET(self) -> None:
        self.path = self.path.partition("?")[0]
        if self.path == "/moved.safetensors":
            self.send_response(302)
            self.send_header("Location", "/mine.safetensors")
            self.end_headers()
            return
        if self.path == "/endless.safetensors":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(2**20))
            except OSError:
                return
        body = self.bodies.get(self.path)
        self.send_response(404 if body is None else 200)
        if self.path == "/packed.safetensors":
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body or b"") + (self.path == "/cut.safetensors")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    data = policy_file(tmp_path).read_bytes()
    Shelf.bodies = dict.fromkeys(("/mine.safetensors", "/cut.safetensors", "/packed.safetensors"), data)
    with ThreadingHTTPServer(("127.0.0.1", 0), Shelf) as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


def test_a_download_is_verified_by_its_hash(tmp_path: Path, server: str) -> None:
    right = policy_hash(policy_file(tmp_path))
    with pytest.raises(StudyError, match="nothing is kept"):
        pull(f"{server}/mine.safetensors", "f" * 64)
    assert not files.kept_folder().exists()
    path, policy = pull(f"{server}/mine.safetensors?token=x", right)
    assert (policy.name, policy_hash(path)) == ("mine", right)
    assert pull(f"{server}/moved.safetensors", right, "again")[1].sha256 == right


def test_a_download_that_fails_keeps_nothing(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 2**21)
    for path, kind, words in (
        ("none", ProviderError, "status 404"),
        ("packed", ProviderError, "compresses"),
        ("cut", ProviderError, "cannot be downloaded"),
        ("endless", StudyError, "larger than 2 MiB"),
    ):
        with pytest.raises(kind, match=words):
            pull(f"{server}/{path}.safetensors")
    with pytest.raises(ProviderError, match="cannot be downloaded"):
        pull("http://127.0.0.1:1/mine.safetensors")
    with pytest.raises(ProviderError, match=r"^http://127.0.0.1:1/mine.safetensors: cannot be downloaded"):
        pull("http://me:hush@127.0.0.1:1/mine.safetensors?token=4711")
    for url in ("http://[::1/mine.safetensors", "http://me:hush@[x]/mine.safetensors"):
        with pytest.raises((StudyError, ProviderError)) as caught:
            pull(url)
        assert "hush" not in str(caught.value)
    assert not files.kept_folder().exists()
