"""Chairs for tests, without a server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from otherminds.web.people import Chair, Desk
from otherminds.web.protocol import NO_CONSENT, Protocol
from otherminds.web.seats import make_app
from otherminds.web.server import serve
from otherminds.web.stays import Event, Journal, Stay


class UnwrittenJournal(Journal):
    """Events that no test reads."""

    def add(self, label: str, name: str, detail: Mapping[str, Any]) -> Event:
        return Event(name, detail, 0.0)


def make_chair(label: str = "ann", protocol: Protocol = NO_CONSENT, folder: Path | None = None) -> Chair:
    """A chair; the journal of its events is in ``folder``, if one is given."""
    journal = UnwrittenJournal(Path()) if folder is None else Journal(folder)
    return Chair(label, protocol, Stay(protocol, label, journal, []))


@contextmanager
def serve_chair(chair: Chair) -> Iterator[str]:
    """Serves the page of a chair behind the guard, and yields its address."""
    with serve(
        lambda: make_app(Desk({chair.label: chair}), {chair.label: "x" * 32}, "study"), "127.0.0.1", 0, ()
    ) as base:
        yield f"{base}/s/{'x' * 32}"
