"""Chairs for tests, without a server."""

from __future__ import annotations

from pathlib import Path

from otherminds.web.people import Chair
from otherminds.web.protocol import NO_CONSENT, Protocol
from otherminds.web.stays import Journal, Stay


def make_chair(label: str = "ann", protocol: Protocol = NO_CONSENT, folder: Path = Path()) -> Chair:
    """A chair; the journal of its pages is in ``folder``, and is written only where ``protocol`` has pages."""
    return Chair(label, protocol, Stay(protocol, label, Journal(folder), []))
