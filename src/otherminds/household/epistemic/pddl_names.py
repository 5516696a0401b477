"""Names as PDDL allows them: lower-case letters, digits, ``-`` and ``_``, and no reserved word."""

from __future__ import annotations

import re

from otherminds.household.epistemic.certificate import Words

RENAMED = {"object": "item", "number": "count"}
"""Types with names that PDDL reserves."""
RESERVED = ("object", "number", "and", "or", "not", "when", "either", "exists", "forall", "imply", "increase")


class Names:
    """Legal PDDL names, different for different names, and back.

    >>> names = Names()
    >>> names.legal("stand:cabinet_3"), names.legal("2"), names.legal("object")
    ('stand--cabinet_3', 'n2', 'item')
    >>> names.original("stand--cabinet_3")
    'stand:cabinet_3'
    """

    def __init__(self) -> None:
        self._legal: dict[str, str] = {}
        self._original: dict[str, str] = dict.fromkeys(RESERVED, "")

    def legal(self, name: str) -> str:
        """The PDDL name of a name; a parameter keeps its own."""
        if name not in self._legal and not name.startswith("?"):
            plain = re.sub(r"[^a-z0-9_-]", "", RENAMED.get(name, name).lower().replace(":", "--"))
            candidate = plain = plain if re.match("[a-z]", plain) else f"n{plain}"
            while candidate in self._original:
                candidate = f"{plain}-{len(self._original)}"
            self._legal[name], self._original[candidate] = candidate, name
        return self._legal.get(name, name)

    def original(self, name: str) -> str:
        """The name that :meth:`legal` wrote."""
        return self._original[name]

    def atom(self, fact: Words) -> str:
        return f"({' '.join(map(self.legal, fact))})"
