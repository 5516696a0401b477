"""Policy files by name: those of the package, and those that ``otherminds policies pull`` has kept for the user.

A study names a policy by its name or by the path of a file. A planned study holds the hash of the file too
(:func:`pin_policy`), so that another file under the same name is another mind, and is refused by a study that is resumed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from otherminds.core.disk import check_file, resolve_path
from otherminds.core.encoding import digest
from otherminds.core.errors import StudyError
from otherminds.core.near import hint, quoted
from otherminds.core.user_files import check_kind, is_file
from otherminds.minds.learned.network import Network
from otherminds.minds.learned.policy import LARGEST, policy_of

SUFFIX = ".safetensors"
SHIPPED = Path(__file__).parent / "shipped"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""What a policy may be called."""
VARIABLE = "OTHERMINDS_DATA"
"""The environment variable that names another folder for data of the user."""


def kept_folder() -> Path:
    """The folder of the policies that the user has pulled."""
    from platformdirs import user_data_dir

    return Path(os.environ.get(VARIABLE) or user_data_dir("otherminds")) / "policies"


def shipped_files() -> dict[str, Path]:
    """The files of the policies of the package by name."""
    return {path.name.removesuffix(SUFFIX): path for path in sorted(SHIPPED.glob(f"*{SUFFIX}"))}


def pulled_files() -> dict[str, Path]:
    """The files of the policies that the user has pulled, by name."""
    return {path.name.removesuffix(SUFFIX): path for path in sorted(kept_folder().glob(f"*{SUFFIX}"))}


def known_files() -> dict[str, Path]:
    """Every policy that has a name; a shipped one takes precedence."""
    return pulled_files() | shipped_files()


def is_path(policy: str) -> bool:
    """Whether ``policy`` names a file and not a policy.

    >>> is_path("ppo-rws-repeated-0"), is_path("runs/mine"), is_path("mine.safetensors")
    (False, True, True)
    """
    return "/" in policy or os.sep in policy or policy.endswith(SUFFIX)


def network_of(policy: object) -> Network:
    """The network of a policy: a name, the path of a file, or either with its hash as from :func:`pin_policy`.

    Raises:
        StudyError: there is none, its file is damaged, or it is not the one with that hash.
    """
    if isinstance(policy, str):
        return load_network(_file(policy, Path()))
    pin = cast("Mapping[str, Any]", policy) if isinstance(policy, Mapping) else {}
    if set(pin) not in ({"name", "sha256"}, {"name", "sha256", "path"}) or not all(
        isinstance(value, str) for value in pin.values()
    ):
        raise StudyError(f"a policy is a name or the path of a file, not {quoted(repr(policy))}")
    network = load_network(_file(pin.get("path", pin["name"]), Path()))
    if network.policy.sha256 != pin["sha256"]:
        raise StudyError(
            f"policy {quoted(pin['name'])} has the SHA-256 {network.policy.sha256}, and this study was planned with "
            f"{quoted(pin['sha256'])}; pull that file under this name, or start a new output folder"
        )
    return network


def pin_policy(policy: object, folder: Path) -> dict[str, str]:
    """``policy`` with the hash of its file; a path is relative to ``folder`` and becomes absolute.

    Raises:
        StudyError: there is none, or its file is damaged.
    """
    if not isinstance(policy, str):
        pinned_policy = network_of(policy).policy
        return dict(cast("Mapping[str, str]", policy)) | {"sha256": pinned_policy.sha256}
    path = _file(policy, folder)
    pinned_policy = load_network(path).policy
    pin = {"name": pinned_policy.name, "sha256": pinned_policy.sha256}
    return pin | {"path": str(resolve_path(path))} if is_path(policy) else pin


def shipped_networks(kind: str) -> list[Network]:
    """The policies of the package of one ``kind``, the first part of their names, by name.

    >>> [one.policy.name for one in shipped_networks("opre")][:1]
    ['opre-cooking-asymmetric-0']
    """
    return [load_network(path) for name, path in shipped_files().items() if name.startswith(f"{kind}-")]


def collection(networks: list[Network]) -> dict[str, str]:
    """The name and the hash of the policies of the package, as the value of a parameter."""
    return {
        "name": "shipped",
        "sha256": digest([[network.policy.name, network.policy.sha256] for network in networks]),
    }


def load_network(path: Path) -> Network:
    """The network in the file at ``path``; read again only if the file has changed.

    Raises:
        StudyError: it cannot be read, or is no policy.
    """
    try:
        stat = path.stat()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise StudyError(f"policy {quoted(str(path))}: cannot be read ({why}); correct the path") from None
    return _load_cached(path, stat.st_size, stat.st_mtime_ns)


def read_policy(path: Path) -> bytes:
    """The bytes of a policy file.

    Raises:
        StudyError: it cannot be read, is no regular file, or is larger than a policy may be.
    """
    check_file(path)
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise StudyError(f"policy {quoted(str(path))}: cannot be read ({error.strerror})") from None
    if len(data) > LARGEST:
        raise StudyError(f"{path}: larger than {LARGEST // 2**20} MiB, the most that a policy may have")
    return data


@lru_cache(maxsize=64)
def _load_cached(path: Path, size: int, modified: int) -> Network:
    return Network(policy_of(read_policy(path), path.name.removesuffix(SUFFIX), str(path)))


def _file(policy: str, folder: Path) -> Path:
    if is_path(policy):
        path = folder / policy
        if not is_file(path):
            check_kind(path, StudyError)
            raise StudyError(f"there is no policy file {quoted(str(path))}; correct the path")
        return path
    files = known_files()
    if policy not in files:
        raise StudyError(
            f"no policy is called {quoted(policy)}{hint(policy, files, 'see `otherminds policies list`')} "
            f"(a file of your own is a path, such as runs/mine{SUFFIX})"
        )
    return files[policy]
