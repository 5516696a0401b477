"""Studies that come with the package."""

from __future__ import annotations

from pathlib import Path

from otherminds.core.errors import StudyError
from otherminds.core.near import hint, quoted


def find_study(study: Path) -> Path:
    """A study file as a user names it: a path, or a shipped study's name, with or without its folder.

    >>> find_study(Path("studies/demo.toml")) == find_study(Path("demo")) == shipped("demo")
    True
    """
    bare = study.parent in (Path(), Path("studies"))
    studies = shipped_studies() if bare and not study.is_file() else {}
    return studies.get(study.name.removesuffix(".toml"), study)


def as_named(study: Path) -> str:
    """How a user names the study file at ``study``: a shipped study by its name, any other by its path, never an option.

    >>> as_named(shipped("demo")), as_named(Path("mine/demo.toml")), as_named(Path("-demo.toml"))
    ('demo', 'mine/demo.toml', './-demo.toml')
    """
    if study.parent == Path(__file__).parent:
        return study.stem
    return f"./{study}" if str(study).startswith("-") else str(study)


def shipped(name: str) -> Path:
    """The file of the shipped study ``name``.

    Raises:
        StudyError: there is none of that name.
    """
    studies = shipped_studies()
    if name not in studies:
        raise StudyError(f"no study called {quoted(name)} is shipped{hint(name, studies)}")
    return studies[name]


def shipped_studies() -> dict[str, Path]:
    """Every shipped study's file, by name; its first line says what it is."""
    return {file.stem: file for file in sorted(Path(__file__).parent.glob("*.toml"))}
