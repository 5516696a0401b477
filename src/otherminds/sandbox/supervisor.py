"""The first process inside a sandbox: unpacks the workspace, runs the command, ends everything, packs the workspace.

Its source is sent to the Python of the sandbox before the request, so that it is in no list of processes, and imports
nothing but the standard library. As process 1 it is not ended by signals from inside, and everything in the sandbox
ends with it; no other process can read or change its memory. Nobody outside trusts its answer all the same: :mod:`~otherminds.sandbox.supervised`, where the
format is described, checks it.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import resource
import select
import signal
import stat
import sys
import time
from contextlib import suppress

TICK = 0.02
"""Seconds between two looks at the memory in use."""
CHUNK = 1 << 16
PR_SET_DUMPABLE, PR_SET_THP_DISABLE = 4, 41
FIELDS = re.compile(rb"^(RssAnon|RssShmem|VmPTE|VmSwap|VmSize|Threads):\s*(\d+)", re.MULTILINE)
"""Lines of a process's status: kibibytes, and the number of its threads."""
HELD = (b"RssAnon", b"RssShmem", b"VmPTE", b"VmSwap")
"""Those that are memory: its own, shared, of its page tables, and written to the swap space."""
PAGE = 4096
MAPPING, RELATIVE, DESCRIPTOR, PIPE = 256, 64, 8192, 1 << 16
"""The most bytes that the kernel holds for a mapping, for each process that may have it too, for an open file, in a pipe."""
TABLE = 1 << 18
"""How many bytes of a list of mappings are read, about 4,000 mappings; a longer list counts as the longest there may be."""
LOOKS = 3
"""How often processes are looked at while some begin or end, before all are stopped for a look."""


class CappedOutput:
    """The first ``most`` bytes of an output of the command; the rest is read and dropped."""

    def __init__(self, most: int) -> None:
        self.reader, self.writer = os.pipe()
        self.most = most
        self.kept = b""
        self.cut = False
        self.open = True

    def take(self) -> None:
        """Reads once what there is to read, and notes the end."""
        chunk = os.read(self.reader, CHUNK)
        room = self.most - len(self.kept)
        self.kept += chunk[:room]
        self.cut = self.cut or len(chunk) > room
        self.open = bool(chunk)


def main() -> None:
    """Serves one request: standard input to standard output."""
    if os.getpid() != 1:
        sys.exit("the supervisor ends every process that it can, and so runs as process 1 of a sandbox only")
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    request = json.loads(sys.stdin.buffer.readline())
    os.chdir(request["workspace"])
    root = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
    try:
        unpack(request)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        os.write(1, b"full\n")
        return
    entered = os.path.join(request["temporary"], "stdin")
    with open(entered, "x+b") as file:
        os.unlink(entered)
        file.write(sys.stdin.buffer.read(request["stdin"]))
        file.seek(0)
        os.write(1, b"ready\n")
        streams = CappedOutput(request["output"]), CappedOutput(request["output"])
        code, why = supervise(request, file.fileno(), streams)
    answer(request, root, code, why, streams)


def unpack(request: dict) -> None:
    """Makes the folders and files of the workspace, from standard input."""
    for name in request["folders"]:
        os.mkdir(name)
    for name, size, executable in request["files"]:
        with open(name, "xb") as file:
            file.write(sys.stdin.buffer.read(size))
            os.fchmod(file.fileno(), 0o755 if executable else 0o644)


def start(request: dict, stdin: int, streams: tuple[CappedOutput, CappedOutput]) -> int:
    """Starts the command with its limits in a session of its own. Returns its process."""
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        # What is left of a huge page is counted as the page that is mapped, and held whole.
        ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
        for number, stream in enumerate((stdin, streams[0].writer, streams[1].writer)):
            os.dup2(stream, number)
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        for name, most in request["rlimits"]:
            resource.setrlimit(getattr(resource, name), (most, most))
        os.execve(request["argv"][0], request["argv"], request["environment"])
    except OSError as error:
        os.write(2, f"{request['argv'][0]}: cannot be started ({error.strerror})\n".encode())
    finally:
        os._exit(126)


def supervise(request: dict, stdin: int, streams: tuple[CappedOutput, CappedOutput]) -> tuple[int, str]:
    """Runs the command. Returns its exit status, and the limit that ended it: ``time``, ``memory``, ``locks`` or none."""
    child = start(request, stdin, streams)
    until = time.monotonic() + request["seconds"]
    ended = os.pidfd_open(child)
    sources = {stream.reader: stream for stream in streams}
    poller = select.poll()
    poller.register(ended, select.POLLIN)
    poller.register(0, 0)
    for stream in streams:
        os.close(stream.writer)
        poller.register(stream.reader, select.POLLIN)
    why, watched = "", 0.0
    while not why:
        ready = [file for file, _ in poller.poll(TICK * 1000)]
        if 0 in ready:
            os._exit(1)  # whoever asked is gone
        for file in sources.keys() & ready:
            sources[file].take()
            if not sources[file].open:
                poller.unregister(file)
        if ended in ready:
            break
        reap_orphans(child)
        now = time.monotonic()
        if now >= until:
            why = "time"
        elif now >= watched + TICK:
            why = "locks" if count_locks(request["locks"]) > request["locks"] else ""
            why = "memory" if measure_memory(request) > request["memory"] else why
            watched = now
    code = end_all(child)
    for stream in streams:
        while stream.open:
            stream.take()
    return code, why


def measure_memory(request: dict) -> int:
    """Bytes of memory that all processes but this one hold, and the kernel for them, without files that they map."""
    for _ in range(LOOKS):
        statuses, complete = read_statuses()
        if complete:
            return add_memory(statuses, request)
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGSTOP)
    total = add_memory(read_statuses()[0], request)
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGCONT)
    return total


def read_statuses() -> tuple[dict[str, dict[bytes, int]], bool]:
    """The fields of each process but this one, by its folder in ``/proc``, and whether none began or ended meanwhile.

    Where the first thread of a process has ended, the folder is that of another thread, which tells what it holds.
    """
    names = list_processes()
    statuses: dict[str, dict[bytes, int]] = {}
    for name in names:
        with suppress(OSError):
            place = f"/proc/{name}"
            status = read_status(place)
            if b"VmSize" not in status and status.get(b"Threads", 0) > 1:
                tasks = {f"{place}/task/{task}": {} for task in os.listdir(f"{place}/task")}
                for task in tasks:
                    with suppress(OSError):
                        tasks[task] = read_status(task)
                place = max(tasks, key=lambda task: tasks[task].get(b"VmSize", 0))
                status = tasks[place]
            statuses[place] = status
    return statuses, len(statuses) == len(names) and list_processes() == names


def list_processes() -> list[str]:
    """The numbers of all processes but this one."""
    return [name for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def read_status(place: str) -> dict[bytes, int]:
    """The fields of the process or thread with the folder ``place``, in bytes; it has no memory if it has ended."""
    with open(f"{place}/status", "rb") as file:
        fields = {name: int(value) for name, value in FIELDS.findall(file.read())}
    return {name: value if name == b"Threads" else value << 10 for name, value in fields.items()}


def add_memory(statuses: dict[str, dict[bytes, int]], request: dict) -> int:
    """The memory of all processes; mappings and open files are counted only where they could be beyond the limit."""
    files = dict(request["rlimits"])["RLIMIT_NOFILE"]
    total = sum(status.get(field, 0) for status in statuses.values() for field in HELD)
    table = files * (DESCRIPTOR + PIPE)
    mapping = MAPPING + RELATIVE * len(statuses)
    most = {
        place: (status.get(b"VmSize", 0) // PAGE * mapping, status.get(b"Threads", 1) * table)
        for place, status in statuses.items()
    }
    if total + sum(map(sum, most.values())) <= request["memory"]:
        return total
    pipes: set[tuple[int, int]] = set()
    for place, (mappings, _) in most.items():
        total += measure_mappings(place, mapping, mappings) + measure_descriptors(place, table, pipes)
        if total > request["memory"]:
            break
    return total


def measure_mappings(place: str, mapping: int, most: int) -> int:
    """Bytes that the kernel holds for the mappings of a process, ``mapping`` for each; ``most`` if it hides them, or has very many."""
    try:
        with open(f"{place}/maps", "rb", buffering=0) as file:
            length = lines = 0
            while chunk := file.read(CHUNK):
                length += len(chunk)
                lines += chunk.count(b"\n")
                if length > TABLE:
                    return most
    except PermissionError:
        return most
    except OSError:
        return 0
    return min(most, lines * mapping)


def measure_descriptors(place: str, most: int, pipes: set[tuple[int, int]]) -> int:
    """Bytes that the kernel holds for the open files of a process, ``most`` for each thread that hides them.

    A pipe that is in ``pipes`` is counted already. A thread may have open files of its own.
    """
    tables: set[frozenset[tuple[str, int, int]]] = set()
    hidden, before = 0, len(pipes)
    process = "/".join(place.split("/")[:3])
    with suppress(OSError):
        for task in os.listdir(f"{process}/task"):
            try:
                table = list_descriptors(f"{process}/task/{task}/fd")
            except PermissionError:
                with suppress(OSError):
                    hidden += most if b"VmSize" in read_status(f"{process}/task/{task}") else 0
                continue
            except OSError:
                continue
            tables.add(frozenset((name, about.st_dev, about.st_ino) for name, about in table))
            pipes |= {(about.st_dev, about.st_ino) for _, about in table if stat.S_ISFIFO(about.st_mode)}
    return hidden + sum(map(len, tables)) * DESCRIPTOR + (len(pipes) - before) * PIPE


def list_descriptors(place: str) -> list[tuple[str, os.stat_result]]:
    """What the folder ``place`` of descriptors in ``/proc`` leads to, by their numbers."""
    table: list[tuple[str, os.stat_result]] = []
    for name in os.listdir(place):
        with suppress(FileNotFoundError):
            table.append((name, os.stat(f"{place}/{name}")))
    return table


def count_locks(most: int) -> int:
    """How many locks on parts of files there are, counted until they are more than ``most``: no limit of a process has them."""
    count = 0
    with open("/proc/locks", "rb", buffering=0) as file:
        while count <= most and (chunk := file.read(CHUNK)):
            count += chunk.count(b"POSIX")
    return count


def reap_orphans(child: int) -> None:
    """Removes other processes that have ended and whose parent has too: they count as processes until then."""
    while (ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) and ended.si_pid != child:
        os.waitpid(ended.si_pid, 0)


def end_all(child: int) -> int:
    """Ends every other process. Returns the exit status of ``child`` as a shell reports it."""
    code = 0
    while True:
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            process, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return code
        if process == child:
            code = os.waitstatus_to_exitcode(status)
            code = 128 - code if code < 0 else code


def list_workspace(root: int, request: dict) -> tuple[list[str], list[tuple[str, int, bool]], list[str]]:
    """The folders of the workspace, outer ones first, its regular files, and everything else, which is not kept.

    All of it is reached from the open folder ``root`` and made readable on the way, whatever its permissions.
    """
    folders: list[str] = []
    files: list[tuple[str, int, bool]] = []
    other: list[str] = []
    waiting = [""]
    os.fchmod(root, 0o700)
    while waiting:
        place = waiting.pop()
        folder = os.open(place or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=root)
        with os.scandir(folder) as entries:
            for entry in entries:
                name = os.path.join(place, entry.name)
                mode = entry.stat(follow_symlinks=False).st_mode
                if (
                    not name.isprintable()
                    or name.count("/") >= request["deepest"]
                    or len(name.encode()) > request["longest"]
                    or not (stat.S_ISDIR(mode) or stat.S_ISREG(mode))
                ):
                    other.append(name)
                elif stat.S_ISDIR(mode):
                    os.chmod(name, 0o700, dir_fd=root)
                    folders.append(name)
                    waiting.append(name)
                else:
                    os.chmod(name, 0o600, dir_fd=root)
                    files.append((name, entry.stat(follow_symlinks=False).st_size, bool(mode & 0o100)))
        os.close(folder)
    return sorted(folders), sorted(files), sorted(other)


def answer(request: dict, root: int, code: int, why: str, streams: tuple[CappedOutput, CappedOutput]) -> None:
    """Writes the answer: a line of JSON, the two streams, and the files; without files if they are too large."""
    folders, files, other = list_workspace(root, request)
    fits = sum(size for _, size, _ in files) <= request["bytes"]
    header = {
        "code": code,
        "why": why,
        "cut": [stream.cut for stream in streams],
        "streams": [len(stream.kept) for stream in streams],
        "whole": fits,
        "folders": folders if fits else [],
        "files": files if fits else [],
        "other": [ascii(name)[1:-1][:100] for name in other[: request["told"]]],
    }
    out = sys.stdout.buffer
    out.write(json.dumps(header, ensure_ascii=False).encode() + b"\n")
    for stream in streams:
        out.write(stream.kept)
    for name, size, _ in header["files"]:
        with open(os.open(name, os.O_RDONLY, dir_fd=root), "rb") as file:
            out.write(file.read(size))
    out.flush()


if __name__ == "__main__":
    main()
