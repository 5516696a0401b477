"""Chairs for tests, without a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from otherminds.web.people import Chair, Desk
from otherminds.web.protocol import NO_CONSENT, Protocol
from otherminds.web.seats import make_app
from otherminds.web.server import serve
from otherminds.web.stays import Journal, Stay


def make_chair(label: str = "ann", protocol: Protocol = NO_CONSENT, folder: Path = Path()) -> Chair:
    """A chair; the journal of its pages is in ``folder``, and is written only where ``protocol`` has pages."""
    return Chair(label, protocol, Stay(protocol, label, Journal(folder), []))


@contextmanager
def serve_chair(chair: Chair) -> Iterator[str]:
    """Serves the page of a chair behind the guard, and yields its address."""
    with serve(
        lambda: make_app(Desk({chair.label: chair}), {chair.label: "x" * 32}, "study"), "127.0.0.1", 0, ()
    ) as base:
        yield f"{base}/s/{'x' * 32}"
