"""Where makers of 3-D pictures of a house become known; each needs an extra, and lives among the bridges."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from otherminds.core.registry import Registry
from otherminds.reports.household.state import MapState
from otherminds.worlds.household.scenes.scene import Scene


class Renderer(Protocol):
    """Draws one moment of a house to a file, as ``agent`` sees it, or else the whole of it from above."""

    def __call__(self, scene: Scene, state: MapState, path: Path, agent: str = "") -> None:
        """Writes the picture.

        Raises:
            StudyError: what it needs is not installed or does not work, or there is no such agent.
        """
        ...


renderers: Registry[Renderer] = Registry("renderer", "otherminds.reports.household")
