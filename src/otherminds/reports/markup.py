"""The one way to make HTML: Jinja2 templates, in which all text is escaped but drawings of ours (``safe``)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined

import otherminds


def render(template: str, parts: dict[str, object]) -> str:
    """The template of that name among the files of :mod:`otherminds.reports`, with ``parts`` by name."""
    return _environment().get_template(template).render(parts, version=otherminds.__version__)


def text_of(name: str) -> str:
    """The text of a file among those of :mod:`otherminds.reports`."""
    return files("otherminds.reports").joinpath(name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(text_of),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
