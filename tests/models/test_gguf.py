import re
import struct
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.errors import ProviderError
from otherminds.models.files import inspect
from tests.cases import thinned
from tests.models.toy import ARRAY, F32, FORMS, I32, PIECES, STRING, U32, U64, Listed, toy


def text(words: str) -> bytes:
    return struct.pack("<Q", len(words)) + words.encode()


def entry(key: str, kind: int, value: bytes) -> bytes:
    return text(key) + struct.pack("<I", kind) + value


def tensor(name: str, sizes: tuple[int, ...], kind: int, offset: int) -> bytes:
    return text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, offset)


def tiny(data: int = 160) -> bytes:
    """A whole file: three tokens and two tensors, 64 32-bit numbers' worth less than ``data`` allows."""
    tokens = struct.pack("<IQ", 8, 3) + text("a") + text("<end>") + text("b")
    entries = [
        entry("general.architecture", 8, text("toy")),
        entry("toy.context_length", 4, struct.pack("<I", 77)),
        entry("toy.scale", 6, struct.pack("<f", 0.5)),
        entry("tokenizer.ggml.tokens", 9, tokens),
        entry("tokenizer.ggml.token_type", 9, struct.pack("<IQ3i", 5, 3, 1, 3, 1)),
    ]
    tensors = [tensor("first", (8, 4), 0, 0), tensor("second", (32,), 3, 128)]
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(entries)) + b"".join(entries + tensors)
    return header + bytes(-len(header) % 32) + bytes(data)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "toy.gguf"


def refused(path, match: str) -> None:
    with pytest.raises(ProviderError, match=match) as caught:
        inspect(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_a_file_says_of_itself(file):
    file.write_bytes(tiny())
    found = inspect(file)
    assert (found.context, found.vocabulary, found.control) == (77, 3, ("<end>",))


def test_the_last_tensor_must_be_whole(file):
    file.write_bytes(tiny(128 + 20))
    assert inspect(file).vocabulary == 3
    file.write_bytes(tiny(128 + 19))
    refused(file, r"cut short: tensor 'second' ends at byte \d+, the file at byte \d+; fetch")


def test_an_unknown_tensor_type_is_not_called_short(file):
    whole = tiny(128)
    described = tensor("second", (32,), 3, 128)
    file.write_bytes(whole.replace(described, tensor("second", (32,), 99, 128)))
    assert inspect(file).vocabulary == 3


def test_other_files(file):
    refused(file, "No such file or directory; check the path")
    file.write_bytes(b"")
    refused(file, "is empty")
    file.write_bytes(b"PK\x03\x04 a wheel")
    refused(file, r"no GGUF file: it starts with b'PK\\x03\\x04'")
    file.write_bytes(b"GGUF" + struct.pack("<I", 1) + bytes(100))
    refused(file, "version 1 at byte 4")
    file.write_bytes(tiny().replace(struct.pack("<I", 77), struct.pack("<I", 0), 1))
    refused(file, r"damaged near byte \d+: its toy.context_length is 0")


def test_every_length_that_is_too_short_is_found(file):
    whole = tiny(128 + 20)
    for size in range(1, len(whole)):
        file.write_bytes(whole[:size])
        with pytest.raises(ProviderError):
            inspect(file)


@given(st.integers(4, len(tiny()) - 161), st.integers(0, 255))
def test_a_damaged_header_is_read_or_refused(tmp_path_factory, at, byte):
    damaged = bytearray(tiny())
    damaged[at] = byte
    file = tmp_path_factory.mktemp("gguf") / "toy.gguf"
    file.write_bytes(damaged)
    with suppress(ProviderError):
        assert inspect(file).context > 0


def test_the_embedded_model(weights, file):
    found = inspect(weights)
    assert (found.context, found.vocabulary) == (8192, 49152)
    assert {"<|im_start|>", "<|im_end|>"} <= set(found.control)
    with weights.open("rb") as source:
        file.write_bytes(source.read(10_000_000))
    refused(file, r"ends at byte 98\d{6}, the file at byte 10000000")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (entry("x", 9, struct.pack("<IQ", 0, 2**40)), "a list has 1099511627776 values"),
        (entry("x", 9, struct.pack("<IQ", 8, 2**63)), "a list has 9223372036854775808 values"),
        (entry("x", 8, struct.pack("<Q", 2**40)), "a text has 1099511627776 bytes"),
    ],
)
def test_lengths_of_a_damaged_header_allocate_nothing(file, damage: bytes, said: str) -> None:
    """Also in a file that is large enough for them, in which they are found before they are read."""
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + damage)
    with file.open("ab") as whole:
        whole.truncate(2**41)  # sparse
    refused(file, said)


def test_a_tensor_with_too_many_dimensions_is_damage(file) -> None:
    whole = text("t") + struct.pack("<I", 2**30)
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + whole)
    refused(file, "tensor 't' has 1073741824 dimensions")


ALLOWED = {
    "llama.block_count": (1,),
    "llama.context_length": (1, 8192, 10_485_760),
    "llama.attention.head_count": (1, 128),
}
REFUSED = {
    "llama.block_count": (0, 13, 2**31 - 1, 2**32 - 1),
    "llama.context_length": (0, 2**31 - 1, 2**32 - 1),
    "llama.embedding_length": (2**31 - 1, 2**32 - 1),
    "llama.feed_forward_length": (2**32 - 1,),
    "llama.attention.head_count": (2**31, 2**32 - 1),
    "llama.attention.head_count_kv": (2**20,),
    "llama.rope.dimension_count": (2**31 - 1,),
    "llama.vocab_size": (2**32 - 1,),
    "llama.of_the_future": (2**31,),
    "general.alignment": (0, 1, 4, 24, 33, 2**31),
}


@pytest.mark.parametrize(("key", "number"), [(key, one) for key, some in ALLOWED.items() for one in some])
def test_numbers_that_models_have_are_accepted(file, key: str, number: int) -> None:
    file.write_bytes(toy(changes={key: (U32, number)}).packed())
    assert inspect(file).vocabulary == len(PIECES)


@pytest.mark.parametrize(
    ("key", "number"), thinned(((key, one) for key, some in REFUSED.items() for one in some), 4)
)
@pytest.mark.parametrize("kind", [U32, U64, ARRAY])
def test_numbers_that_no_model_has_are_refused(file, key: str, number: int, kind: int) -> None:
    """Whatever their type, and in a list of one for each layer."""
    held = Listed(U64, [1, number]) if kind == ARRAY else number
    file.write_bytes(toy(changes={key: (kind, held)}).packed())
    refused(file, f"damaged near byte .*{re.escape(key)}")


@pytest.mark.parametrize("name", ["tokens", "scores", "token_type", "merges"])
@pytest.mark.parametrize("kind", thinned([*FORMS, STRING, ARRAY], 3))
def test_lists_of_the_tokeniser_have_the_types_that_llama_cpp_reads(file, name: str, kind: int) -> None:
    right = {"tokens": {STRING}, "merges": {STRING}, "scores": {F32}, "token_type": {U32, I32}}[name]
    values = PIECES if kind == STRING else [1] * len(PIECES)
    listed = Listed(kind, [] if kind == ARRAY else values)
    file.write_bytes(toy(changes={f"tokenizer.ggml.{name}": (ARRAY, listed)}).packed())
    if kind in right:
        assert inspect(file).vocabulary == len(PIECES)
    else:
        refused(file, "a list of the tokeniser has values of type|its tokenizer.ggml")


@pytest.mark.parametrize("name", ["scores", "token_type"])
@pytest.mark.parametrize("count", [0, 1, len(PIECES) - 1, len(PIECES) + 1])
def test_lists_of_the_tokeniser_have_a_value_for_each_token(file, name: str, count: int) -> None:
    kind = F32 if name == "scores" else I32
    file.write_bytes(toy(changes={f"tokenizer.ggml.{name}": (ARRAY, Listed(kind, [1] * count))}).packed())
    refused(file, f"its tokenizer.ggml.{name} has {count} values for")


@pytest.mark.parametrize(
    "change",
    [
        {"offset": 32 + 1},
        {"offset": 0},
        {"offset": 2**63},
        {"sizes": [2**32, 2**32]},
        {"sizes": [2**33, 2**31, 1, 1]},
        {"sizes": [0, 64]},
        {"sizes": [63, 64], "kind": 2},
        {"sizes": [2**60], "kind": 99},
        {"name": "x" * 64},
        {"name": "output.weight"},
    ],
    ids=str,
)
def test_a_tensor_lies_inside_the_file_aligned_and_apart_from_others(file, change) -> None:
    whole = toy()
    tensors = [replace(one, **change) if one.name == "blk.0.attn_q.weight" else one for one in whole.tensors]
    file.write_bytes(replace(whole, tensors=tensors).packed())
    refused(file, "is damaged near byte|is cut short")


@pytest.mark.parametrize("counted", ["tensors", "about"])
@pytest.mark.parametrize("count", [2**18, 2**31 - 1, 2**63, 2**64 - 1])
def test_counts_that_no_file_has_are_refused_at_once(file, counted: str, count: int) -> None:
    """Also in a file that is large enough for them."""
    file.write_bytes(replace(toy(), counts={counted: count}).packed())
    with file.open("ab") as whole:
        whole.truncate(2**41)  # sparse
    refused(file, "damaged near byte 24: it has .* tensors and .* metadata")
