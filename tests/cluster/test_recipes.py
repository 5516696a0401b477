"""The recipes in ``examples/cluster`` play a study to its end, though a task or a node is killed in the middle."""

from __future__ import annotations

import os
import signal
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired

import pytest

from otherminds.studies.plan import plan_file
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run import run
from otherminds.studies.run_dir import digest_of
from otherminds.studies.status import status_of
from tests.cluster import standins

pytestmark = pytest.mark.cluster

ROOT = Path(__file__).parents[2]
RECIPES = ROOT / "examples/cluster"
STUDY = """
name = "spread"
episodes = 100
rounds = 100
[[cells]]
scenarios = ["rps-single-v1", "ipd-mixed-v1"]
minds = ["rmax", "nash"]
"""
EPISODES = 400
STANDINS = ("sbatch", "scontrol", "kubectl", "ssh", "rsync")
LONGEST = 240


@pytest.fixture(scope="module")
def digest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the study, played by one command."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "study.toml").write_text(STUDY)
    run(plan_file(folder / "study.toml"), folder / "out", ShownProgress())
    return digest_of(folder / "out")


@pytest.fixture
def recipe(tmp_path: Path) -> Iterator[Callable[..., int]]:
    """Runs a command with the stand-ins on the path; the exit code. What it started ends with the test."""
    for name in STANDINS:
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!{sys.executable}\nfrom tests.cluster import standins\nstandins.{name}()\n")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "study.toml").write_text(STUDY)
    path = [str(tmp_path / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
    python = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    groups: list[int] = []

    def played(*words: object, **variables: str) -> int:
        env = {
            **os.environ,
            "PATH": os.pathsep.join(path),
            "PYTHONPATH": os.pathsep.join(python),
            "STANDINS": str(tmp_path),
            **variables,
        }
        process = Popen(
            [*map(str, words)], cwd=tmp_path, env=env, stdin=DEVNULL, stdout=PIPE, start_new_session=True
        )
        groups.append(process.pid)
        try:
            process.communicate(timeout=LONGEST)
        except TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            process.communicate(timeout=30)
            raise
        return process.returncode

    yield played
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            continue


def log(folder: Path) -> list[str]:
    return (folder / "log").read_text().splitlines()


def test_tasks_of_slurm_that_fail_or_come_to_their_time_limit_go_on(
    recipe: Callable[..., int], digest: str, tmp_path: Path
) -> None:
    assert recipe("sbatch", RECIPES / "slurm_array.sh", "study.toml", "out") == 0
    assert digest_of(tmp_path / "out") == digest
    assert sorted(log(tmp_path)) == ["2: failed", "2: started again", "3: failed", "3: started again"]
    assert all(part.status and part.status.recorded for part in status_of(tmp_path / "out").parts)


def test_a_pod_of_kubernetes_that_is_killed_is_made_again(
    recipe: Callable[..., int], digest: str, tmp_path: Path
) -> None:
    pytest.importorskip("yaml")
    assert recipe("kubectl", "apply", "-f", RECIPES / "kubernetes_job.yaml") == 0
    assert digest_of(tmp_path / "out") == digest
    assert log(tmp_path) == ["2: failed", "2: started again"]


def test_a_study_that_is_refused_is_not_tried_again(recipe: Callable[..., int], tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    (tmp_path / "study.toml").write_text(STUDY.replace("rmax", "no_such_mind"))
    assert recipe("kubectl", "apply", "-f", RECIPES / "kubernetes_job.yaml") == 2
    assert not (tmp_path / "log").exists()


def test_a_host_that_fails_goes_on_with_the_same_command(
    recipe: Callable[..., int], digest: str, tmp_path: Path
) -> None:
    words = (RECIPES / "ssh.sh", "study.toml", "out", "host1", "host2")
    fails_when = "host2/**/shards/2-of-2/records/*"
    assert recipe(*words, FAILS_WHEN=fails_when) == 1
    assert log(tmp_path) == ["host2: failed"]
    first = status_of(tmp_path / "out").states["scored"]
    assert EPISODES // 4 < first < EPISODES, "what was recorded is merged"
    assert recipe(*words, FAILS_WHEN=fails_when) == 0
    assert status_of(tmp_path / "out").states["scored"] == EPISODES
    assert digest_of(tmp_path / "out") == digest


def test_a_node_of_ray_that_is_killed_changes_nothing(
    recipe: Callable[..., int], digest: str, tmp_path: Path
) -> None:
    pytest.importorskip("ray")
    code = recipe(
        *(RECIPES / "ray_cluster.sh", "study.toml", "out", "host1", "host2"),
        FAILS_WHEN="out/records/*",
        RAY_HEAD="127.0.0.1",
        RAY_PORT=str(free_port()),
        RAY_CPUS="1",
        RAY_USAGE_STATS_ENABLED="0",
        RAY_DEFAULT_OBJECT_STORE_MAX_MEMORY_BYTES=str(80 * 2**20),
    )
    assert code == 0
    assert log(tmp_path) == ["host2: failed"]
    assert digest_of(tmp_path / "out") == digest


def test_a_worker_of_dask_that_is_killed_changes_nothing(
    recipe: Callable[..., int], digest: str, tmp_path: Path
) -> None:
    pytest.importorskip("distributed")
    code = recipe(
        *(RECIPES / "dask_cluster.sh", "study.toml", "out", "host1", "host2"),
        FAILS_WHEN="out/records/*",
        DASK_HEAD="127.0.0.1",
        DASK_PORT=str(free_port()),
        DASK_WORKERS="1",
    )
    assert code == 0
    assert log(tmp_path) == ["host2: failed"]
    assert digest_of(tmp_path / "out") == digest


def free_port() -> int:
    """A port of the loopback interface that is free now."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def test_all_stand_ins_exist() -> None:
    assert all(callable(getattr(standins, name)) for name in STANDINS)
