"""The commands of the household: ``tasks``, ``pools`` and ``scenes``, and the names that commands once had."""

from __future__ import annotations

from otherminds.cli.shared import RenamedCommand

AUTHOR = RenamedCommand("author", "pools author")
EVOLVE = RenamedCommand("evolve", "pools evolve")
JUDGE = RenamedCommand("judge", "tasks judge")
POOL = RenamedCommand("pool", "pools")
