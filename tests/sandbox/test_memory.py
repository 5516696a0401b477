"""Whatever makes the kernel hold memory is refused, or counted with the memory of the processes."""

import asyncio
import re
from pathlib import Path

import msgspec
import pytest

from otherminds.sandbox.kinds import Bubblewrap, CommandLimits
from otherminds.sandbox.supervised import Supervised
from tests.cases import for_each
from tests.sandbox.conftest import LIMITS
from tests.sandbox.holders import ENDED, FEW, HOLDERS, REFUSED

ROOM = msgspec.structs.replace(LIMITS, files=2000)


@for_each("name", HOLDERS, every=2)
@pytest.mark.usefixtures("sandbox")
def test_memory_that_belongs_to_no_process_is_refused_or_counted(name: str, workspace: Path) -> None:
    command = HOLDERS[name].command(2 * ROOM.memory_bytes)
    ran = asyncio.run(Supervised(Bubblewrap(), ROOM).run(command, workspace))
    held = sum(map(int, re.findall(r"^held (\d+)$", ran.stdout, re.MULTILINE)))
    words = set(re.findall(r"^\w+", ran.stdout, re.MULTILINE))
    stopped = HOLDERS[name].stopped
    if stopped == ENDED:
        assert (ran.code, held < ROOM.memory_bytes) == (137, True), ran
        assert re.search(
            r"sandbox: ended: more than \d+ (bytes of memory|locks on parts of files)\n$", ran.stderr
        )
    elif stopped == FEW:
        assert (ran.code, held < ROOM.memory_bytes // 100) == (0, True), ran
    else:
        assert (ran.code, ran.stderr, words) == (0, "", {REFUSED}), ran


HONEST = {
    "most of the memory": "python3 -c 'block = b\"x\" * (96 << 20); import time; time.sleep(0.3); print(len(block) >> 20)'",
    "a long pipeline": "seq 100000 | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | tail -n 1",
    "substituted processes": "paste -s -d, <(seq 3) <(seq 4 6) | tr '\\n' ' '",
    "a named pipe": "mkfifo /tmp/p; (echo through >/tmp/p &); cat /tmp/p",
    "many short processes": "for i in {1..200}; do /bin/true; done; echo all",
    "more daemons than processes": "for i in {1..60}; do (true &) ; sleep 0.02; done; echo all",
    "locks of files": "(flock 9; echo locked) 9>/tmp/lock",
    "a database": "python3 -c \"import sqlite3; d = sqlite3.connect('/tmp/d'); d.execute('create table t (a)'); "
    "d.executemany('insert into t values (?)', [(i,) for i in range(1000)]); d.commit(); "
    "print(sqlite3.connect('/tmp/d').execute('select sum(a) from t').fetchone()[0])\"",
    "a mapped file": "echo abc >/tmp/f; python3 -c \"import mmap; f = open('/tmp/f', 'r+b'); m = mmap.mmap(f.fileno(), 0); "
    "m[0] = 65; m.close(); print(open('/tmp/f').read().strip())\"",
    "threads": 'python3 -c "from concurrent.futures import ThreadPoolExecutor as P; print(sum(P(6).map(int, range(999))))"',
    "processes of Python": "python3 -c \"import subprocess as s; print(s.run(['tr', 'a', 'b'], input='aa', text=True, "
    'capture_output=True).stdout)"',
    "a pool of shells": "seq 20 | xargs -P 8 -I{} bash -c 'echo $(({} * 2))' | sort -n | tail -n 1",
    "a sort on disk": "seq 200000 | sort -S 1M -T /tmp -r | head -n 1",
    "an archive": "mkdir a; seq 10 >a/b; tar cz a | tar tz | tail -n 1",
    "a copy with its attributes": 'echo kept >one; cp -a one two; mv two three; install -m 600 three four; python3 -c "import shutil; '
    "shutil.copytree('.', '/tmp/all')\"; cat /tmp/all/four",
    "a time limit": "timeout 5 echo within; timeout 0.1 sleep 5; echo $?",
    "a stopped process": "sleep 5 & kill -STOP $!; kill -CONT $!; kill $!; wait $!; echo $?",
    "devices": "head -c 3 /dev/zero | tr '\\0' 0; head -c 9 /dev/urandom | wc -c; echo >/dev/null; echo >/dev/full || echo full",
}
PRINTED = {
    "most of the memory": "96\n",
    "a long pipeline": "100000\n",
    "substituted processes": "1,2,3 4,5,6 ",
    "a named pipe": "through\n",
    "many short processes": "all\n",
    "more daemons than processes": "all\n",
    "locks of files": "locked\n",
    "a database": "499500\n",
    "a mapped file": "Abc\n",
    "threads": "498501\n",
    "processes of Python": "bb\n",
    "a pool of shells": "40\n",
    "a sort on disk": "99999\n",
    "an archive": "a/b\n",
    "a copy with its attributes": "kept\n",
    "a time limit": "within\n124\n",
    "a stopped process": "143\n",
    "devices": "0009\nfull\n",
}


@for_each("name", HONEST, every=3)
@pytest.mark.usefixtures("sandbox")
def test_honest_programs_go_on_as_before(name: str, workspace: Path) -> None:
    ran = asyncio.run(Supervised(Bubblewrap(), ROOM).run(HONEST[name], workspace))
    assert (ran.code, ran.stdout) == (0, PRINTED[name]), ran


@pytest.mark.usefixtures("sandbox")
def test_as_many_processes_as_there_may_be_are_no_excess(workspace: Path) -> None:
    limits = CommandLimits(seconds=60, memory_bytes=64 << 20, processes=40)
    command = "for i in {1..36}; do sleep 0.5 | cat & done 2>/dev/null; wait; echo end"
    ran = asyncio.run(Supervised(Bubblewrap(), limits).run(command, workspace))
    assert (ran.code, ran.stdout) == (0, "end\n"), ran
