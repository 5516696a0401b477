"""A sandbox in a container of an image that is named: ``docker:IMAGE`` or ``podman:IMAGE``.

The image has bash, jq, coreutils and Python 3.9 or later. It is never pulled: the sandbox has no network of ours.
"""

from __future__ import annotations

import shutil

from otherminds.core.errors import StudyError
from otherminds.sandbox.exchange import TEMPORARY, WORKSPACE
from otherminds.sandbox.limits import CommandLimits
from otherminds.sandbox.supervised import LOADER

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
