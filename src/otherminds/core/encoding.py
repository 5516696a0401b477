"""What is equal in every process: canonical JSON with its hashes, seeds, and random streams derived from paths.

Records, specs and cache keys are written and hashed in one form. The stream of ``("minds", "ego")`` under seed 7 is the
same whatever else was drawn, so that exchanging one seat leaves every other seat's draws as they were."""

from __future__ import annotations

import hashlib
import operator
from numbers import Integral
from random import Random
from typing import Any, TypeVar, cast

import msgspec

from otherminds.core.errors import StudyError
from otherminds.core.text import show_value

T = TypeVar("T", bound=msgspec.Struct)


def jsonable(value: Any) -> Any:
    """NumPy scalars and arrays as plain numbers and lists, for the encoder."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "__index__"):
        return operator.index(value)
    raise NotImplementedError(f"{type(value).__name__} has no JSON form")


def encode(value: Any) -> bytes:
    """Canonical JSON: keys in order, NumPy numbers as plain ones."""
    return msgspec.json.encode(value, enc_hook=jsonable, order="deterministic")


def digest(value: Any) -> str:
    """SHA-256 of :func:`encode`, in hexadecimal."""
    return hashlib.sha256(encode(value)).hexdigest()


def encodable(value: T) -> T:
    """``value`` with each lone half of a surrogate pair, which UTF-8 cannot encode, replaced by ``?``."""
    try:
        encode(value)
    except UnicodeEncodeError:
        return msgspec.convert(_replace_surrogates(msgspec.to_builtins(value)), type(value))
    return value


def _replace_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _replace_surrogates(inside) for key, inside in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_replace_surrogates(inside) for inside in cast("list[Any]", value)]
    return value


def check_seed(seed: object, bits: int = 63) -> int:
    """``seed`` as a Python integer.

    Stored plans and tables have signed numbers of 64 bits, so that the ``bits`` of the seeds of episodes are 63.

    Raises:
        StudyError: it is no whole number from 0 to 2**bits - 1.
    """
    if isinstance(seed, bool) or not isinstance(seed, Integral) or not 0 <= int(seed) < 2**bits:
        raise StudyError(f"a seed is a whole number from 0 to 2**{bits} - 1, not {show_value(seed)}")
    return int(seed)


def read_seed(text: str, bits: int = 63) -> int:
    """The seed that ``text`` names, as :func:`check_seed`."""
    try:
        seed: object = int(text)
    except ValueError:
        seed = text
    return check_seed(seed, bits)


def derive(seed: int, *path: str | int) -> int:
    """The 64-bit seed that ``path`` has under ``seed``.

    Equal in every process, under every ``PYTHONHASHSEED``, on every platform.

    >>> derive(7, "minds", "ego") == derive(7, "minds", "ego")
    True
    >>> derive(7, "minds", "ego") == derive(7, "minds", "partner_0")
    False
    """
    text = "\x1f".join([str(seed), *(f"{type(part).__name__}:{part}" for part in path)])
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def stream(seed: int, *path: str | int) -> Random:
    """A random generator for ``path`` under ``seed``."""
    return Random(derive(seed, *path))
