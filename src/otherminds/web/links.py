"""The secrets of people: the link of each, and the code by which its data can be deleted, which follows from the link."""

from __future__ import annotations

from base64 import b32encode
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe

import msgspec

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import StudyError

LINKS = "people.json"
"""The file of the links, in the folder of the run: whoever has it can sit in every seat."""


def read_links(folder: Path, labels: list[str]) -> dict[str, str]:
    """The secret part of each person's link, by label; made at the first call, the same ever after.

    Raises:
        StudyError: the file cannot be read or written, or has other people.
    """
    path = folder / LINKS
    if not path.exists():
        write_links(folder, {label: token_urlsafe(24) for label in labels})
    try:
        links = msgspec.json.decode(read_file(path), type=dict[str, str])
    except ValueError as error:
        raise StudyError(f"{path}: is damaged ({error}); delete it, and people get new links") from None
    if lacking := [label for label in labels if label not in links]:
        raise StudyError(f"{path}: has no link for {lacking[0]!r}; delete it, and people get new links")
    return links


def write_links(folder: Path, links: dict[str, str]) -> None:
    """Replaces the links, in a file that only its owner can read.

    Raises:
        StudyError: it cannot be written.
    """
    replace_file(folder / LINKS, msgspec.json.encode(links), durable=True)
    (folder / LINKS).chmod(0o600)


def make_deletion_code(secret: str) -> str:
    """The code by which the holder of a link can have its data deleted: 80 bits that only the link tells.

    >>> make_deletion_code("the secret part of a link")
    'C4SK-SJMO-LLMO-TF6I'
    """
    code = b32encode(sha256(f"delete my data {secret}".encode()).digest())[:16].decode()
    return "-".join(code[start : start + 4] for start in range(0, 16, 4))
