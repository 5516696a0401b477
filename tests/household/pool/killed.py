"""Ends the process of a test at a write to a pool's folder, with half of the content written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from otherminds.core import disk
from otherminds.household.pool import folder as pool_folder


class Killed(BaseException):
    """What ends the process."""


class Writes:
    """Counts the writes down from ``left``; the one after the last is cut and raises :class:`Killed`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = 0
        for module, name in ((disk, "append_file"), (pool_folder, "replace_file")):
            monkeypatch.setattr(module, name, self._ending(name, getattr(module, name)))

    def _ending(self, name: str, real: Callable[..., None]) -> Callable[..., None]:
        def write(path: Path, content: bytes | str, **more: bool) -> None:
            self.left -= 1
            if self.left >= 0:
                real(path, content, **more)
                return
            half = content.encode() if isinstance(content, str) else content
            path.parent.mkdir(parents=True, exist_ok=True)
            if name == "append_file":
                with path.open("ab") as file:
                    file.write(half[: len(half) // 2])
            else:
                path.with_name(path.name + ".part").write_bytes(half[: len(half) // 2])
            raise Killed

        return write
