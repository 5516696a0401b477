"""Whatever a command does to its workspace, its output and its plain files come back, and the next command runs."""

import asyncio
import os
import traceback
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from otherminds.sandbox.kinds import Bubblewrap, Ran, Sandbox, UnsafeLocal
from otherminds.sandbox.supervised import Supervised
from tests.cases import for_each
from tests.sandbox.attacks import python
from tests.sandbox.conftest import LIMITS

KEPT = "mkdir -p in; echo kept >in/kept; echo kept >kept; "
MISCHIEF = {
    "its folder": "chmod 000 .",
    "everything in it": "chmod 000 in/kept in kept .",
    "from outside": "cd /tmp; chmod 000 /workspace/in /workspace; chmod 000 /tmp",
    "parents": "chmod 000 / .. /workspace/.. /tmp 2>/dev/null; chmod 000 .",
    "only execute": "chmod 111 . in; chmod 444 kept",
    "all bits": "chmod 7777 . in kept in/kept",
    "set-user-ID": "cp /bin/true x; chmod 6755 x; chmod g+s . in; chmod 000 .",
    "umask": "umask 777; mkdir shut; : >shut/f; : >f; chmod 000 .",
    "flags": python(
        "import fcntl\nfor flag in (0x10, 0x20, 0x40, 0x30):\n"
        "    for name in ('.', 'in', 'kept'):\n"
        "        try: fcntl.ioctl(os.open(name, os.O_RDONLY), 0x40086602, flag.to_bytes(8, 'little'))\n"
        "        except OSError: pass\nos.chmod('.', 0)"
    ),
    "access lists": python(
        "import struct\ndata = struct.pack('<I', 2) + b''.join(struct.pack('<HHI', tag, 0, 0xffffffff) for tag in (1, 4, 32))\n"
        "for name in ('.', 'in', 'kept'):\n    for kind in ('access', 'default'):\n"
        "        try: os.setxattr(name, 'system.posix_acl_' + kind, data)\n        except OSError: pass"
    ),
    "renamed": python(
        "for one, other in (('/workspace', '/tmp/w'), ('/workspace', '/w'), ('.', '../w'), ('/tmp', '/workspace/tmp'), ('..', '/tmp/w')):\n"
        "    try: os.rename(one, other); print('renamed', one)\n    except OSError: pass"
    ),
    "moved away": "mv /workspace /tmp/w; mv /tmp/w/* . 2>/dev/null || " + KEPT + "true",
    "removed": "rmdir /workspace; rm -rf /workspace . 2>/dev/null; cd /; rmdir /workspace; cd workspace; "
    + KEPT
    + "true",
    "a loop": "(while :; do chmod 000 . in; done) & (while :; do chmod 111 /workspace /workspace/in; done) & sleep 0.2",
    "no room for files": "for i in {1..5000}; do : >in/$i || break; done; chmod 000 in .",
    "no room for bytes": "cat /dev/zero >big; rm big; cat /dev/zero >/tmp/big; chmod 000 .",
    "links": "ln -s kept link; ln -s link kept2; ln -s . loop; ln -s / root; ln -s /proc/1 one; for i in {1..200}; do ln -s $i l$i; done",
    "pipes": "for i in {1..99}; do mkfifo p$i in/p$i; done; (cat p1 &) ; (echo >in/p1 &); sleep 0.1",
    "two names": "for i in {1..99}; do ln kept n$i; done; chmod 000 kept; rm n*",
    "deep": python("for _ in range(250):\n    os.mkdir('d')\n    os.chdir('d')\nos.chmod('.', 0)"),
    "long names": python(
        "for _ in range(16):\n    os.mkdir('\\u00e9' * 127)\n    open('\\u732b' * 85, 'w').close()\n    os.chdir('\\u00e9' * 127)\n"
        "open('x' * 255, 'w').close()"
    ),
    "many long names": python(
        "for _ in range(3):\n    os.mkdir('\"' * 250)\n    os.chdir('\"' * 250)\n"
        "for i in range(280): open('\\\\' * 240 + str(i), 'w').close()"
    ),
    "odd names": python(
        "for name in (b'\\xff', b'a\\nb', b'\\x1b[2J', b'-rf', b' ', b'...', b'\\\\', b'\"', b'~', b'*', b'\\xed\\xa0\\x80', "
        "b'con', '\\u202e'.encode(), '\\u0301'.encode()):\n    os.mkdir(name); os.mkdir(name + b'/' + name); "
        "os.chmod(name + b'/' + name, 0); os.chmod(name, 0)\nos.chmod('.', 0)"
    ),
    "open and gone": "exec 5>gone; rm gone; echo more >&5; (exec 6>>kept; sleep 60) & chmod 000 .",
    "locked": "(flock 9; sleep 60) 9<kept & (flock 8; sleep 60) 8<. & sleep 0.1; chmod 000 .",
    "swapped": "mv in x; mv kept in; mkdir kept; mv in y; rmdir kept; mv x in; mv y kept; chmod 000 .",
    "holes": "truncate -s 3M hole; truncate -s 1 kept2; chmod 000 .",
    "times": "touch -d @0 . kept; touch -d 2446-01-01 in; touch -h -d @-99999999 in/kept; chmod 000 .",
    "signals": "for s in STOP TSTP KILL TERM INT HUP USR1 PIPE XCPU; do kill -$s 1; done; chmod 000 .",
}


@for_each("how", MISCHIEF, every=3)
def test_nothing_is_lost(how: str, sandbox: Sandbox, workspace: Path) -> None:
    (workspace / "before").write_text("before")
    inside = Supervised(Bubblewrap(), LIMITS)
    first = asyncio.run(inside.run(f"{KEPT}{MISCHIEF[how]}\necho printed", workspace))
    assert first.stdout.splitlines()[-1:] == ["printed"], (how, first)
    assert "the workspace is as it was" not in first.stderr
    kept = (workspace / "in" / "kept", workspace / "kept")
    assert [path.read_text() for path in kept] == ["kept\n", "kept\n"], (how, first)
    plain = (
        path for path in workspace.rglob("*") if not path.is_symlink() and (path.is_dir() or path.is_file())
    )
    for path in (workspace, *plain):
        assert path.stat().st_mode & 0o7777 in {
            0o755,
            0o644,
            0o700,
            0o600,
            workspace.stat().st_mode & 0o777,
        }, path
    second = asyncio.run(
        inside.run("cat kept in/kept; find . -mindepth 1 -delete; echo new >kept", workspace)
    )
    assert (second.code, second.stdout) == (0, "kept\nkept\n"), (how, second)
    assert [path.name for path in workspace.iterdir()] == ["kept"]


def as_another_user(run: Callable[[], Ran], folder: Path) -> str:
    """What ``run`` returns, as a text, in a process without the rights of root; ``folder`` is that user's."""
    reader, writer = os.pipe()
    os.chown(folder, 65534, 65534)
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            os.chdir(folder)
            text = repr(run())
        except BaseException:  # noqa: BLE001 - the child must not go on as a second test run
            text = traceback.format_exc()
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with open(reader, encoding="utf-8") as stream:
        return stream.read()


@pytest.mark.skipif(os.getuid() != 0, reason="as any other user, the tests above show the same")
@pytest.mark.parametrize("kind", ["bubblewrap", "unsafe-local"])
def test_nothing_is_lost_for_a_user_without_rights(kind: str, sandbox: Sandbox) -> None:
    limits = msgspec.structs.replace(LIMITS, seconds=20)
    with TemporaryDirectory() as place:
        folder = Path(place)

        def run() -> Ran:
            inside = Supervised(Bubblewrap(), limits) if kind == sandbox.name else UnsafeLocal(limits)
            asyncio.run(inside.run(f"{KEPT} chmod 000 in/kept kept in .", folder))
            return asyncio.run(inside.run("cat in/kept kept; touch new; chmod 000 .", folder))

        assert as_another_user(run, folder) == repr(Ran(0, "kept\nkept\n", ""))
        assert sorted(path.name for path in folder.iterdir()) == ["in", "kept", "new"]
