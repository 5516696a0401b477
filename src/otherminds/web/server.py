"""Serves an application of this package: at the loopback address, or to others with TLS."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from otherminds.core.disk import check_file
from otherminds.core.errors import StudyError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

NEEDED = ("starlette", "uvicorn")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERY_ADDRESS = ("0.0.0.0", "::")


class TlsFiles(NamedTuple):
    """A certificate with its chain, and its private key, both PEM."""

    certificate: Path
    key: Path


def check_extra(who: str) -> None:
    """Checks that the packages of the extra ``web`` are there; ``who`` begins the sentence that says so.

    Raises:
        StudyError: one is not.
    """
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise StudyError(f"{who} the extra web, which has {missing[0]}: pip install 'otherminds[web]'")


def check_tls(tls: TlsFiles) -> None:
    """Checks that a certificate and its key can be used.

    Raises:
        StudyError: a file is missing or is no PEM file of its kind, the key has a password, or they do not belong together.
    """
    for path, kind, begin in (
        (tls.certificate, "certificate", b"-----BEGIN CERTIFICATE-----"),
        (tls.key, "private key", b"PRIVATE KEY-----"),
    ):
        check_file(path)
        try:
            content = path.read_bytes()
        except OSError as error:
            raise StudyError(f"{path}: cannot be read ({error.strerror}); name the {kind}") from None
        if begin not in content:
            raise StudyError(f"{path}: has no {kind} in PEM form")

    def refuse_password() -> str:
        raise StudyError(
            f"{tls.key}: has a password; give a key without one, in a file that only you can read"
        )

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tls.certificate, tls.key, refuse_password)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise StudyError(f"{tls.key}: is not the key of the certificate {tls.certificate}") from None
        raise StudyError(
            f"{tls.certificate} and {tls.key}: cannot be used ({error.reason or error})"
        ) from None


@contextmanager
def serve(
    make_app: Callable[[], ASGIApp],
    address: str,
    port: int,
    origins: Sequence[str],
    is_link: Callable[[str], bool] = lambda path: False,
    tls: TlsFiles | None = None,
) -> Generator[str]:
    """Serves an application behind a guard from a thread of its own, and yields the address of its pages.

    ``is_link`` is that of :class:`~otherminds.web.guard.Guard`. With ``tls`` it serves HTTPS.

    Raises:
        StudyError: the address is in use, or is open to others without TLS, or browsers reach it under a name that no ``origins`` tell.
    """
    import uvicorn

    from otherminds.web.guard import Guard

    if address not in LOOPBACK and not origins:
        if tls is None:
            raise StudyError(
                f"at {address}, others on the network could reach the pages; serve them with --tls-cert and --tls-key, or through a "
                "proxy with TLS, and give its address as --origin https://NAME (docs/people.md)"
            )
        if address in EVERY_ADDRESS:
            raise StudyError(
                f"{address} is every address of this machine; give the name in the certificate as --origin https://NAME:PORT"
            )
    for origin in origins:
        if not origin.startswith("https://") and urlsplit(origin).hostname not in LOOPBACK:
            raise StudyError(
                f"--origin {origin}: links and replies would be sent in the clear; it begins with https://"
            )
    scheme = "http" if tls is None else "https"
    try:
        listener = socket.create_server(
            (address, port), family=socket.AF_INET6 if ":" in address else socket.AF_INET
        )
    except OSError as error:
        raise StudyError(f"cannot listen at {address}, port {port}: {error.strerror}") from None
    taken = listener.getsockname()[1]
    names = LOOPBACK if tls is None and address not in LOOPBACK else (address, *LOOPBACK)
    own = [f"{scheme}://{f'[{name}]' if ':' in name else name}:{taken}" for name in names]
    app = Guard(make_app(), (*origins, *own), is_link)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            ws="none",
            limit_concurrency=1_000,
            timeout_keep_alive=5,
            server_header=False,
            ssl_certfile=None if tls is None else tls.certificate,
            ssl_keyfile=None if tls is None else tls.key,
        )
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield (*origins, *own)[0].rstrip("/")
    finally:
        server.should_exit = True
        thread.join(5)
        listener.close()
