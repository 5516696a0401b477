"""The one way to make HTML: Jinja2 templates, in which all text is escaped but drawings of ours (``safe``).

No character of a page is unseen or turns the direction of writing, whoever wrote it: each shows as JSON escapes it.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

from otherminds.core.quoting import plain


def render(template: str, parts: dict[str, object]) -> str:
    """The template of that name, see :func:`text_of`, with ``parts`` by name."""
    return plain(_environment().get_template(template).render(parts, version=version("otherminds")))


def visible(data: Any) -> Any:
    r"""A copy of JSON data for the script of a page, whose texts are those that :func:`render` would show.

    >>> visible({"said": ["\x1b", 1]})
    {'said': ['\\u001b', 1]}
    """
    if isinstance(data, str):
        return plain(data)
    if isinstance(data, dict):
        return {visible(key): visible(value) for key, value in data.items()}
    return [*map(visible, data)] if isinstance(data, list | tuple) else data


def text_of(name: str) -> str:
    """The text of a file: ``PACKAGE:PATH``, or the path of a file of :mod:`otherminds.reports`."""
    package, _, path = name.rpartition(":")
    return files(package or "otherminds.reports").joinpath(path).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(text_of),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
