"""What an author's commands can do: the tools are there, and the workspace lasts from one to the next."""

from collections.abc import Callable
from pathlib import Path

import pytest

from otherminds import StudyError
from otherminds.sandbox.kinds import Ran
from tests.sandbox.conftest import LIMITS

Run = Callable[..., Ran]


def test_a_command_has_its_tools_its_status_and_its_streams(ran: Run, workspace: Path) -> None:
    (workspace / "task.json").write_text('{"depth": 2}')
    result = ran(
        "jq .depth task.json; python3 -c 'print(6 * 7)'; sort <(echo b; echo a); pwd; echo no >&2; exit 3"
    )
    assert result == Ran(3, "2\n42\na\nb\n/workspace\n", "no\n")


def test_standard_input_is_given(ran: Run) -> None:
    assert ran("tr a-z A-Z", b"hello").stdout == "HELLO"
    assert ran("cat").stdout == ""


def test_the_workspace_lasts(ran: Run, workspace: Path) -> None:
    (workspace / "old").mkdir()
    (workspace / "old" / "file").write_text("old")
    (workspace / "same").write_bytes(b"\0\xff")
    before = (workspace / "same").stat().st_mtime_ns
    ran("rm -r old; mkdir -p new/inner; printf 'echo here' >new/run; chmod +x new/run; echo 1 >old")
    assert ran("new/run; cat old; ls -d new/inner").stdout == "here\n1\nnew/inner\n"
    assert sorted(str(path.relative_to(workspace)) for path in workspace.rglob("*")) == [
        "new",
        "new/inner",
        "new/run",
        "old",
        "same",
    ]
    assert (workspace / "same").read_bytes() == b"\0\xff"
    assert (workspace / "same").stat().st_mtime_ns == before


def test_folders_and_files_without_permissions_come_back(ran: Run, workspace: Path) -> None:
    ran("mkdir shut; echo a >shut/file; chmod 0 shut/file shut")
    assert (workspace / "shut" / "file").read_text() == "a\n"


def test_a_long_command_is_refused_by_bash_alone(ran: Run) -> None:
    result = ran(f"echo {'a' * 200_000}")
    assert (result.code, result.stdout) == (126, "")
    assert result.stderr == "/bin/bash: cannot be started (Argument list too long)\n"


def test_a_workspace_beyond_the_limits_is_refused(ran: Run, workspace: Path) -> None:
    (workspace / "large").write_bytes(bytes(LIMITS.file_bytes + 1))
    with pytest.raises(StudyError, match=r"holds more than a command may use .*; remove files"):
        ran("true")


def test_two_folders_are_writable_and_in_memory(ran: Run) -> None:
    result = ran("awk '$4 ~ /^rw/ && $2 !~ \"^/(dev|proc)(/|$)\" {print $2, $3}' /proc/mounts | sort")
    assert result.stdout == "/tmp tmpfs\n/workspace tmpfs\n"
