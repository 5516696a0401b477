"""A sandbox by bubblewrap (``bwrap`` 0.8 or later, Linux 5.14 or later), without a privilege of ours.

``unshare`` makes a user and a mount namespace, where ``mount`` can put a file system in memory with a fixed size and
number of files; in it ``bwrap`` makes the sandbox, whose only writable folders are two folders of that file system.
"""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path

from otherminds.core.errors import StudyError
from otherminds.sandbox.exchange import TEMPORARY, WORKSPACE
from otherminds.sandbox.limits import CommandLimits
from otherminds.sandbox.seccomp import ARCHITECTURES, seccomp_filter
from otherminds.sandbox.supervised import LOADER

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
