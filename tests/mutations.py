"""Mutated input files: a deterministic stream of damaged copies of a file, for the tests and ``benchmarks/hardening_inputs.py``.

Half of them are damaged as bytes, half as texts with values: wrong types, extreme numbers, deep nesting, odd characters.
"""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

Mutation: TypeAlias = Callable[[bytes, random.Random], bytes]

DEEP = 5_000
ODD = (
    "\x00",
    "\ufeff",
    "\u202e",
    "\U0001f642",
    "é",
    "\x1b[31m",
    "\u2028",
    "'",
    '"',
    "\\",
    "{",
    "]",
    "#",
    "\r",
)
WRONG = (
    *(
        "0",
        "-1",
        "1e308",
        "-1e999",
        "nan",
        "NaN",
        "inf",
        "null",
        "true",
        '""',
        "[]",
        "{}",
        "[[]]",
        '"x"',
        "''",
    ),
    *(
        "99999999999999999999",
        "9223372036854775807",
        "-9223372036854775808",
        "1" * 5_000,
        "0x7fffffffffffffff",
    ),
    *("1979-05-27", "0.1", "-0", "[1, 2, 3]", '{"a": 1}', "{ a = 1 }", '["a"]', '"' + "x" * 2_000 + '"'),
    *('"\\u0000"', '"\\ud800"', '"../../../etc/passwd"', '"a/b.toml"', '"/dev/zero"', '"%s%n{0}{x}"'),
    *("[" * DEEP + "]" * DEEP, "{a=" * DEEP + "1" + "}" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP),
)
"""Values of TOML or JSON that are wrong in most places."""
NUMBERS = (
    "0",
    "-1",
    "1",
    "1000",
    "10000000",
    "9223372036854775807",
    "18446744073709551615",
    "1.5",
    "1e300",
    "-1e-9",
)
"""Numbers in place of others."""
EDGES = (0, 1, -1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1)
"""Numbers where readers of binary headers overflow."""
VALUE = re.compile(
    rb'"(?:[^"\\\n]|\\.)*"|-?\b\d[\d.]*\b|\b(?:true|false|null)\b|\[[^\[\]]{0,80}\]|\{[^{}]{0,80}\}'
)
NUMBER = re.compile(rb"(?<![\w.\"])-?\d[\d.]*\b")
KEY = re.compile(rb'"[\w-]+"(?=\s*:)|^[\w.-]+(?=\s*=)|(?<=[{,])\s*[\w-]+(?=\s*=)', re.MULTILINE)


def flipped(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 4, 32))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def truncated(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def cut(data: bytes, rng: random.Random) -> bytes:
    a = rng.randrange(len(data))
    return data[:a] + data[a + rng.randint(1, 40) :]


def repeated(data: bytes, rng: random.Random) -> bytes:
    a = rng.randrange(len(data))
    b = a + rng.randint(1, 40)
    return data[:a] + data[a:b] * rng.choice((2, 3, 500)) + data[b:]


def lines(data: bytes, rng: random.Random) -> bytes:
    """A line deleted, duplicated, or exchanged with another."""
    held = data.split(b"\n")
    a, b = rng.randrange(len(held)), rng.randrange(len(held))
    how = rng.randrange(3)
    if how == 0:
        del held[a]
    elif how == 1:
        held.insert(b, held[a])
    else:
        held[a], held[b] = held[b], held[a]
    return b"\n".join(held)


def with_odd_characters(data: bytes, rng: random.Random) -> bytes:
    a = rng.randrange(len(data) + 1)
    odd = rng.choice(ODD).encode() if rng.random() < 0.8 else bytes([rng.randrange(128, 256)])
    return data[:a] + odd * rng.choice((1, 1, 100)) + data[a:]


def with_wrong_value(data: bytes, rng: random.Random) -> bytes:
    found = rng.choice(list(VALUE.finditer(data)) or [None])
    wrong = rng.choice(WRONG).encode()
    return data + wrong if found is None else data[: found.start()] + wrong + data[found.end() :]


def with_wrong_number(data: bytes, rng: random.Random) -> bytes:
    found = rng.choice(list(NUMBER.finditer(data)) or [None])
    wrong = rng.choice(NUMBERS).encode()
    return data + wrong if found is None else data[: found.start()] + wrong + data[found.end() :]


def with_swapped_values(data: bytes, rng: random.Random) -> bytes:
    found = list(VALUE.finditer(data))
    if len(found) < 2:
        return flipped(data, rng)
    a, b = sorted(rng.sample(found, 2), key=lambda one: one.start())
    if a.end() > b.start():
        return cut(data, rng)
    return data[: a.start()] + b[0] + data[a.end() : b.start()] + a[0] + data[b.end() :]


def with_wrong_key(data: bytes, rng: random.Random) -> bytes:
    found = rng.choice(list(KEY.finditer(data)) or [None])
    if found is None:
        return flipped(data, rng)
    name = found[0].strip().strip(b'"')
    other = rng.choice((name[1:], name + b"s", b"a" * 3_000, b".".join([b"a"] * DEEP), name[::-1]))
    quote = b'"' if found[0].startswith(b'"') else b""
    return data[: found.start()] + quote + other + quote + data[found.end() :]


def with_edge_numbers(data: bytes, rng: random.Random) -> bytes:
    """A number of a binary header replaced; the size stays."""
    form = rng.choice(("<I", "<Q"))
    size = struct.calcsize(form)
    a = rng.randrange(max(len(data) - size, 1))
    number = rng.choice(EDGES) % 2 ** (8 * size)
    return data[:a] + struct.pack(form, number) + data[a + size :]


BYTES: tuple[Mutation, ...] = (flipped, truncated, cut, repeated, lines, with_odd_characters)
VALUES: tuple[Mutation, ...] = (with_wrong_value, with_wrong_number, with_swapped_values, with_wrong_key)
HEADER: tuple[Mutation, ...] = (flipped, truncated, cut, repeated, with_edge_numbers, with_edge_numbers)


def mutants(
    sources: Mapping[str, bytes],
    count: int,
    kinds: tuple[tuple[Mutation, ...], ...] = (BYTES, VALUES),
    seed: int = 0,
) -> Iterator[tuple[str, bytes]]:
    """``count`` damaged copies of ``sources``, with names that say how each was made; always the same ones."""
    names = sorted(sources)
    for k in range(count):
        rng = random.Random(f"{seed}/{k}")
        name = names[k % len(names)]
        mutation = rng.choice(rng.choice(kinds))
        yield f"{k}: {name}, {mutation.__name__}", mutation(sources[name], rng)
