"""Messages between two processes over a socket: a length of four bytes, then JSON. Both ends bound the length.

Nothing is unpickled, so that the other process cannot choose what runs here.
"""

from __future__ import annotations

import socket
from time import monotonic
from typing import Any

import msgspec
from msgspec import Struct

LARGEST = 2**25
"""Bytes of a message; a full context of text has some 100,000."""
PREFIX = 4
PIECE = 2**20


class FrameError(Exception):
    """The other process has gone, is late, or sends what is no message; the text says which."""


def send(channel: socket.socket, message: Struct, seconds: float | None = None) -> None:
    """Sends ``message``, within ``seconds`` where they are given.

    Raises:
        ValueError: it is too long, and nothing was sent.
        FrameError: the other process has gone or takes nothing.
    """
    body = msgspec.json.encode(message)
    if len(body) > LARGEST:
        raise ValueError(f"{len(body)} bytes are too many for one message; it may have {LARGEST}")
    channel.settimeout(seconds)
    try:
        channel.sendall(len(body).to_bytes(PREFIX, "little") + body)
    except TimeoutError:
        raise FrameError(f"takes nothing for {seconds:.0f} s") from None
    except OSError as error:
        raise FrameError(f"has gone ({error.strerror})") from None


def receive(channel: socket.socket, kind: Any, seconds: float | None = None) -> Any:
    """The next message, which is a ``kind`` (a type of messages or a union of them), within ``seconds`` where they are given.

    Raises:
        FrameError: there is none.
    """
    end = None if seconds is None else monotonic() + seconds
    try:
        size = int.from_bytes(_bytes(channel, PREFIX, end), "little")
        if size > LARGEST:
            raise FrameError(f"announces {size} bytes")
        return msgspec.json.decode(_bytes(channel, size, end), type=kind)
    except TimeoutError:
        raise FrameError(f"gives no answer for {seconds:.0f} s") from None
    except OSError as error:
        raise FrameError(f"has gone ({error.strerror})") from None
    except (ValueError, RecursionError) as error:
        raise FrameError(f"sends no answer of the right form ({error})") from None


def _bytes(channel: socket.socket, size: int, end: float | None) -> bytes:
    """The next ``size`` bytes; memory grows with what has arrived."""
    received = bytearray()
    while len(received) < size:
        if end is not None:
            remaining = end - monotonic()
            if remaining <= 0:
                raise TimeoutError
            channel.settimeout(remaining)
        else:
            channel.settimeout(None)
        piece = channel.recv(min(size - len(received), PIECE))
        if not piece:
            raise FrameError("has gone")
        received += piece
    return bytes(received)
