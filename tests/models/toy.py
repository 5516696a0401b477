"""A GGUF file that llama.cpp loads in milliseconds: a Llama of one block with random weights, and its parts."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

U8, U32, I32, F32, BOOL, STRING, ARRAY, U64, F64 = 0, 4, 5, 6, 7, 8, 9, 10, 12
FORMS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
WIDE, HIDDEN = 64, 64
ALIGNMENT = 32
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"
PIECES = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁"]


@dataclass
class Listed:
    """A list of metadata: the type of its values, and them."""

    kind: int
    values: Sequence[Any]


@dataclass
class Placed:
    """A tensor as its header describes it."""

    name: str
    sizes: list[int]
    kind: int = 0
    offset: int = 0


@dataclass
class Toy:
    """The parts of a file; :meth:`packed` is its bytes. Metadata are pairs of type and value by name."""

    about: dict[str, tuple[int, Any]]
    tensors: list[Placed]
    data: bytes
    counts: dict[str, int] = field(default_factory=dict)
    """Numbers of tensors or metadata that the header claims."""

    def packed(self) -> bytes:
        entries = b"".join(
            text(key) + struct.pack("<I", kind) + value(kind, one) for key, (kind, one) in self.about.items()
        )
        tensors = b"".join(
            text(one.name)
            + struct.pack(f"<I{len(one.sizes)}QIQ", len(one.sizes), *one.sizes, one.kind, one.offset)
            for one in self.tensors
        )
        counts = self.counts.get("tensors", len(self.tensors)), self.counts.get("about", len(self.about))
        header = b"GGUF" + struct.pack("<IQQ", 3, *counts) + entries + tensors
        return header + bytes(-len(header) % ALIGNMENT) + self.data


def text(words: str) -> bytes:
    raw = words.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(kind: int, one: Any) -> bytes:
    if kind == STRING:
        return text(one)
    if kind == ARRAY:
        packed = b"".join(value(one.kind, each) for each in one.values)
        return struct.pack("<IQ", one.kind, len(one.values)) + packed
    return struct.pack(f"<{FORMS[kind]}", one)


def toy(template: str = TEMPLATE, changes: Mapping[str, tuple[int, Any]] | None = None) -> Toy:
    """The parts of a sound file, with other metadata where ``changes`` has them."""
    vocabulary = len(PIECES)
    sizes = {
        "token_embd.weight": [WIDE, vocabulary],
        "output_norm.weight": [WIDE],
        "output.weight": [WIDE, vocabulary],
        "blk.0.attn_norm.weight": [WIDE],
        **{f"blk.0.attn_{part}.weight": [WIDE, WIDE] for part in ("q", "k", "v", "output")},
        "blk.0.ffn_norm.weight": [WIDE],
        "blk.0.ffn_gate.weight": [WIDE, HIDDEN],
        "blk.0.ffn_up.weight": [WIDE, HIDDEN],
        "blk.0.ffn_down.weight": [HIDDEN, WIDE],
    }
    rng = Random(4)
    tensors: list[Placed] = []
    data = bytearray()
    for name, shape in sizes.items():
        tensors.append(Placed(name, shape, 0, len(data)))
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        scale = [1.0] * count if "norm" in name else [rng.gauss(0, 0.3) for _ in range(count)]
        data += struct.pack(f"<{count}f", *scale)
        data += bytes(-len(data) % ALIGNMENT)
    kinds = [2, 3, 3, *[6] * 256, 1]
    about: dict[str, tuple[int, Any]] = {
        "general.architecture": (STRING, "llama"),
        "general.alignment": (U32, ALIGNMENT),
        "llama.context_length": (U32, 8192),
        "llama.embedding_length": (U32, WIDE),
        "llama.block_count": (U32, 1),
        "llama.feed_forward_length": (U32, HIDDEN),
        "llama.attention.head_count": (U32, 1),
        "llama.attention.head_count_kv": (U32, 1),
        "llama.attention.layer_norm_rms_epsilon": (F32, 1e-5),
        "llama.rope.dimension_count": (U32, WIDE),
        "llama.rope.freq_base": (F32, 10_000.0),
        "llama.vocab_size": (U32, vocabulary),
        "tokenizer.ggml.model": (STRING, "llama"),
        "tokenizer.ggml.tokens": (ARRAY, Listed(STRING, PIECES)),
        "tokenizer.ggml.scores": (ARRAY, Listed(F32, [0.0] * vocabulary)),
        "tokenizer.ggml.token_type": (ARRAY, Listed(I32, kinds)),
        "tokenizer.ggml.bos_token_id": (U32, 1),
        "tokenizer.ggml.eos_token_id": (U32, 2),
        "tokenizer.ggml.unknown_token_id": (U32, 0),
        "tokenizer.ggml.add_bos_token": (BOOL, True),
        "tokenizer.chat_template": (STRING, template),
    }
    return Toy(about | dict(changes or {}), tensors, bytes(data))
