"""Parsl: a run on workers of its own, of which one dies, has the records of a plain run."""

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("parsl")

from otherminds.core.errors import StudyError
from otherminds.studies.executor import open_executor
from tests.bridges.clusters import Kills, same_as_here

CONFIG = """
import parsl

workers = parsl.HighThroughputExecutor(
    max_workers_per_node=2, address="127.0.0.1", encrypted=False, heartbeat_period=1, heartbeat_threshold=5,
    provider=parsl.providers.LocalProvider(init_blocks=1, max_blocks=1),
)
config = parsl.Config(executors=[workers], run_dir={run_dir!r}, usage_tracking=0, initialize_logging=False)
"""


def test_a_worker_that_dies_changes_no_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)  # of Parsl's workers
    file = tmp_path / "machines.py"
    file.write_text(CONFIG.format(run_dir=str(tmp_path / "runinfo")))
    same_as_here(f"parsl:{file}", tmp_path, Kills())


@pytest.mark.parametrize(
    ("where", "text"),
    [("", r"parsl:FILE\.py needs a file"), ("no.py", "FileNotFoundError"), ("empty.py", "makes no config")],
)
def test_a_file_without_a_config_is_named(
    where: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.py").write_text("")
    with pytest.raises(StudyError, match=text), open_executor(f"parsl:{where}", ()):
        pass
