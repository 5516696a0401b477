"""Keeps a policy file for the user, so that studies can name it: copied from a path, or downloaded, and checked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.near import quoted
from otherminds.minds.learned.files import NAME, SUFFIX, kept_folder, read_policy, shipped_files
from otherminds.minds.learned.policy import LARGEST, Policy, policy_of

if TYPE_CHECKING:
    import httpx

OPENING, LONGEST = 30.0, 600.0
"""Seconds without an answer, and of a whole download, after which it is given up."""
REDIRECTS = 5
PIECE = 2**16
HASH = re.compile(r"[0-9a-f]{64}")


def pull(source: str, sha256: str = "", name: str = "") -> tuple[Path, Policy]:
    """Keeps the policy at the URL or path ``source`` as ``name``; returns its file and the policy.

    By default it has the name of the file. The file is read and checked before anything is written, and written whole.
    The same file under the same name is kept already, and nothing is written.

    Raises:
        StudyError: ``source`` or ``name`` is not valid or the name is taken, the file is damaged, or its hash is not ``sha256``.
        ProviderError: the server does not answer with the file.
    """
    expected = sha256.strip().lower()
    if expected and not HASH.fullmatch(expected):
        raise StudyError(f"--sha256 has 64 hexadecimal digits, and {quoted(sha256)} is none such")
    where = shown_source(source)
    file = Path(unquote(urlsplit(where).path) if _is_url(source) else source)
    name = name or file.name.removesuffix(SUFFIX)
    if not NAME.fullmatch(name):
        raise StudyError(
            f"a policy cannot be called {quoted(name)}: letters, digits, '.', '_' and '-', at most 100; add --name"
        )
    data = _download(source, where) if _is_url(source) else read_policy(file)
    digest = hashlib.sha256(data).hexdigest()
    if expected and digest != expected:
        raise StudyError(
            f"{where}: its SHA-256 is {digest}, not {expected}: another file, or a damaged one; nothing is kept"
        )
    policy = policy_of(data, name, where)
    path = kept_folder() / f"{name}{SUFFIX}"
    if name in shipped_files():
        raise StudyError(f"a policy of the package is called {name!r}; add --name")
    if path.exists() and read_file(path) != data:
        raise StudyError(f"{path}: another policy is called {name!r}; add --name, or remove that file")
    if not path.exists():
        replace_file(path, data, durable=True)
    return path, policy


def shown_source(source: str) -> str:
    """A path as it is; a URL without a user's name and password and without its query, which may be secret.

    >>> shown_source("https://me:hush@files.example/a/ppo.safetensors?token=4711")
    'https://files.example/a/ppo.safetensors'

    Raises:
        StudyError: it is no valid URL.
    """
    if not _is_url(source):
        return source
    try:
        parts = urlsplit(source)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
    except ValueError as error:
        raise StudyError(
            f"{quoted(source.partition('?')[0].rpartition('@')[2])} is no URL ({error}); correct it"
        ) from None


def _is_url(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def _download(url: str, where: str) -> bytes:
    """The body at ``url``, which messages call ``where``, of at most :data:`~otherminds.minds.learned.policy.LARGEST` bytes."""
    import httpx

    # No compression is asked for and none is read: a few kilobytes could become gigabytes.
    headers = {"Accept-Encoding": "identity"}
    began = monotonic()
    body = bytearray()
    with (
        _faults(where),
        httpx.Client(timeout=OPENING, follow_redirects=True, max_redirects=REDIRECTS) as client,
        client.stream("GET", url, headers=headers) as reply,
    ):
        _accept(where, reply)
        for piece in reply.iter_raw(PIECE):
            body += piece
            if len(body) > LARGEST:
                raise StudyError(
                    f"{where}: larger than {LARGEST // 2**20} MiB, the most that a policy may have"
                )
            if monotonic() - began > LONGEST:
                raise ProviderError(
                    f"{where}: not complete after {LONGEST:.0f} s; try again, or copy the file by hand"
                )
    return bytes(body)


def _accept(where: str, reply: httpx.Response) -> None:
    if reply.status_code != 200:
        raise ProviderError(
            f"{where}: the server answers with status {reply.status_code}; correct the address"
        )
    if reply.headers.get("Content-Encoding", "identity") != "identity":
        raise ProviderError(
            f"{where}: the server compresses the file; download it by hand and pull it from its path"
        )


@contextmanager
def _faults(where: str) -> Iterator[None]:
    """Turns faults of the network into a :class:`ProviderError`."""
    import httpx

    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        why = str(error).partition("\n")[0][:200] or type(error).__name__
        raise ProviderError(
            f"{where}: cannot be downloaded ({why}); check the address and the network"
        ) from None
