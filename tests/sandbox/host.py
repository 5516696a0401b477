"""What there is on the host for an attack to find."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

SECRET = "SECRET-5f0c"
MARK = f"otherminds-mark-{os.getpid()}"
"""The name of files that are written outside the workspace."""


@contextmanager
def secrets_of(folder: Path) -> Generator[dict[str, object]]:
    """A secret in a file, an open file and behind sockets: what the names in braces of an attack stand for."""
    secret = folder / "secret"
    secret.write_text(SECRET)
    descriptor = os.open(secret, os.O_RDONLY)
    os.set_inheritable(descriptor, True)
    abstract = f"otherminds-{os.urandom(8).hex()}"
    servers = [
        socket.create_server(("127.0.0.1", 0)),
        socket.socket(socket.AF_UNIX),
        socket.socket(socket.AF_UNIX),
    ]
    servers[1].bind(str(folder / "socket"))
    servers[2].bind("\0" + abstract)
    for server in servers:
        server.listen()
        threading.Thread(target=_tells, args=(server,), daemon=True).start()
    yield {
        "secret": secret,
        "folder": folder,
        "source": Path(__file__),
        "home": Path.home(),
        "pid": os.getpid(),
        "descriptor": descriptor,
        "port": servers[0].getsockname()[1],
        "socket": folder / "socket",
        "abstract": abstract,
        "mark": MARK,
    }
    for server in servers:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
    os.close(descriptor)


def filled(command: str, names: Mapping[str, object]) -> str:
    """``command`` with the names in braces."""
    for name, value in names.items():
        command = command.replace(f"{{{name}}}", str(value))
    return command


def _tells(server: socket.socket) -> None:
    try:
        while True:
            with server.accept()[0] as connection:
                connection.sendall(SECRET.encode())
    except OSError:
        return
