"""The watch of a self-check sees what leaves a process, whatever way it takes, and accuses nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

import pytest

from otherminds.selfcheck import check
from otherminds.selfcheck.offline import Loopback, NetworkWatch, serve
from tests.cases import thinned

Run = Callable[..., "subprocess.CompletedProcess[str]"]

TARGET = "('127.0.0.1', 9)"
"""The port of no server of a check. Whether anything listens there makes no difference to the watch."""
QUIETLY = "import contextlib, socket\nwith contextlib.suppress(OSError):\n    "
SENDS = {
    "a connection": f"{QUIETLY}socket.create_connection({TARGET}, 1)",
    "a connection without an error": f"import socket; socket.socket().connect_ex({TARGET})",
    "the bare module": f"import _socket\ns = _socket.socket(2, 1)\ntry: s.connect({TARGET})\nexcept OSError: pass",
    "a datagram": f"import socket; socket.socket(2, 2).sendto(b'x', {TARGET})",
    "a message": f"import socket; socket.socket(2, 2).sendmsg([b'x'], [], 0, {TARGET})",
    "a server": "import socket; socket.create_server(('127.0.0.1', 0))",
    "a look-up": "import socket; socket.gethostbyname('127.0.0.2')",
    "a look-up of an address": "import socket; socket.gethostbyaddr('127.0.0.1')",
    "a local socket": f"{QUIETLY}socket.socket(socket.AF_UNIX).connect('nowhere')",
    "an abstract socket": f"{QUIETLY}socket.socket(socket.AF_UNIX).connect('\\0nowhere')",
    "the system log": "import syslog; syslog.syslog('x')",
    "a URL": f"{QUIETLY}__import__('urllib.request').request.urlopen('http://127.0.0.1:9', timeout=1)",
    "an event loop": f"import asyncio\nasync def f(): await asyncio.open_connection(*{TARGET})\n"
    "try: asyncio.run(f())\nexcept OSError: pass",
    "a thread": f"import socket, threading\nt = threading.Thread(target=socket.socket().connect_ex, args=({TARGET},))\n"
    "t.start(); t.join()",
    "a child by fork": f"import os, socket\nif not os.fork(): socket.socket().connect_ex({TARGET}); os._exit(0)\nos.wait()",
    "a child in Python": "import subprocess, sys\n"
    f'subprocess.run([sys.executable, "-c", "import socket; socket.socket().connect_ex({TARGET})"])',
    "a child of a child": "import subprocess, sys\ncode = 'import os; os.system(\"true\")'\n"
    "subprocess.run([sys.executable, '-c', f'import subprocess, sys; subprocess.run([sys.executable, \"-c\", {code!r}])'])",
}
STARTS = {
    "subprocess": "import subprocess; subprocess.run(['bash', '-c', 'echo x >/dev/tcp/127.0.0.1/9'], stderr=-3)",
    "a shell": "import subprocess; subprocess.run('true', shell=True)",
    "system": "import os; os.system('true')",
    "popen": "import os; os.popen('true').read()",
    "exec": "import os; os.execv('/bin/sh', ['sh', '-c', 'true'])",
    "spawn": "import os; os.spawnvp(os.P_WAIT, 'true', ['true'])",
    "posix_spawn": "import os; os.waitpid(os.posix_spawn('/bin/sh', ['sh', '-c', 'true'], {}), 0)",
    "a terminal": "import pty; pty.spawn(['true'])",
    "an event loop": "import asyncio\nasync def f(): await (await asyncio.create_subprocess_exec('true')).wait()\n"
    "asyncio.run(f())",
    "multiprocessing": "import os; from multiprocessing import util\n"
    "os.waitpid(util.spawnv_passfds(b'/bin/sh', ['sh', '-c', 'true'], []), 0)",
    "a link to a shell called python": "import os, subprocess\nos.symlink('/bin/sh', 'python')\n"
    "subprocess.run([os.path.abspath('python'), '-c', 'true'])",
}
UNWATCHED = {
    "isolated": "import subprocess, sys; subprocess.run([sys.executable, '-I', '-c', ''])",
    "without site": "import subprocess, sys; subprocess.run([sys.executable, '-S', '-c', ''])",
    "without variables": "import subprocess, sys; subprocess.run([sys.executable, '-c', ''], env={})",
    "without variables, by exec": "import os, sys; os.execve(sys.executable, [sys.executable, '-c', ''], {})",
}
NATIVE = {
    "the symbols of this process": "import ctypes; ctypes.CDLL(None).connect",
    "those by Python's own handle": "import ctypes; ctypes.pythonapi.socket",
    "the C library": "import ctypes, ctypes.util; ctypes.CDLL('libc.so.6')",
    "a number for a system call": "import ctypes; ctypes.PyDLL(None).syscall",
}
if find_spec("cffi"):
    NATIVE["cffi"] = "import cffi; cffi.FFI().dlopen(None)"
HARMLESS = {
    "an event loop": "import asyncio; asyncio.run(asyncio.sleep(0))",
    "a pair of sockets": "import socket; a, b = socket.socketpair(); a.send(b'x'); b.recv(1)",
    "a fork": "import os\nif not os.fork(): os._exit(0)\nos.wait()",
    "processes": "from concurrent.futures import ProcessPoolExecutor\n"
    "from multiprocessing import get_context\n"
    "with ProcessPoolExecutor(2, get_context('spawn')) as pool: list(pool.map(abs, [1, 2]))",
    "Python": "import subprocess, sys; subprocess.run([sys.executable, '-c', ''])",
    "Python by exec": "import os, sys; os.execv(sys.executable, [sys.executable, '-c', ''])",
    "a compiler of Python": "import numba; numba.njit(lambda x: x + 1)(1)",
    "the name of the machine": "import socket; socket.gethostname()",
    "other libraries": "import httpx, numpy, sqlite3, ssl, zstandard",
}


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs a program in place of a command, under the watch."""
    monkeypatch.chdir(tmp_path)

    def run(code: str, *servers: Loopback) -> subprocess.CompletedProcess[str]:
        program = tmp_path / "program.py"
        program.write_text(f"{code}\n", encoding="utf-8")
        monkeypatch.setattr(check, "PROGRAM", [sys.executable, str(program)])
        return NetworkWatch(Path(mkdtemp(dir=tmp_path)), servers).call("it")

    return run


@pytest.mark.parametrize("code", thinned(SENDS.values(), 4), ids=SENDS)
def test_whatever_is_sent_is_seen(code: str, watched: Run) -> None:
    with pytest.raises(AssertionError, match="no use of the network by otherminds it; happened: "):
        watched(code)


@pytest.mark.parametrize("code", thinned(STARTS.values(), 4), ids=STARTS)
def test_other_programs_cannot_be_watched(code: str, watched: Run) -> None:
    with pytest.raises(AssertionError, match=r"the program .*, which cannot be watched"):
        watched(code)


@pytest.mark.parametrize("code", UNWATCHED.values(), ids=UNWATCHED)
def test_a_python_without_the_watch_is_missed(code: str, watched: Run) -> None:
    with pytest.raises(AssertionError, match="1 processes of Python that are not watched"):
        watched(code)


@pytest.mark.parametrize("code", NATIVE.values(), ids=NATIVE)
def test_native_code_that_python_calls_cannot_be_watched(code: str, watched: Run) -> None:
    with pytest.raises(AssertionError, match="by native code, which cannot be watched"):
        watched(code)


@pytest.mark.parametrize("code", thinned(HARMLESS.values(), 4), ids=HARMLESS)
def test_what_sends_nothing_is_not_accused(code: str, watched: Run) -> None:
    guarded = "\n".join(f"    {line}" for line in code.splitlines())
    done = watched(f"if __name__ == '__main__':\n{guarded}")
    assert (done.returncode, done.stderr) == (0, "")


def test_servers_of_the_check_are_allowed_and_no_other(watched: Run) -> None:
    with serve() as ours, serve() as theirs:
        connect = "import socket; socket.create_connection(('127.0.0.1', {}))"
        assert watched(connect.format(ours.port), ours).returncode == 0
        with pytest.raises(AssertionError, match=f"but of this check's servers by .* {theirs.port}"):
            watched(connect.format(theirs.port), ours)


HIDDEN = {
    "both": ("print('site')", "print('user')"),
    "an error": ("raise ValueError('of this machine')", ""),
    "a module that is missing": ("import no_such_module", ""),
    "none": (None, None),
}


@pytest.mark.parametrize("python", [sys.executable, os.path.realpath(sys.executable)], ids=["venv", "base"])
@pytest.mark.parametrize(("site", "user"), HIDDEN.values(), ids=HIDDEN)
def test_the_customisation_of_the_machine_runs_as_without_the_watch(
    site: str | None, user: str | None, python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "machine"
    place.mkdir()
    for name, text in (("sitecustomize", site), ("usercustomize", user)):
        if text is not None:
            (place / f"{name}.py").write_text(text)
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "home"))
    look = "import sys; print([path for path in sys.path if 'hook' in path], 'sitecustomize' in sys.modules)"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(place), "src")))
    env = NetworkWatch(tmp_path).env
    said: list[tuple[str, str]] = []
    for more in ({}, env):
        done = subprocess.run(
            [python, "-c", look], env={**os.environ, **more}, capture_output=True, text=True, check=True
        )
        said.append((done.stdout, done.stderr))
    assert said[0] == said[1]
    assert said[0][0].startswith("site\n") == (site == "print('site')")


def test_a_customisation_of_the_machine_that_sends_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SENDS["a connection"])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(AssertionError, match="by the start of Python"):
        NetworkWatch(tmp_path)


def test_a_path_file_that_sends_before_the_watch_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files of ``.pth`` run before ``sitecustomize``."""
    venv.create(tmp_path / "venv", symlinks=True)
    (packages,) = tmp_path.glob("venv/lib/*/site-packages")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "bin" / "python"))
    kept = NetworkWatch(tmp_path)
    assert kept.commands == 0
    (packages / "sends.pth").write_text("import socket; socket.socket().connect_ex(('127.0.0.1', 9))\n")
    (tmp_path / "again").mkdir()
    with pytest.raises(AssertionError, match="by the start of Python"):
        NetworkWatch(tmp_path / "again")
