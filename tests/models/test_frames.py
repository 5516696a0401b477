"""Messages between processes: whatever the other end does, it is one error and bounded memory and time."""

import json
import socket
import threading

import pytest
from msgspec import Struct

from otherminds.models.llama import LARGEST, FrameError, receive, send


class Said(Struct, tag=True):
    words: str


class Other(Struct, tag=True):
    number: int


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(4, "little") + body


@pytest.fixture
def ends():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_messages_arrive_as_they_were_sent_and_in_order(ends):
    ours, theirs = ends
    sent = [Said("ä\n" * 100_000), Other(3), Said("")]
    sender = threading.Thread(target=lambda: [send(theirs, one) for one in sent])
    sender.start()
    assert [receive(ours, Said | Other, 10) for _ in sent] == sent
    sender.join()


SOUND = json.dumps({"type": "Said", "words": "x"}).encode()


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x05",
        framed(SOUND)[:-1],
        (LARGEST + 1).to_bytes(4, "little"),
        b"\xff\xff\xff\xff" + bytes(100),
        framed(b""),
        framed(b"\xff\xfe"),
        framed(b"null"),
        framed(b"[" * 100_000),
        framed(b'{"type": "Unknown"}'),
        framed(b'{"type": "Said"}'),
        framed(b'{"type": "Said", "words": 3}'),
        framed(SOUND + b" x"),
    ],
    ids=lambda raw: repr(raw[:24]),
)
def test_what_is_no_message_is_one_error(ends, raw):
    ours, theirs = ends
    theirs.sendall(raw)
    theirs.close()
    with pytest.raises(FrameError) as caught:
        receive(ours, Said | Other, 10)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("raw", [b"", b"\x09", framed(SOUND)[:-1]])
def test_an_end_that_falls_silent_is_late(ends, raw):
    ours, theirs = ends
    theirs.sendall(raw)
    with pytest.raises(FrameError, match="gives no answer for 0 s"):
        receive(ours, Said, 0.1)


def test_an_end_that_takes_nothing_is_late_and_one_that_has_gone_is_named(ends):
    ours, theirs = ends
    with pytest.raises(FrameError, match="takes nothing for 0 s"):
        send(ours, Said("x" * 10_000_000), 0.2)
    theirs.close()
    with pytest.raises(FrameError, match="has gone"):
        send(ours, Said("x"), 1)


def test_a_message_that_is_too_long_is_not_sent(ends):
    ours, theirs = ends
    with pytest.raises(ValueError, match="too many"):
        send(ours, Said("x" * LARGEST))
    theirs.setblocking(False)
    with pytest.raises(BlockingIOError):
        theirs.recv(1)
