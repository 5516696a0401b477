"""Studies that come with the package."""

from __future__ import annotations

from pathlib import Path

from otherminds.core.errors import StudyError


def shipped(name: str) -> Path:
    """The file of the shipped study ``name``.

    Raises:
        StudyError: there is none of that name.
    """
    path = Path(__file__).parent / f"{name}.toml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.toml")))
        raise StudyError(f"no study called {name!r} is shipped; there are: {known}")
    return path
