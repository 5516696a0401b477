"""Reads safetensors files: tensors by name and a table of strings, from bytes that nobody vouches for.

The form (https://github.com/huggingface/safetensors, "Format"): the length of the header as a little-endian
uint64; the header, JSON; the values of all tensors, here float32 or float16. Nothing in a file is executed. Memory
is bounded by the size of the file: float32 tensors are views of its bytes, float16 tensors copies of twice their
bytes; the header is at most :data:`LARGEST_HEADER` bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.core.errors import StudyError
from otherminds.core.near import quoted
from otherminds.core.user_files import json_value

PREFIX = 8
"""Bytes of the header's length."""
LARGEST_HEADER = 2**18
"""Bytes of a header; one of a policy has some 2,000."""
MOST_TENSORS = 64
METADATA = "__metadata__"
FIELDS = {"dtype", "shape", "data_offsets"}
TYPES = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}
"""The types of values by the names of the format."""


class TensorFile(Struct, frozen=True):
    """The content of a file: read-only float32 tensors by name, and its metadata."""

    tensors: dict[str, NDArray[np.float32]]
    metadata: dict[str, str]


def tensors_of(data: bytes, where: str) -> TensorFile:
    """The tensors and the metadata in the bytes of a file; ``where`` names it in errors.

    Raises:
        StudyError: it is not such a file, is cut, has tensors of another type than float32 and float16, tensors
            that overlap or leave bytes unused, or a value that is not finite.
    """
    header = _header(data, where)
    metadata = header.pop(METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise StudyError(f"{where}: its metadata must be a table of strings")
    if len(header) > MOST_TENSORS:
        raise StudyError(f"{where}: {len(header)} tensors, and a policy has at most {MOST_TENSORS}")
    start = PREFIX + int.from_bytes(data[:PREFIX], "little")
    body = memoryview(data)[start:]
    tensors: dict[str, NDArray[np.float32]] = {}
    ends = 0
    for name, entry in sorted(header.items(), key=lambda item: _begin(item[1])):
        kind, shape, begin, end = _place_tensor(entry, f"{where}: tensor {quoted(name)}")
        if begin != ends or end > len(body):
            raise StudyError(
                f"{where}: tensor {quoted(name)}: bytes {begin} to {end} do not follow the tensor before, which "
                f"ends at {ends}, or exceed the {len(body)} bytes of values; copy the file again"
            )
        tensor = np.frombuffer(body[begin:end], kind).astype(np.float32, copy=False).reshape(shape)
        tensor.setflags(write=False)
        if not np.isfinite(tensor).all():
            raise StudyError(
                f"{where}: tensor {quoted(name)}: a value is not finite; such weights cannot play"
            )
        tensors[name] = tensor
        ends = end
    if ends != len(body):
        raise StudyError(f"{where}: {len(body) - ends} bytes after the last tensor; copy the file again")
    return TensorFile(tensors, cast("dict[str, str]", metadata))


def _header(data: bytes, where: str) -> dict[str, Any]:
    size = int.from_bytes(data[:PREFIX], "little")
    if len(data) < PREFIX or size > min(LARGEST_HEADER, len(data) - PREFIX):
        raise StudyError(
            f"{where}: no safetensors file of a policy: its header would have {size} bytes, and the file has "
            f"{len(data)}, of which the header may be at most {LARGEST_HEADER}"
        )
    header = json_value(data[PREFIX : PREFIX + size], where, StudyError)
    if not isinstance(header, dict):
        raise StudyError(f"{where}: its header must be a table of tensors")
    return cast("dict[str, Any]", header)


def _begin(entry: object) -> int:
    """The first byte that an entry names, for sorting; -1 where it names none."""
    offsets = cast("Mapping[str, Any]", entry).get("data_offsets") if isinstance(entry, Mapping) else None
    begin = offsets[0] if isinstance(offsets, list) and offsets else None
    return begin if isinstance(begin, int) else -1


def _place_tensor(entry: object, where: str) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """The type and the shape of a tensor, and where its bytes begin and end."""
    if not isinstance(entry, dict) or set(entry) != FIELDS:
        raise StudyError(f"{where}: its entry must have {', '.join(sorted(FIELDS))}")
    fields = cast("dict[str, Any]", entry)
    kind = TYPES.get(fields["dtype"]) if isinstance(fields["dtype"], str) else None
    if kind is None:
        raise StudyError(
            f"{where}: its type is {quoted(str(fields['dtype']))}, and policies have {' or '.join(TYPES)}"
        )
    shape, offsets = fields["shape"], fields["data_offsets"]
    if not _naturals(shape) or not 1 <= len(shape) <= 3 or 0 in shape:
        raise StudyError(f"{where}: its shape must be one to three whole numbers of at least 1")
    if not _naturals(offsets) or len(offsets) != 2:
        raise StudyError(f"{where}: data_offsets must be two whole numbers of at least 0")
    begin, end = offsets
    needed = kind.itemsize * math.prod(shape)
    if end - begin != needed:
        raise StudyError(f"{where}: its shape needs {needed} bytes, and it has {end - begin}")
    return kind, tuple(shape), begin, end


def _naturals(value: object) -> bool:
    """Whether a value is a list of whole numbers of at least 0."""
    return isinstance(value, list) and all(
        isinstance(number, int) and not isinstance(number, bool) and number >= 0
        for number in cast("list[object]", value)
    )
