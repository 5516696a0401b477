"""Damaged and hostile policy files give one line and cost little memory."""

from __future__ import annotations

import json
import random
import struct
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from otherminds.core.errors import StudyError
from otherminds.minds.learned.policy import LARGEST, LARGEST_HEADER, Network, Playing, policy_of
from tests.minds.learned.making import description, file_of, observation, tensors
from tests.mutations import HEADER, VALUES, Mutation

SIZES = (2, 3, 3)
ABOUT = description("pd-repeated", "opre")
VALID = file_of(tensors(ABOUT, 0, SIZES, options=2), ABOUT)
MUTANTS = 600
MEMORY = 8 * 2**20
"""Bytes that reading a small file may take."""


def framed(header: bytes, body: bytes) -> bytes:
    return struct.pack("<Q", len(header)) + header + body


def parts(data: bytes) -> tuple[bytes, bytes]:
    size = int.from_bytes(data[:8], "little")
    return data[8 : 8 + size], data[8 + size :]


def in_header(mutation: Mutation) -> Mutation:
    """``mutation`` of the header alone, whose length is right afterwards."""

    def mutated(data: bytes, rng: random.Random) -> bytes:
        header, body = parts(data)
        return framed(mutation(header, rng), body)

    return mutated


def in_metadata(mutation: Mutation) -> Mutation:
    """``mutation`` of the text of the metadata alone."""

    def mutated(data: bytes, rng: random.Random) -> bytes:
        header, body = parts(data)
        found = json.loads(header)
        text = mutation(found["__metadata__"]["otherminds"].encode(), rng)
        found["__metadata__"]["otherminds"] = text.decode("utf-8", "replace")
        return framed(json.dumps(found).encode(), body)

    return mutated


KINDS = (HEADER, tuple(map(in_header, VALUES)), tuple(map(in_metadata, VALUES)))


def refused(data: bytes) -> str:
    """The one line with which a file is refused; empty where it is read, and then it plays."""
    try:
        policy = policy_of(data, "mutant", "mutant.safetensors")
    except StudyError as error:
        text = str(error)
        assert text.startswith("mutant.safetensors: ")
        assert "\n" not in text
        assert len(text) < 1000
        return text
    playing = Playing(Network(policy))
    about = {name: getattr(policy.info, name) for name in ("window", "codes", "vector")}
    playing.see(
        observation({**about, "vector": [(n.upper(), k) for n, k in about["vector"]]}, random.Random(0)),
        1.0,
        0,
    )
    assert np.isfinite(playing.chances()).all()
    return ""


def test_mutants_are_refused_in_one_line_or_play() -> None:
    """Any other exception fails the test."""
    outcomes = {"": 0, "refused": 0}
    for k in range(MUTANTS):
        rng = random.Random(k)
        data = rng.choice(rng.choice(KINDS))(VALID, rng)
        outcomes["refused" if refused(data) else ""] += 1
    assert outcomes["refused"] > MUTANTS // 2
    assert outcomes[""] > 20, "some mutants change a name, a count or a weight only"


def test_every_truncation_is_refused() -> None:
    for size in range(0, len(VALID), 7):
        assert refused(VALID[:size])


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    header, body = parts(VALID)
    found = json.loads(header)
    change(found)
    return framed(json.dumps(found).encode(), body)


def told(**changes: Any) -> bytes:
    return file_of(tensors(ABOUT, 0, SIZES, options=2), {**ABOUT, **changes})


def entry(name: str, **changes: Any) -> bytes:
    return changed(lambda found: found[name].update(changes))


def weights(name: str, value: float) -> bytes:
    given = tensors(ABOUT, 0, SIZES, options=2)
    given[name].flat[-1] = value
    return file_of(given, ABOUT)


def reshaped(name: str, shape: tuple[int, ...]) -> bytes:
    return file_of({**tensors(ABOUT, 0, SIZES, options=2), name: np.zeros(shape, np.float32)}, ABOUT)


CASES = {
    "empty": (b"", "would have 0 bytes, and the file has 0"),
    "a header of 10 to the 9": (struct.pack("<Q", 10**9) + b"{" * 100, "may be at most"),
    "a header of 2 to the 64": (b"\xff" * 8 + b"{}", "may be at most"),
    "no JSON": (framed(b"PK\x03\x04", b""), "not JSON"),
    "a list": (framed(b"[]", b""), "must be a table"),
    "many tensors": (
        changed(lambda found: found.update({f"x{k}": found["embed.b"] for k in range(100)})),
        "a policy has at most 64",
    ),
    "another type": (entry("embed.b", dtype="F64"), "its type is 'F64'"),
    "half the type": (entry("embed.b", dtype="F16"), "its shape needs 4 bytes, and it has 8"),
    "a list of types": (entry("embed.b", dtype=["F32"]), "its type is "),
    "an object type": (entry("embed.b", dtype="O"), "its type is 'O'"),
    "absurd shape": (entry("embed.b", shape=[2**62, 2**62]), "its shape needs"),
    "negative shape": (entry("embed.b", shape=[-2]), "one to three whole numbers"),
    "zero shape": (entry("embed.b", shape=[0]), "one to three whole numbers"),
    "boolean shape": (entry("embed.b", shape=[True]), "one to three whole numbers"),
    "offsets beyond": (entry("probe.b", data_offsets=[10**6, 10**6 + 8]), "do not follow|exceed"),
    "offsets that overlap": (entry("dense.b", data_offsets=[0, 12]), "do not follow"),
    "offsets reversed": (entry("dense.b", data_offsets=[12, 0]), "needs 12 bytes"),
    "bytes left": (VALID + b"\0" * 4, "4 bytes after the last tensor"),
    "an extra field": (entry("embed.b", more=1), "its entry must have"),
    "not a number": (weights("gru.wi", float("nan")), "'gru.wi': a value is not finite"),
    "infinite": (weights("probe.b", float("inf")), "'probe.b': a value is not finite"),
    "huge": (weights("dense.w", 1e30), "'dense.w': a weight is larger"),
    "no metadata": (changed(lambda found: found.pop("__metadata__")), "no key 'otherminds'"),
    "metadata of numbers": (changed(lambda found: found.update(__metadata__={"a": 1})), "a table of strings"),
    "another format": (told(format=2), "format"),
    "an unknown algorithm": (told(algorithm="dqn"), "algorithm"),
    "the other algorithm": (told(algorithm="ppo"), "'policy.b' must have 1 dimensions"),
    "a missing key": (
        file_of(tensors(ABOUT, 0, SIZES, options=2), {k: v for k, v in ABOUT.items() if k != "window"}),
        "window",
    ),
    "an absurd window": (told(window=[10**6, 10**6, 4]), "window"),
    "too few codes": (told(codes=[4, 3, 5]), "codes must have 4 numbers, and has 3"),
    "other codes": (told(codes=[4, 3, 5, 9]), "'embed.3' is "),
    "a behaviour twice": (told(behaviours=["a", "a"]), "behaviours has a name twice"),
    "control characters": (told(behaviours=["a\n", "b"]), "behaviours"),
    "too many others": (told(others=2), "'probe.w' is "),
    "a missing tensor": (changed(lambda found: found.pop("probe.b")), "bytes after|do not follow|no tensor"),
    "an extra tensor": (reshaped("zzz", (2,)), "has no tensor 'zzz'"),
    "another rank": (reshaped("gru.wh", (27,)), "must have 2 dimensions"),
    "a large layer": (reshaped("embed.b", (65,)), "the embedding size is 65"),
    "infinite scale": (told(scale=[1e300, 1.0, 1.0]), "scale"),
    "metadata that is no JSON": (file_of(tensors(ABOUT, 0, SIZES), "{"), "not JSON"),
    "a large file": (VALID + bytes(LARGEST), "larger than 32 MiB"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_wrong_is_named(case: str) -> None:
    data, words = CASES[case]
    with pytest.raises(StudyError, match=words):
        policy_of(data, "x", "x.safetensors")
    assert refused(data)


def test_memory_is_bounded_by_the_size_of_the_file() -> None:
    entries = {f"t{k}": {"dtype": "F32", "shape": [2**40], "data_offsets": [0, 2**42]} for k in range(60)}
    hostile = framed(json.dumps(entries).encode(), b"")
    deep = framed(b"[" * LARGEST_HEADER, b"")
    tracemalloc.start()
    try:
        for data in (hostile, deep, struct.pack("<Q", 2**63) + b"{}"):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            assert refused(data)
            assert tracemalloc.get_traced_memory()[1] - before < MEMORY
    finally:
        tracemalloc.stop()


def test_half_precision_is_widened() -> None:
    halves = {name: value.astype(np.float16) for name, value in tensors(ABOUT, 0, SIZES, options=2).items()}
    policy = policy_of(file_of(halves, ABOUT), "half", "half.safetensors")
    for name, value in halves.items():
        read = policy.tensors[name]
        assert read.dtype == np.float32
        assert np.array_equal(read, value)
        assert not read.flags.writeable
    assert not refused(file_of(halves, ABOUT))
    halves["gru.wi"].flat[-1] = np.inf
    assert "not finite" in refused(file_of(halves, ABOUT))


def test_the_valid_file_is_valid() -> None:
    policy = policy_of(VALID, "valid", "valid.safetensors")
    assert (policy.actions, policy.options, policy.size) == (8, 2, len(VALID))
    assert policy.info.members == 2
    with pytest.raises(ValueError, match="read-only"):
        policy.tensors["embed.b"][0] = 1
