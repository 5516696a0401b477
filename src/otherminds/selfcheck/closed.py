"""Commands of an author who is not trusted, in the sandbox."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from unittest.mock import patch

from otherminds.core.errors import StudyError
from otherminds.sandbox.base import CommandLimits, open_sandbox
from otherminds.selfcheck.trial import NotTriedError
from otherminds.testing.compare import promise

MIB = 2**20
LIMITS = CommandLimits(seconds=10, cpu_seconds=5, memory_bytes=256 * MIB, file_bytes=8 * MIB, processes=32)
SECRET = "selfcheck-4711"
VARIABLE = "OTHERMINDS_SELFCHECK"
ATTACKS = {
    "reads a file of the user": "cat {file}",
    "reads the environment": 'echo "${variable}"; cat /proc/self/environ /proc/1/environ',
    "writes to a folder of the user": "echo broken >{file}; rm -rf {folder}/*",
    "links to a file of the user": "ln -s {file} link; cat link",
    "starts processes without end": "f() {{ f | f & }}; f",
    "takes all memory": "python3 -c 'x = bytearray(2**40)' || python3 -c 'x = [bytearray(2**20) for _ in range(10**5)]'",
    "fills the disk": "head -c 1000000000 /dev/zero >big",
    "prints without end": "yes",
    "never ends": "trap '' TERM INT; sleep 1000",
}


def attack_the_sandbox(folder: Path) -> str:
    """Runs commands of a hostile author.

    Raises:
        NotTriedError: there is no sandbox on this machine.
    """
    try:
        sandbox = open_sandbox("auto", LIMITS)
    except StudyError as error:
        raise NotTriedError(str(error)) from None
    secret = folder / "user" / "file"
    secret.parent.mkdir()
    secret.write_text(SECRET, encoding="utf-8")
    with patch.dict(os.environ, {VARIABLE: SECRET}):
        for number, (name, command) in enumerate(ATTACKS.items()):
            workspace = folder / f"workspace_{number}"
            workspace.mkdir()
            text = command.format(file=secret, folder=secret.parent, variable=VARIABLE)
            ran = asyncio.run(sandbox.run(text, workspace))
            promise(SECRET not in ran.stdout + ran.stderr, f"a command that {name} learns nothing", "it did")
            promise(
                secret.read_text(encoding="utf-8") == SECRET,
                f"a command that {name} changes nothing",
                "it did",
            )
            links = [path for path in workspace.rglob("*") if path.is_symlink()]
            size = sum(path.stat().st_size for path in workspace.rglob("*"))
            promise(
                not links and size <= LIMITS.file_bytes,
                f"a command that {name} leaves files only",
                f"{links}, {size} bytes",
            )
            promise(
                len(ran.stdout) <= LIMITS.output_bytes, f"a command that {name} is cut", f"{len(ran.stdout)}"
            )
    return f"{len(ATTACKS)} attacks in {sandbox.name}: 0 gain anything"
