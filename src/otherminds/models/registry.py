"""The registry of kinds of models, and access to models by spec string."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from otherminds.core.model import Model
from otherminds.core.registry import Registry
from otherminds.models.hosts import SERVICES, Hosts, address, locate_model

LOADED = frozenset({"gguf", "smollm2"})
"""Kinds whose models are loaded into the process that opens them."""

Kind: TypeAlias = Callable[..., Model]
"""``kind(argument)`` opens a model; ``argument`` is the spec string after its first colon. Those of
:data:`~otherminds.models.hosts.SERVICES` are also given the hosts that may be asked."""

models: Registry[Kind] = Registry(
    "model", "otherminds.models", attributes=("spec", "context", "concurrency", "generate", "count")
)


def open_model(spec: str, hosts: Hosts | None = None) -> Model:
    """The model that ``spec`` names, such as ``smollm2`` or ``gguf:PATH``.

    ``hosts`` are those that may be asked; by default also those that ``spec`` names, as its caller chose them.

    >>> open_model("scripted:first").spec
    'scripted:first'

    Raises:
        StudyError: no such kind, no such model of this kind, or a host that may not be asked.
        ProviderError: its files are missing or damaged, or cannot be fetched.
    """
    kind, _, argument = spec.partition(":")
    return models.make(kind, {}, argument, *((hosts,) if kind in SERVICES else ()))


def open_servers(spec: str, hosts: Hosts | None = None) -> tuple[Model, ...]:
    """One model for each server that ``spec`` names: ``openai:MODEL@URL1,URL2?options`` has two.

    :func:`open_model` opens the first of them.

    Raises:
        StudyError: as :func:`open_model`.
        ProviderError: as :func:`open_model`.
    """
    kind, _, argument = spec.partition(":")
    if kind not in SERVICES or len((served := address(argument, kind)).urls) == 1:
        return (open_model(spec, hosts),)
    return tuple(open_model(server_spec, hosts) for server_spec in served.each())


def check_model(spec: str, hosts: Hosts) -> int:
    """Checks what :func:`open_servers` does before it asks a server, and returns the calls that may be made at a time.

    ``spec`` names a model of one of :data:`~otherminds.models.hosts.SERVICES`.

    Raises:
        StudyError: as :func:`open_model`.
    """
    kind, _, argument = spec.partition(":")
    served, chosen = locate_model(argument, kind, hosts.check)
    return chosen.concurrency * len(served.urls)


def check_servers(specs: Iterable[str], hosts: Hosts) -> None:
    """Checks all models among ``specs`` that are on servers as :func:`check_model` does, before any server is asked.

    Raises:
        StudyError: as :func:`open_model`.
    """
    for spec in specs:
        if spec.partition(":")[0] in SERVICES:
            check_model(spec, hosts)


def identity(spec: str) -> str:
    """``spec`` without address and options, as in records and hashes, so that a server may move.

    >>> identity("openai:qwen@http://127.0.0.1:8000/v1?concurrency=4")
    'openai:qwen'
    """
    kind, _, argument = spec.partition(":")
    return f"{kind}:{address(argument, kind).model}" if kind in SERVICES else spec


def shown(spec: str) -> str:
    """``spec`` without what may be secret in its addresses, for messages and files.

    >>> shown("openai:m@https://gateway.example/token-4711/v1?timeout=5")
    'openai:m@https://gateway.example/…/v1?timeout=5'
    """
    kind, _, argument = spec.partition(":")
    return address(argument, kind).shown if kind in SERVICES else spec


def may_score(spec: str) -> bool:
    """Whether a model of the kind that ``spec`` names may score continuations; some find out only when asked.

    >>> may_score("anthropic:claude"), may_score("smollm2")
    (False, True)
    """
    service = SERVICES.get(spec.partition(":")[0])
    return service is None or service.scores
