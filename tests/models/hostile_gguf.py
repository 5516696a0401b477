"""Hostile copies of a small model file, made from its structure: for the tests and ``benchmarks/hardening_native.py``."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from tests.models.toy import ARRAY, F32, I32, STRING, U8, U32, U64, Listed, Placed, Toy, toy

EDGES = (
    0,
    1,
    -1,
    2,
    255,
    65535,
    65537,
    2**24 + 1,
    2**27,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**62,
    2**63 - 1,
    2**64 - 1,
)
FLOATS = (0.0, -1.0, 1e-45, 3e38, -3e38, math.inf, -math.inf, math.nan)
TEXTS = ("", "\0", "x" * 70_000, "{{", "gpt2", "bert", "\u202e\x1b[31m", "../../etc/passwd")
LOOP = "{% for i in range(100000) %}"
END = "{% endfor %}"
DOUBLED = "{% set ns.x = ns.x ~ ns.x %}"
TEMPLATES = (
    "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}",
    "{% macro a(n) %}{{ a(n + 1) }}{{ a(n + 2) }}{% endmacro %}{{ a(0) }}",
    LOOP * 2 + END * 2,
    LOOP * 5 + "{{ 1 }}" + END * 5,
    LOOP + "{{ 'x' * 99999 }}" + END,
    "{% set ns = namespace(x='aaaa') %}" + LOOP + DOUBLED + END + "{{ ns.x }}",
    "{{ range(10 ** 9) | list }}",
    "{{ 'x' * 10 ** 10 }}",
    "{{ 10 ** 10 ** 10 }}",
    "{{ ((99999 ** 64) | string | int) ** 64 }}",
    "{{ '%99999999999d' % 3 }}",
    "{{ '{:>9999999999}'.format(1) }}",
    "{{ 'a' | center(9999999999) }}",
    "{{ ('a' * 4000000).replace('a', 'b' * 4000000) }}",
    "{{ [0] * 10 ** 9 }}",
    "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "{{ self._TemplateReference__context.environment.globals }}",
    "{{ cycler.__init__.__globals__.os.system('false') }}",
    "{{ strftime_now.__self__ }}{{ raise_exception.__globals__ }}",
    "{{ messages.append(messages) }}{{ messages }}",
    "{{ messages[0].update(content='x') }}",
    "{% include '/etc/passwd' %}",
    "{% import 'os' as os %}{{ os }}",
    "{{ raise_exception('two\nlines') }}",
    "{{ 1 / 0 }}{{ undefined.attribute }}",
    "{% if",
    "{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}",
    "{% for a in [1] %}" * 500 + END * 500,
    "{{ " + "a." * 20_000 + "b }}",
    "{{ " + "1 + " * 20_000 + "1 }}",
    " " * 300_000,
    "<|im_end|>" * 10_000,
)


def hostile(seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """Every hostile copy, with a name that says what is wrong with it; always the same ones."""
    for name, made in _structured():
        try:
            yield name, made.packed()
        except struct.error:  # the number does not fit the type of this key
            continue
    yield from _bytes(Random(seed))


def templates() -> Iterator[tuple[str, bytes]]:
    """The copies with a hostile chat template."""
    for number, template in enumerate(TEMPLATES):
        yield f"template {number}: {template[:40]!r}", toy(template).packed()


def _structured() -> Iterator[tuple[str, Toy]]:
    whole = toy()
    for key, (kind, held) in whole.about.items():
        for other_kind, other in _others(kind, held):
            changed = {**whole.about, key: (other_kind, other)}
            yield f"{key} = {_shown(other)} of type {other_kind}", replace(whole, about=changed)
        without = {name: one for name, one in whole.about.items() if name != key}
        yield f"no {key}", replace(whole, about=without)
    for place, one in enumerate(whole.tensors):
        for what, other in _placings(one):
            tensors = [*whole.tensors[:place], other, *whole.tensors[place + 1 :]]
            yield f"{one.name}: {what}", replace(whole, tensors=tensors)
        yield f"no {one.name}", replace(whole, tensors=whole.tensors[:place] + whole.tensors[place + 1 :])
    for counted in ("tensors", "about"):
        for edge in EDGES:
            yield f"{edge} {counted}", replace(whole, counts={counted: edge % 2**64})
    for value in FLOATS:
        yield f"weights of {value}", replace(whole, data=struct.pack("<f", value) * (len(whole.data) // 4))


def _others(kind: int, held: Any) -> Iterator[tuple[int, Any]]:
    """Other values of a key, of its type and of other types."""
    if isinstance(held, Listed):
        values = list(held.values)
        for changed in ([], values[:1], values[:-1], values * 2, values + values[:1]):
            yield ARRAY, Listed(held.kind, changed)
        yield ARRAY, Listed(U8, [1] * len(values))
        yield ARRAY, Listed(U64, [2**64 - 1] * len(values))
        if held.kind == STRING:
            yield ARRAY, Listed(STRING, [""] * len(values))
            yield ARRAY, Listed(STRING, ["x" * 9_000] * len(values))
            yield ARRAY, Listed(STRING, ["\0\n"] * len(values))
        for edge in (*(EDGES if held.kind == I32 else ()), *(FLOATS if held.kind == F32 else ())):
            yield ARRAY, Listed(held.kind, [edge] * len(values))
        yield U32, 1
        yield STRING, "a text"
        return
    if kind == STRING:
        yield from ((STRING, other) for other in TEXTS)
    elif kind == F32:
        yield from ((F32, other) for other in FLOATS)
    else:
        yield from ((kind, edge) for edge in EDGES)
        yield from ((wide, edge) for wide in (U64, I32) for edge in (2**31 - 1, 2**32 - 1, -1, 2**63))
    yield F32 if kind != F32 else STRING, 1.0 if kind != F32 else "1.0"
    yield ARRAY, Listed(U32, [1] * 100_000)
    yield ARRAY, Listed(U32, [])


def _placings(one: Placed) -> Iterator[tuple[str, Placed]]:
    """A tensor with another name, type, size or offset."""
    for edge in EDGES:
        big = edge % 2**64
        yield f"offset {big}", replace(one, offset=big)
        yield f"type {edge % 2**32}", replace(one, kind=edge % 2**32)
        yield f"first size {big}", replace(one, sizes=[big, *one.sizes[1:]])
        yield f"last size {big}", replace(one, sizes=[*one.sizes, big][:4])
    for kind in range(1, 42):
        if one.name == "output.weight":
            yield f"type {kind}", replace(one, kind=kind)
    for name in ("", "x" * 200, "output.weight", "blk.99.attn_q.weight", "\0"):
        yield f"named {name[:20]!r}", replace(one, name=name)
    yield "no sizes", replace(one, sizes=[])
    yield "sizes whose product is 2^64", replace(one, sizes=[2**32, 2**32])
    yield "sizes whose product is 0 mod 2^64 and more", replace(one, sizes=[2**33, 2**33, 2**33, 2**33])
    yield "aside by 1", replace(one, offset=one.offset + 1)
    yield "over the next", replace(one, offset=max(0, one.offset - 32))


def _bytes(rng: Random) -> Iterator[tuple[str, bytes]]:
    """Copies that are cut, and copies with flipped bits or numbers at an edge in the header."""
    whole = toy().packed()
    header = len(whole) - len(toy().data)
    for _ in range(60):
        size = rng.randrange(header if rng.random() < 0.7 else len(whole))
        yield f"cut at {size}", whole[:size]
    for _ in range(200):
        changed = bytearray(whole)
        places = [rng.randrange(header) for _ in range(rng.choice((1, 1, 2, 8)))]
        for place in places:
            changed[place] ^= 1 << rng.randrange(8)
        yield f"bits flipped at {places}", bytes(changed)
    for _ in range(140):
        form = rng.choice(("<I", "<Q"))
        place = rng.randrange(header - 8)
        number = rng.choice(EDGES) % 2 ** (8 * struct.calcsize(form))
        packed = struct.pack(form, number)
        yield f"{number} at {place}", whole[:place] + packed + whole[place + len(packed) :]


def _shown(value: Any) -> str:
    if isinstance(value, Listed):
        return f"{len(value.values)} of type {value.kind}, first {_shown(value.values[0]) if value.values else 'none'}"
    return repr(value)[:40]
