"""The recipes in ``examples/cluster`` play a study to its end, though a task or a node is killed in the middle."""

from __future__ import annotations

import os
import re
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
PLUGIN = """
import os
import sys
from pathlib import Path
from time import monotonic, sleep

folder, host = Path(os.environ["STANDINS"]), os.environ.get("STANDIN_HOST", "head")
if Path(sys.argv[0]).name != "otherminds":
    (folder / f"{host}.plays").open("a").write(f"{os.getpid()}\\n")
    until = monotonic() + 60
    while not (folder / "host2.plays").exists() and monotonic() < until:
        sleep(0.02)
"""
"""Where an executor imports it, it notes that, and waits for host2: no other host plays the whole study before."""
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
    return sorted((folder / "log").read_text().splitlines())


def stopped(line: str, how: str) -> int:
    """How many episodes were recorded when a task was stopped."""
    found = re.fullmatch(rf"{how} after (\d+) episodes", line)
    assert found, line
    return int(found[1])


def use_plugin(folder: Path) -> None:
    """Adds :data:`PLUGIN` to the study."""
    (folder / "plugin.py").write_text(PLUGIN)
    (folder / "study.toml").write_text(f'plugins = ["plugin.py"]\n{STUDY}')


def test_tasks_of_slurm_that_fail_or_come_to_their_time_limit_go_on(
    recipe: Callable[..., int], digest: str, tmp_path: Path
) -> None:
    assert recipe("sbatch", RECIPES / "slurm_array.sh", "study.toml", "out") == 0
    assert digest_of(tmp_path / "out") == digest
    killed, second, ended, third = log(tmp_path)
    status = status_of(tmp_path / "out")
    shares = [part.status.episodes for part in status.parts if part.status]
    assert 0 < stopped(killed, "2: killed") < shares[1]
    assert 0 < stopped(ended, "3: ended") < shares[2]
    assert (second, third) == ("2: started again", "3: started again")
    assert len(shares) == 4
    assert status.states == {"scored": EPISODES, "planned": 0}


def test_a_pod_of_kubernetes_that_is_killed_is_made_again(
    recipe: Callable[..., int], digest: str, tmp_path: Path
) -> None:
    pytest.importorskip("yaml")
    assert recipe("kubectl", "apply", "-f", RECIPES / "kubernetes_job.yaml") == 0
    assert digest_of(tmp_path / "out") == digest
    killed, again = log(tmp_path)
    parts = status_of(tmp_path / "out").parts
    assert parts[2].status
    assert 0 < stopped(killed, "2: killed") < parts[2].status.episodes
    assert again == "2: started again"
    assert len(parts) == 4


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
    (killed,) = log(tmp_path)
    first = digest_of(tmp_path / "out")
    recorded = status_of(tmp_path / "out").states["scored"]
    (part,) = (part.status for part in status_of(tmp_path / "out.hosts/0").parts if part.status)
    assert recorded == part.recorded + stopped(killed, "host2: killed") < EPISODES, (
        "what is recorded is merged"
    )
    assert first != digest
    assert recipe(*words, FAILS_WHEN=fails_when) == 0
    assert status_of(tmp_path / "out").states["scored"] == EPISODES
    assert digest_of(tmp_path / "out") == digest
    assert log(tmp_path) == [killed], "the host failed once"


def test_a_host_that_cannot_be_reached_leaves_the_others_merged(
    recipe: Callable[..., int], tmp_path: Path
) -> None:
    words = (RECIPES / "ssh.sh", "study.toml", "out", "host1", "host3")
    (tmp_path / "host3").touch()
    assert recipe(*words, FAILS_WHEN="none") == 1
    (part,) = (part.status for part in status_of(tmp_path / "out.hosts/0").parts if part.status)
    assert status_of(tmp_path / "out").states["scored"] == part.recorded == part.episodes


def test_a_node_of_ray_that_is_killed_changes_nothing(
    recipe: Callable[..., int], digest: str, tmp_path: Path
) -> None:
    pytest.importorskip("ray")
    use_plugin(tmp_path)
    code = recipe(
        *(RECIPES / "ray_cluster.sh", "study.toml", "out", "host2"),
        FAILS_WHEN="out/records/* host2.plays",
        RAY_HEAD="127.0.0.1",
        RAY_PORT=str(free_port()),
        RAY_CPUS="1",
        RAY_USAGE_STATS_ENABLED="0",
        RAY_DEFAULT_OBJECT_STORE_MAX_MEMORY_BYTES=str(80 * 2**20),
    )
    assert code == 0
    (killed,) = log(tmp_path)
    assert 0 < stopped(killed, "host2: killed") < EPISODES
    assert digest_of(tmp_path / "out") == digest


def test_a_worker_of_dask_that_is_killed_changes_nothing(
    recipe: Callable[..., int], digest: str, tmp_path: Path
) -> None:
    pytest.importorskip("distributed")
    use_plugin(tmp_path)
    code = recipe(
        *(RECIPES / "dask_cluster.sh", "study.toml", "out", "host1", "host2"),
        FAILS_WHEN="out/records/* host2.plays",
        DASK_HEAD="127.0.0.1",
        DASK_PORT=str(free_port()),
        DASK_WORKERS="1",
    )
    assert code == 0
    (killed,) = log(tmp_path)
    assert 0 < stopped(killed, "host2: killed") < EPISODES
    assert digest_of(tmp_path / "out") == digest


def free_port() -> int:
    """A port of the loopback interface that is free now."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def test_all_stand_ins_exist() -> None:
    assert all(callable(getattr(standins, name)) for name in STANDINS)
