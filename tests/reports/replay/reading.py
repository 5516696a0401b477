"""How tests read a page of a replay, as a browser would before its script runs."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from otherminds.core.text import CONTROL


class Reader(HTMLParser):
    """Collects tags, attributes, text, and the contents of scripts by their identifiers."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.scripts: dict[str, str] = {}
        self._script: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self._script = dict(attrs).get("id") or "" if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self._script = None

    def handle_data(self, data: str) -> None:
        if self._script is None:
            self.text += data
        else:
            self.scripts[self._script] = data

    @property
    def names(self) -> set[str]:
        """The identifiers of its elements."""
        return {value for name, value in self.attributes if name == "id"}


def unpacked(page: str, block: str) -> bytes:
    """The data of a block that the script unpacks."""
    return zlib.decompress(b64decode(Reader(page).scripts[block]))


def raw_characters(page: str) -> set[str]:
    """The characters of a page, and of the texts that its script unpacks, that nobody sees or that turn the writing."""
    found = set(CONTROL.findall(page))
    for name, packed in Reader(page).scripts.items():
        if name in ("story", "prompts"):
            found |= set(CONTROL.findall("".join(_texts(json.loads(zlib.decompress(b64decode(packed)))))))
    return found


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for one in data:
            yield from _texts(one)
        for one in data.values() if isinstance(data, dict) else ():
            yield from _texts(one)


def told(page: str) -> dict[str, Any]:
    """What the page tells, all but frames."""
    return json.loads(unpacked(page, "story"))


def asked(page: str) -> set[str]:
    """The identifiers of the elements that the script asks for."""
    return set(re.findall(r'\b(?:el|unpack)\("(\w+)"\)', Reader(page).scripts[""]))
