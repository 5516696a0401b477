"""Checks of the options of scenarios, which come from study files and command lines."""

from __future__ import annotations

from otherminds.core.errors import StudyError


def check_whole(name: str, value: object, least: int, most: int) -> None:
    """Raises a :class:`~otherminds.core.errors.StudyError` where the option ``name`` is no whole number between the two.

    >>> check_whole("boards", True, 4, 72)
    Traceback (most recent call last):
    otherminds.StudyError: boards must be a whole number from 4 to 72, not True
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise StudyError(f"{name} must be a whole number from {least} to {most}, not {value!r}")


def check_slip(value: object) -> None:
    """Raises a :class:`~otherminds.core.errors.StudyError` where the option ``slip`` is no probability below one half."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 0.5:
        raise StudyError(f"slip must be a probability below 0.5, not {value!r}")
