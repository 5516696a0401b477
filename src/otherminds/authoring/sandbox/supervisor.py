"""The first process inside a sandbox: unpacks the workspace, runs the command, ends everything, packs the workspace.

Its source is given to the Python of the sandbox, and so imports nothing but the standard library. As process 1 it
is not ended by signals from inside, and everything in the sandbox ends with it; no other process can read or change
its memory. Nobody outside trusts its answer all the same: :mod:`~otherminds.authoring.sandbox.exchange`, where the
format is described, checks it.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
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
PR_SET_DUMPABLE = 4


class Stream:
    """The first ``most`` bytes of an output of the command; the rest is read and dropped."""

    def __init__(self, most: int) -> None:
        self.reader, self.writer = os.pipe()
        self.most = most
        self.kept = b""
        self.cut = False
        self.open = True

    def take(self) -> None:
        """Reads once what there is to read, and notes the end."""
        some = os.read(self.reader, CHUNK)
        room = self.most - len(self.kept)
        self.kept += some[:room]
        self.cut = self.cut or len(some) > room
        self.open = bool(some)


def main() -> None:
    """Serves one request: standard input to standard output."""
    if os.getpid() != 1:
        sys.exit("the supervisor ends every process that it can, and so runs as process 1 of a sandbox only")
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked = json.loads(sys.stdin.buffer.readline())
    os.chdir(asked["workspace"])
    try:
        unpack(asked)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        os.write(1, b"full\n")
        return
    entered = os.path.join(asked["temporary"], "stdin")
    with open(entered, "x+b") as file:
        os.unlink(entered)
        file.write(sys.stdin.buffer.read(asked["stdin"]))
        file.seek(0)
        os.write(1, b"ready\n")
        streams = Stream(asked["output"]), Stream(asked["output"])
        code, why = supervise(asked, file.fileno(), streams)
    answer(asked, code, why, streams)


def unpack(asked: dict) -> None:
    """Makes the folders and files of the workspace, from standard input."""
    for name in asked["folders"]:
        os.mkdir(name)
    for name, size, executable in asked["files"]:
        with open(name, "xb") as file:
            file.write(sys.stdin.buffer.read(size))
            os.fchmod(file.fileno(), 0o755 if executable else 0o644)


def start(asked: dict, stdin: int, streams: tuple[Stream, Stream]) -> int:
    """Starts the command with its limits in a session of its own. Returns its process."""
    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        for number, stream in enumerate((stdin, streams[0].writer, streams[1].writer)):
            os.dup2(stream, number)
        for number in (signal.SIGINT, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        for name, most in asked["rlimits"]:
            resource.setrlimit(getattr(resource, name), (most, most))
        os.execve(asked["argv"][0], asked["argv"], asked["environment"])
    except OSError as error:
        os.write(2, f"{asked['argv'][0]}: cannot be started ({error.strerror})\n".encode())
    finally:
        os._exit(126)


def supervise(asked: dict, stdin: int, streams: tuple[Stream, Stream]) -> tuple[int, str]:
    """Runs the command. Returns its exit status, and the limit that ended it: ``time``, ``memory`` or none."""
    child = start(asked, stdin, streams)
    until = time.monotonic() + asked["seconds"]
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
        now = time.monotonic()
        if now >= until:
            why = "time"
        elif now >= watched + TICK:
            why = "memory" if memory() > asked["memory"] else ""
            watched = now
    code = end_all(child)
    for stream in streams:
        while stream.open:
            stream.take()
    return code, why


def memory() -> int:
    """Bytes of memory that all processes but this one hold, without files that they map."""
    total = 0
    for name in os.listdir("/proc"):
        if name.isdigit() and name != "1":
            try:
                with open(f"/proc/{name}/status", "rb") as file:
                    lines = file.read().split(b"\n")
            except OSError:
                continue
            total += sum(int(line.split()[1]) for line in lines if line.startswith((b"RssAnon", b"RssShmem")))
    return total << 10


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


def found(deepest: int) -> tuple[list[str], list[tuple[str, int, bool]], list[str]]:
    """The folders of the workspace, outer ones first, its regular files, and everything else, which is not kept."""
    folders: list[str] = []
    files: list[tuple[str, int, bool]] = []
    other: list[str] = []
    waiting = ["."]
    while waiting:
        place = waiting.pop()
        os.chmod(place, 0o700)
        with os.scandir(place) as entries:
            for entry in entries:
                name = os.path.relpath(entry.path)
                about = entry.stat(follow_symlinks=False)
                if not name.isprintable() or name.count("/") >= deepest:
                    other.append(name)
                elif stat.S_ISDIR(about.st_mode):
                    folders.append(name)
                    waiting.append(name)
                elif stat.S_ISREG(about.st_mode):
                    os.chmod(name, about.st_mode | 0o600)
                    files.append((name, about.st_size, bool(about.st_mode & 0o100)))
                else:
                    other.append(name)
    return sorted(folders), sorted(files), sorted(other)


def answer(asked: dict, code: int, why: str, streams: tuple[Stream, Stream]) -> None:
    """Writes the answer: a line of JSON, the two streams, and the files; without files if they are too large."""
    folders, files, other = found(asked["deepest"])
    whole = sum(size for _, size, _ in files) <= asked["bytes"]
    told = {
        "code": code,
        "why": why,
        "cut": [stream.cut for stream in streams],
        "streams": [len(stream.kept) for stream in streams],
        "whole": whole,
        "folders": folders if whole else [],
        "files": files if whole else [],
        "other": [ascii(name)[1:-1][:100] for name in other[: asked["told"]]],
    }
    out = sys.stdout.buffer
    out.write(json.dumps(told).encode() + b"\n")
    for stream in streams:
        out.write(stream.kept)
    for name, size, _ in told["files"]:
        with open(name, "rb") as file:
            out.write(file.read(size))
    out.flush()


if __name__ == "__main__":
    main()
