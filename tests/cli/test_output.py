"""Every command prints to any standard output and error: of another encoding, full, closed, or left by their reader.

Files have any name that a disk takes; a command that is printed can be pasted into a shell.
"""

from __future__ import annotations

import errno
import html
import io
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.text import escape_bytes, escape_missing, shell_word
from otherminds.studies.run_dir import results
from tests.cli.running import COMMANDS, Done, exit_code, otherminds
from tests.printing_commands import CALLS, NAME, prepare, words_of


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared")
    prepare(folder)
    return folder


class Faulty(io.StringIO):
    """A stream that fails when it is flushed, as one does that has a buffer."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def flush(self) -> None:
        if self.getvalue():
            raise OSError(self.number, os.strerror(self.number))


ENCODINGS = ("ascii", "latin-1", "cp1252", "cp037", "utf-16")
FAULTS = {"full": errno.ENOSPC, "closed": None, "without a reader": errno.EPIPE, "for reading": errno.EBADF}


def failing(fault: str) -> Faulty | None:
    number = FAULTS[fault]
    return None if number is None else Faulty(number)


LINES = re.compile("[-+|=\u2500-\u257f]")


def shape(text: str) -> list[str]:
    """The words of a text without numbers, since some are times, and without the lines of tables."""
    return re.sub(r"[\d.,]+", "0", LINES.sub(" ", text)).split()


def check_streams(name: str) -> None:
    """Calls a command with every kind of stream."""
    sound = otherminds(*words_of(name, 0))  # makes what later calls find
    sound = otherminds(*words_of(name, 1))
    numbers = count(2)
    for encoding, fault in zip(ENCODINGS, (*FAULTS, "full"), strict=True):
        raw = io.BytesIO()
        out = io.TextIOWrapper(raw, encoding, newline="\n")
        words = words_of(name, next(numbers))
        assert exit_code(words, out, failing(fault)) == sound.returncode, (encoding, fault)
        out.flush()
        expected = escape_missing(LINES.sub(" ", sound.stdout), encoding)
        assert shape(raw.getvalue().decode(encoding)) == shape(expected), encoding
    for fault, number in FAULTS.items():
        err = io.StringIO()
        code = exit_code(words_of(name, next(numbers)), failing(fault), err)
        said = [line for line in err.getvalue().splitlines() if "the output cannot be written" in line]
        if not sound.stdout:
            assert (code, said) == (sound.returncode, []), fault
        elif number == errno.EPIPE:
            assert (code, said) == (141, []), fault
        else:
            why = os.strerror(number or errno.EBADF)
            assert (code, said) == (2, [f"otherminds: the output cannot be written: {why}"]), fault


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if call.slow or n % 2 else [])
        for n, (name, call) in enumerate(CALLS.items())
    ],
)
def test_every_command_prints_to_any_stream(
    name: str, prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(prepared)
    check_streams(name)


def test_what_is_printed_there_lacks_in_ascii(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests above see characters that an encoding lacks, and a name that each encoding lacks a part of."""
    monkeypatch.chdir(prepared)
    for encoding in ("ascii", "latin-1", "cp1252"):
        assert escape_missing(NAME, encoding) != NAME
    for name in ("report", "replay", "episodes", "status", "pools show", "list"):
        assert not otherminds(*words_of(name, 0)).stdout.isascii(), name


def test_help_and_errors_of_every_command_do_too() -> None:
    groups = {words[:i] for words in COMMANDS for i in range(len(words))}
    for words in {*COMMANDS, *groups}:
        for more, code in (("--help", 0), ("--no-such-option", 2)):
            assert exit_code((*words, more), io.TextIOWrapper(io.BytesIO(), "ascii"), failing("full")) == code
            for fault, number in FAULTS.items():
                expected = 141 if number == errno.EPIPE and not code else 2
                assert exit_code((*words, more), failing(fault), failing(fault)) == expected


NAMES = (
    b"f\xff",
    b"-a b's \"$HOME `id` $(id)\\ *?[x];&|<>#~!",
    b"new\nline\ttab  \xe2\x80\xae",
    "caf\u00e9 \u65e5".encode(),
)
MORE_NAMES = (
    *(
        b"two words",
        b"it's",
        b"$HOME",
        b"tab\t",
        b"-dash",
        b"--out",
        b"*?[a]",
        b"~",
        b"#",
        b"a;b&c|d>e",
        b"!x",
    ),
    *(b"\x1b[2J", b"%s{0}", b"a=b", b"\xed\xb3\xbf", b"-\xff\n", b"\xff\xfe 'x"),
)
"""Names of files that a shell, a terminal or JSON might read as something else."""


def pasted(line: str) -> list[list[str]]:
    """The words of each ``otherminds`` in a line, as a shell reads them."""
    script = "otherminds() { printf '%s\\0' \"$@\"; printf '\\0'; }\n" + line
    done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, check=True)
    return [[os.fsdecode(word) for word in call.split(b"\0")] for call in done.stdout.split(b"\0\0")[:-1]]


def run_what_is_printed(text: str) -> int:
    """Pastes every command of a text into a shell, and calls it; the number of them."""
    n = 0
    for line in re.findall(r": (otherminds (?:run|report|status|replay) .*)", text):
        for words in pasted(line.replace("NUMBER", "0")):
            done = otherminds(*words)
            assert done.returncode == 0, (words, done.stderr)
            n += 1
    return n


@pytest.mark.parametrize(
    "raw", [*NAMES, *(pytest.param(name, marks=pytest.mark.slow) for name in MORE_NAMES)], ids=repr
)
def test_files_have_any_name(
    raw: bytes, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = os.fsdecode(raw)
    monkeypatch.chdir(tmp_path)
    study, task, out = Path(f"{name}.toml"), Path(f"{name}.json"), Path(name)
    shutil.copy(prepared / "study.toml", study)
    shutil.copy(prepared / "task.json", task)
    shutil.copytree(prepared / "run", out)
    given = f"./{name}" if name.startswith("-") else name

    def call(*words: str, code: int = 0) -> Done:
        done = otherminds(*words)
        assert done.returncode == code, (words, done.stderr)
        if code:
            assert done.stderr.count("\n") == 1 + str(name).count("\n") * done.stderr.count(name)
        return done

    ran = call("run", f"{given}.toml", "--out", name)
    assert run_what_is_printed(ran.stderr) == 1
    assert run_what_is_printed(call("run", f"{given}.toml", "--out", name, "--shard", "1/1").stderr) == 2
    assert run_what_is_printed(call("episodes", given).stdout) == 1
    call("replay", given, "0", "--prompts")
    for command in (
        ("status", given, "--json", "--digest"),
        ("compare", given, given, "--json"),
        ("report", given, "--json"),
    ):
        call(*command).stdout.encode()
    call("status", given)
    if find_spec("pyarrow"):
        call("export", given, "--out", f"{name}.parquet")
    call("merge", given, "--out", f"{name}-merged")
    call("report", given, "--page")
    page = (out / "report.html").read_text(encoding="utf-8")
    commands = html.unescape(re.findall(r"<pre>(otherminds .*?)</pre>", page, re.DOTALL)[0])
    utf8 = escape_bytes(name) == name
    assert run_what_is_printed(re.sub("^", ": ", commands, flags=re.MULTILINE)) == 1 + utf8
    for words in (
        ("check",),
        ("show", "--out", f"{name}.svg"),
        ("convert", "--out", f"{given}-converted.json"),
    ):
        call("tasks", words[0], f"{given}.json", *words[1:])
    utf8 = escape_bytes(name) == name
    call(
        "run",
        f"{given}.json",
        "--mind",
        "no_message",
        "--out",
        f"{name}-played",
        "--dry-run",
        code=0 if utf8 else 2,
    )


def test_what_cannot_be_kept_is_refused_in_a_line(prepared: Path, tmp_path: Path) -> None:
    """Records and plans are UTF-8: a model, a plugin or a task whose name is not is refused before anything is played."""
    name = os.fsdecode(b"f\xff")
    folder = tmp_path / name
    folder.mkdir()
    (folder / "plugin.py").write_text("")
    study = (prepared / "study.toml").read_text(encoding="utf-8")
    (folder / "study.toml").write_text(f'plugins = ["plugin.py"]\n{study}', encoding="utf-8")
    task = prepared / "task.json"
    for words in (
        ("run", folder / "study.toml"),
        ("run", task, "--mind", f"tool_loop@gguf:{name}"),
        ("run", task, "--mind", "tool_loop", "--model", f"openai:{name}@http://127.0.0.1:9/v1?context=9000"),
        ("run", task, "--mind", name),
        ("evaluate", f"gguf:{name}"),
    ):
        done = otherminds(*words, "--out", tmp_path / "out")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert not (tmp_path / "out").exists()


@given(
    words=st.lists(st.binary(max_size=12).map(lambda raw: raw.replace(b"\0", b"")), min_size=1, max_size=30)
)
@pytest.mark.parametrize("shell", ["bash", "zsh", "ksh"])
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_shell_reads_every_name_back(shell: str, encoding: str, words: list[bytes]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    line = " ".join(shell_word(os.fsdecode(word), encoding) for word in words)
    assert line.isprintable()
    line.encode(encoding)
    done = subprocess.run([shell, "-c", f"printf '%s\\0' {line}"], stdout=subprocess.PIPE, check=True)
    assert done.stdout.split(b"\0")[:-1] == words


def test_every_command_in_the_source_is_quoted() -> None:
    """No text of the package puts a value behind a command of its own: :func:`shell_command` does."""
    source = Path(sys.modules["otherminds"].__path__[0])
    pattern = re.compile(r"otherminds (?!list \{self\.plural\})(?:[a-z]+ )+(?:--?[a-z-]+ )?\{")
    wrong = [
        f"{file.name}: {line.strip()}"
        for file in source.rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if pattern.search(line)
    ]
    assert wrong == []


def in_shell(line: str, folder: Path, **env: str) -> Any:
    """A line of bash in which ``$O`` is ``otherminds``."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line.replace("$O", f"{shell_word(sys.executable)} -m otherminds")],
        cwd=folder,
        env={**os.environ, **env},
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr
    assert b"Exception ignored" not in done.stderr, done.stderr
    return done


C = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


REAL = {
    "as it is": ("$O", {}, None),
    "ascii": ("$O", C, None),
    "full": ("$O >/dev/full", {}, 2),
    "closed": ("$O >&-", {}, 2),
    "for reading": ("$O 1</dev/null", {}, 2),
    "without a reader": ("$O | true", {}, 141),
    "full error": ("$O 2>/dev/full", {}, None),
    "closed error": ("$O <&- 2>&-", {}, None),
    "error without a reader": ("$O 2> >(true)", {}, None),
}
"""Lines of a shell, the environment, and the exit code of a command that prints; by default that of the first line."""


def check_real_streams(name: str, folder: Path) -> None:
    plain = 0
    prints = True
    otherminds(*words_of(name, 0))  # makes what later calls find
    for n, (stream, (line, env, code)) in enumerate(REAL.items(), 1):
        words = " ".join(map(shell_word, words_of(name, n)))
        done = in_shell(line.replace("$O", f"$O {words}"), folder, **env)
        if n == 1:
            plain, prints = done.returncode, bool(done.stdout)
        expected = plain if code is None or not prints else code
        assert done.returncode == expected, (stream, done.stderr)
        if expected == 2 != plain:
            assert done.stderr.splitlines()[-1].startswith(b"otherminds: the output cannot be written: "), (
                stream
            )


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name == "policies list" else [pytest.mark.slow]) for name in CALLS],
)
def test_every_command_prints_to_any_stream_of_a_shell(
    name: str, prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(prepared)
    check_real_streams(name, prepared)


def test_no_file_of_a_run_takes_the_place_of_a_closed_stream(prepared: Path, tmp_path: Path) -> None:
    """Without standard streams, the first files that are opened would be them, and read what is printed."""
    shutil.copy(prepared / "study.toml", tmp_path)
    done = in_shell("$O run study.toml --out run <&- >&- 2>&-", tmp_path)
    assert done.returncode == 2, "the table could not be printed"
    assert len(list(results(tmp_path / "run")[1])) == 4
    assert otherminds("report", tmp_path / "run").returncode == 0


@pytest.mark.parametrize(("stream", "code"), [("", 1), (">/dev/full", 2), ("| true", 141), (">&-", 1)])
def test_so_does_the_checker_of_certificates(stream: str, code: int, tmp_path: Path) -> None:
    """It is a program of its own; without an output, its exit code is still the verdict."""
    checker = f"{shell_word(sys.executable)} -m otherminds.household.epistemic.check nothing"
    assert in_shell(f"{checker} {stream}", tmp_path).returncode == code
