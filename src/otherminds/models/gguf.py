"""Checks that a GGUF file is complete before it is loaded, and reads its metadata.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. A loader that maps a file
into memory detects a truncated file late, or never.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
from pathlib import Path
from typing import Any

from msgspec import Struct

from otherminds.core.errors import ProviderError

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
"""Values of a list, or bytes of a text, in the header of a whole file; vocabularies have fewer than a million tokens."""
DIMENSIONS = 8
"""Dimensions of a tensor; ggml has at most 4."""
CONTROL = 3
"""The token type of control tokens, such as those that end a turn."""


class Gguf(Struct, frozen=True):
    """Metadata: ``context`` and ``vocabulary`` in tokens, ``control`` the texts of control tokens."""

    path: Path
    context: int
    vocabulary: int
    control: tuple[str, ...]


def inspect(path: Path) -> Gguf:
    """Reads the header of a GGUF file, and checks that all its tensors are present.

    Raises:
        ProviderError: no such file, another format, or a truncated file.
    """
    try:
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                raise ProviderError(f"{path} is empty; fetch the model again")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Header(path, data).read()
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
        about: dict[str, Any] = {}
        for _ in range(entries):
            key = self.text()
            about[key] = self.value(*self.take("I"))
        self.check_tensors(tensors, self.number(about, "general.alignment", 32))
        tokens: list[str] = about.get("tokenizer.ggml.tokens", [])
        types: tuple[int, ...] = about.get("tokenizer.ggml.token_type", ())
        if not isinstance(tokens, list) or not isinstance(types, tuple):
            raise self.damaged("its tokens are no list")
        return Gguf(
            path=self.path,
            context=self.number(about, f"{about.get('general.architecture')}.context_length", 2048),
            vocabulary=len(tokens),
            control=tuple(token for token, kind in zip(tokens, types, strict=False) if kind == CONTROL),
        )

    def check_tensors(self, count: int, alignment: int) -> None:
        """Checks the ends of tensors, whose data begins at a multiple of ``alignment`` bytes."""
        ends: list[tuple[int, str]] = []
        for _ in range(count):
            name = self.text()
            (dimensions,) = self.take("I")
            if dimensions > DIMENSIONS:
                raise self.damaged(f"tensor {name[:60]!r} has {dimensions} dimensions")
            sizes = self.take(f"{dimensions}Q")
            kind, offset = self.take("IQ")
            values, width = BLOCKS.get(kind, (1, 0))
            ends.append((offset + math.prod(sizes) // values * width, name))
        start = -(-self.at // alignment) * alignment
        last, name = max(ends, default=(0, ""))
        if start + last > len(self.data):
            raise ProviderError(
                f"{self.path} is cut short: tensor {name!r} ends at byte {start + last}, "
                f"the file at byte {len(self.data)}; fetch the model again"
            )

    def take(self, form: str) -> tuple[Any, ...]:
        size = struct.calcsize("<" + form)
        self.need(size)
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += size
        return values

    def text(self) -> str:
        (size,) = self.take("Q")
        if size > LONGEST:
            raise self.damaged(f"a text has {size} bytes")
        self.need(size)
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        if kind == STRING:
            return self.text()
        if kind in SCALARS:
            return self.take(SCALARS[kind])[0]
        if kind != ARRAY:
            raise self.damaged(f"no metadata has type {kind}")
        kind, count = self.take("IQ")
        if count > LONGEST:
            raise self.damaged(f"a list has {count} values")
        if kind == STRING:
            return [self.text() for _ in range(count)]
        if kind in SCALARS:
            return self.take(f"{count}{SCALARS[kind]}")
        raise self.damaged(f"no list holds values of type {kind}")

    def number(self, about: dict[str, Any], key: str, default: int) -> int:
        found = about.get(key, default)
        if not isinstance(found, int) or found < 1:
            raise self.damaged(f"its {key} is {found!r}")
        return found

    def need(self, size: int) -> None:
        if self.at + size > len(self.data):
            raise ProviderError(
                f"{self.path} is cut short: its header needs {size} bytes at byte {self.at}, "
                f"the file ends at byte {len(self.data)}; fetch the model again"
            )

    def damaged(self, what: str) -> ProviderError:
        return ProviderError(f"{self.path} is damaged near byte {self.at}: {what}; fetch the model again")
