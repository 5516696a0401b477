"""A hook of MkDocs: roles of docstrings, ``:class:`~a.b.C```, are shown as ``C`` in the API reference."""

from __future__ import annotations

import re

ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):<code>~?([\w.]+)</code>")


def on_page_content(html: str, **_: object) -> str:
    """The page with the last part of each name in place of its role."""
    return ROLE.sub(lambda found: f"<code>{found[1].rpartition('.')[2]}</code>", html)
