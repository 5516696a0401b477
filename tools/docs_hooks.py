"""Hooks of MkDocs, which it calls by name for each page: see ``hooks`` in ``mkdocs.yml``."""

from __future__ import annotations

import posixpath
import re

from mkdocs.structure.pages import Page

ROLE = re.compile(r":(?:attr|class|data|func|meth|mod):<code>~?([\w.]+)</code>")
LINK = re.compile(r"\[([^\[\]]+)\]\(((?:\.\./)+[^)\s#]+)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """The page with the path of each file outside ``docs`` in place of a link: the site does not contain these files."""
    folder = posixpath.join("docs", posixpath.dirname(page.file.src_uri))

    def name_file(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link[2]))
        return link[0] if path.startswith("docs/") else f"{link[1]} (`{path}`)"

    return LINK.sub(name_file, markdown)


def on_page_content(html: str, **_: object) -> str:
    """The page with the last part of each name in place of its role: ``:class:`~a.b.C``` is shown as ``C``."""
    return ROLE.sub(lambda role: f"<code>{role[1].rpartition('.')[2]}</code>", html)
