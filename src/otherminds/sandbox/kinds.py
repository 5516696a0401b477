"""The kinds of sandbox, opened by name after a short run has shown that one keeps commands apart.

``bubblewrap`` (``bwrap`` 0.8 or later, Linux 5.14 or later) needs no privilege of ours. ``unshare`` makes a user and a mount
namespace, where ``mount`` can put a file system in memory with a fixed size and number of files; in it ``bwrap`` makes the
sandbox, whose only writable folders are two folders of that file system.

``docker:IMAGE`` and ``podman:IMAGE`` are containers of an image that is named. The image has bash, jq, coreutils and Python
3.9 or later. It is never pulled: the sandbox has no network of ours. ``unsafe-local`` is no sandbox: commands run on this
machine with our rights."""

from __future__ import annotations

import asyncio
import os
import platform
import shlex
import shutil
import signal
import socket
import stat
from asyncio.subprocess import PIPE
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from otherminds.core.errors import StudyError, UnknownNameError
from otherminds.core.text import hint, quote_name
from otherminds.sandbox.seccomp import ARCHITECTURES, seccomp_filter
from otherminds.sandbox.supervised import (
    LOADER,
    TEMPORARY,
    WORKSPACE,
    CommandLimits,
    FullWorkspaceError,
    Ran,
    Sandbox,
    Supervised,
    end,
)

__all__ = ["CommandLimits", "FullWorkspaceError", "Ran", "Sandbox", "open_sandbox"]


NOBODY = 65534
"""The user who runs bubblewrap where we are root, for whom the kernel would not limit processes."""
INSIDE = "1000"
"""User and group in the sandbox."""
TOOLS = {"bwrap": "bubblewrap", "unshare": "util-linux", "mount": "mount"}
"""The programs that set up the sandbox, each with its package in Debian."""
INSTALL = (
    "install bubblewrap 0.8 or later (apt install bubblewrap util-linux mount jq python3) and allow user namespaces "
    "(sysctl user.max_user_namespaces, kernel.apparmor_restrict_unprivileged_userns=0)"
)
SYSTEM = ("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32", "/etc/alternatives")
"""Folders of the system that the sandbox sees, read-only, where the host has them."""
SHORT = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
"""Links to folders in ``/usr``; on a host where they are folders they are seen as such."""
FILES = ("/etc/ld.so.cache",)
DEVICES = {
    "/dev/null": "/dev/null",
    "/dev/zero": "/dev/full",
    "/dev/full": "/dev/full",
    "/dev/random": "/dev/random",
    "/dev/urandom": "/dev/urandom",
}
"""Devices in the sandbox, each with that of the host. ``full`` reads as ``zero`` does, and cannot be mapped: what is
mapped of ``zero`` is shared memory that no count of a process has."""
LINKS = {"/dev/fd": "/proc/self/fd", "/dev/stdin": "fd/0", "/dev/stdout": "fd/1", "/dev/stderr": "fd/2"}
HIDDEN = ("/proc/cmdline", "/proc/keys", "/proc/key-users", "/proc/kallsyms", "/proc/timer_list")
"""Files of the kernel about the host, which are empty in the sandbox."""
SUPERVISOR = "/proc/1"
"""What the kernel shows of the supervisor; an empty folder in the sandbox."""
PLACE = "/mnt"
"""A folder of every system (Filesystem Hierarchy Standard, 3.12); what is mounted there is seen by us alone."""
PREPARE = f"""
echo 1000 >/proc/self/oom_score_adj
mount -t tmpfs -o "nosuid,nodev,mode=700,huge=never,size=$1,nr_inodes=$2" tmpfs {PLACE} &&
mkdir {PLACE}/workspace {PLACE}/temporary && shift 2 && exec "$@"
"""


class Bubblewrap:
    """The runtime bubblewrap."""

    name = "bubblewrap"

    def __init__(self) -> None:
        missing = [tool for tool in TOOLS if shutil.which(tool) is None]
        if missing:
            raise StudyError(f"no sandbox: {', '.join(missing)} not found; {INSTALL}")
        if platform.machine() not in ARCHITECTURES:
            raise StudyError(f"no sandbox: no filter of system calls for {platform.machine()}")
        self.seccomp = seccomp_filter()
        self.user = NOBODY if os.getuid() == 0 else None
        self._seen = _bind_system()

    def started(self, limits: CommandLimits, label: str, seccomp: int = -1) -> list[str]:
        """See :class:`~otherminds.sandbox.supervised.Runtime`."""
        return [
            *("unshare", "--user", "--map-root-user", "--mount"),
            *("sh", "-c", PREPARE, "sh", str(limits.file_bytes), str(limits.files + 3)),
            *(
                "bwrap",
                "--unshare-all",
                "--unshare-user",
                "--uid",
                INSIDE,
                "--gid",
                INSIDE,
                "--hostname",
                "sandbox",
            ),
            *("--cap-drop", "ALL", "--clearenv", "--new-session", "--die-with-parent", "--as-pid-1"),
            *self._seen,
            *("--bind", f"{PLACE}/workspace", WORKSPACE, "--bind", f"{PLACE}/temporary", TEMPORARY),
            *("--remount-ro", "/", "--chdir", "/", "--seccomp", str(seccomp)),
            *("/usr/bin/python3", "-I", "-S", "-c", LOADER),
        ]

    def list_removal(self, label: str) -> list[str]:
        """Nothing: the sandbox ends with its first process."""
        return []


def _bind_system() -> list[str]:
    """Arguments for what the sandbox sees of the system."""
    options: list[str] = []
    for place in (*SYSTEM, *FILES):
        if Path(place).exists():
            options += ["--ro-bind", place, place]
    for place in SHORT:
        if Path(place).is_symlink():
            options += ["--symlink", str(Path(place).readlink()), place]
        elif Path(place).is_dir():
            options += ["--ro-bind", place, place]
    for place in Path("/usr/lib").glob("python3*/dist-packages"):
        options += ["--tmpfs", str(place), "--remount-ro", str(place)]
    options += ["--proc", "/proc", "--tmpfs", SUPERVISOR, "--remount-ro", SUPERVISOR]
    for place, device in DEVICES.items():
        options += ["--dev-bind", device, place]
    for name, to in LINKS.items():
        options += ["--symlink", to, name]
    for place in HIDDEN:
        if Path(place).exists():
            options += ["--ro-bind", "/dev/null", place]
    return options


PROGRAMS = ("docker", "podman")
FIRST_USER, USERS = 20_000, 40_000
"""Users in containers: each container gets one of these, so that the kernel counts its processes alone."""


class Container:
    """The runtime of containers ``program``, with ``image``."""

    seccomp = b""
    user: int | None = None

    def __init__(self, program: str, image: str) -> None:
        if shutil.which(program) is None:
            raise StudyError(f"no sandbox: {program} not found; install it, or choose another sandbox")
        if not image or image.startswith("-"):
            raise StudyError(
                f"no sandbox: {program} needs the name of an image that is present: {program}:IMAGE"
            )
        self.name = f"{program}:{image}"
        self._program = program
        self._image = image

    def started(self, limits: CommandLimits, label: str, seccomp: int = -1) -> list[str]:
        """See :class:`~otherminds.sandbox.supervised.Runtime`. The runtime's own filter is used."""
        user = FIRST_USER + int(label[-8:], 16) % USERS
        room = f"rw,exec,nosuid,nodev,mode=1777,size={limits.file_bytes},nr_inodes={limits.files + 2}"
        return [
            *(self._program, "run", "--rm", "--interactive", "--name", label, "--pull", "never"),
            *("--network", "none", "--ipc", "none", "--hostname", "sandbox", "--user", f"{user}:{user}"),
            *(
                "--read-only",
                "--oom-score-adj",
                "1000",
                "--cap-drop",
                "ALL",
                "--security-opt",
                "no-new-privileges",
            ),
            *("--pids-limit", str(limits.processes + 1), "--memory", str(2 * limits.memory_bytes)),
            *("--tmpfs", f"{WORKSPACE}:{room}", "--tmpfs", f"{TEMPORARY}:{room}"),
            *("--workdir", "/", "--entrypoint", "python3", self._image, "-I", "-S", "-c", LOADER),
        ]

    def list_removal(self, label: str) -> list[str]:
        """The client does not end its container when it is killed."""
        return [self._program, "rm", "--force", label]


CHUNK = 1 << 16


class UnsafeLocal:
    """Runs commands as they are. Time and output are limited, the environment is empty; nothing else is kept apart."""

    name = "unsafe-local"

    def __init__(self, limits: CommandLimits) -> None:
        self.limits = limits

    async def run(self, command: str, folder: Path, stdin: bytes = b"") -> Ran:
        """Runs ``command`` in ``folder``; what leaves its group is not ended with it.

        Raises:
            StudyError: bash cannot be started.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *("/bin/bash", "-c", command),
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=folder,
                env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8", "TERM": "dumb"},
                start_new_session=True,
            )
        except OSError as error:
            raise StudyError(f"{folder}: bash cannot be started there ({error.strerror})") from None
        assert process.stdin
        assert process.stdout
        assert process.stderr
        output = {"stdout": bytearray(), "stderr": bytearray()}
        cut: set[str] = set()

        async def take(name: str, stream: asyncio.StreamReader) -> None:
            while chunk := await stream.read(CHUNK):
                room = self.limits.output_bytes - len(output[name])
                output[name] += chunk[:room]
                if len(chunk) > room:
                    cut.add(name)

        async def give(stream: asyncio.StreamWriter) -> None:
            stream.write(stdin)
            with suppress(BrokenPipeError, ConnectionResetError):
                await stream.drain()
            stream.close()

        timed_out = False
        try:
            async with asyncio.timeout(self.limits.seconds):
                await asyncio.gather(
                    take("stdout", process.stdout),
                    take("stderr", process.stderr),
                    give(process.stdin),
                    process.wait(),
                )
        except TimeoutError:
            timed_out = True
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await end(process)
            restore_access(folder)
        code = process.returncode or 0
        return Ran(
            code=124 if timed_out else 128 - code if code < 0 else code,
            stdout=output["stdout"].decode(errors="replace"),
            stderr=output["stderr"].decode(errors="replace"),
            timed_out=timed_out,
            cut=tuple(sorted(cut)),
        )


def restore_access(folder: Path) -> None:
    """Lets us read and write ``folder`` and what is in it again, where a command has taken that permission away."""
    waiting = [str(folder)]
    while waiting:
        place = waiting.pop()
        with suppress(OSError):
            mode = os.lstat(place).st_mode
            access = 0o700 if stat.S_ISDIR(mode) else 0o600 if stat.S_ISREG(mode) else 0
            if mode & access != access:
                os.chmod(place, stat.S_IMODE(mode) | access)
            if stat.S_ISDIR(mode):
                waiting += [entry.path for entry in os.scandir(place)]


NAMES = ("auto", "bubblewrap", "docker:IMAGE", "podman:IMAGE", "unsafe-local")
VARIABLE = "OTHERMINDS_PROBE"
PROBE = """
[ -e {file} ] && echo "reads files of the host"
[ -n "${{{variable}:-}}" ] && echo "reads the environment"
(exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo "reaches the network"
[ -e /proc/{process}/root ] && [ {process} -gt 100 ] && echo "sees other processes"
for tool in jq python3 sort; do command -v "$tool" >/dev/null || echo "has no $tool"; done
echo written >probe
"""
"""Prints what it should not be able to do, or lacks, and leaves a file."""


def open_sandbox(name: str = "auto", limits: CommandLimits = CommandLimits()) -> Sandbox:  # noqa: B008 - frozen
    """The sandbox ``name``: ``bubblewrap``, ``docker:IMAGE``, ``podman:IMAGE``, ``unsafe-local``, or ``auto``.

    ``auto`` is bubblewrap: nobody's commands run in a container or without a sandbox unless that was chosen by name.

    Raises:
        StudyError: it does not work here; the text says what to install.
        UnknownNameError: there is no such sandbox.
    """
    if name == "unsafe-local":
        return UnsafeLocal(limits)
    program, _, image = name.partition(":")
    if name in {"auto", "bubblewrap"}:
        runtime, install = Bubblewrap(), INSTALL
    elif program in PROGRAMS:
        runtime, install = Container(program, image), f"start {program}, and build or pull {image} first"
    else:
        raise UnknownNameError(f"no sandbox {quote_name(name)}{hint(name, NAMES)}")
    sandbox = Supervised(runtime, limits)
    try:
        fault = probe_sandbox(sandbox)
    except StudyError as error:
        raise StudyError(f"{error}; {install}") from None
    if fault:
        raise StudyError(f"the sandbox {sandbox.name} cannot be used, a command in it {fault}; {install}")
    return sandbox


def probe_sandbox(sandbox: Sandbox) -> str:
    """What a command in ``sandbox`` can do and should not, or lacks; empty if it is as it should be.

    Raises:
        StudyError: it cannot be set up.
    """
    with TemporaryDirectory() as place, socket.create_server(("127.0.0.1", 0)) as server:
        file, folder = Path(place) / "secret", Path(place) / "workspace"
        file.write_text("secret")
        folder.mkdir()
        command = PROBE.format(
            file=shlex.quote(str(file)),
            variable=VARIABLE,
            port=server.getsockname()[1],
            process=os.getpid(),
        )
        with ThreadPoolExecutor(1) as thread:  # the caller may be in a loop of its own
            ran = thread.submit(lambda: asyncio.run(sandbox.run(command, folder))).result()
        probe_file = folder / "probe"
        lost = "" if probe_file.exists() and probe_file.read_text() == "written\n" else "loses its files"
    return ", ".join([*ran.stdout.splitlines(), lost] if lost else ran.stdout.splitlines())
