"""What must be said of every score against scripted background bots."""

from __future__ import annotations

SCRIPTED = "Scripted background, not comparable with published Melting Pot scores"
