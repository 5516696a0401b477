"""Masks API keys in texts of servers, in every usual way of writing them.

A server may repeat a key in an error or in a reply, as it is or escaped: as JSON, HTML and URLs escape characters,
several times over, in base64 or in hexadecimal digits, and with invisible characters between. All of these
are masked before a text reaches an error, a record or a terminal.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cached_property
from html.entities import html5

from otherminds.core.quoting import UNSEEN

MASK = "***"
LONG = 12
"""Characters from which a secret with a digit is masked in replies too; a shorter one may be a word of a reply."""
GAP = rf"(?:[\s{UNSEEN}]|\\{{1,8}}(?:u(?:00ad|200[b-f]|202[a-e]|206[0-9a-f]|feff)|[nrt]))*+"
"""What may be between the characters of a secret: white space, invisible characters, and escapes of them."""
HEX_GAP = rf"(?:{GAP}[:-]?{GAP}(?:0x|\\x)?)"
"""What may be between two bytes in hexadecimal digits: also a colon, a hyphen or a prefix."""
SHORT = 4
"""Characters from which a secret is also masked in base64 and in hexadecimal digits."""
LEFT = (0, 2, 3)
"""Digits of base64 that depend on what precedes, by the number of its bytes beyond a multiple of three."""
ALPHABETS = {"+": "(?:[+-]|%2b)", "/": "(?:[/_]|%2f)"}
"""The digits of base64 that differ between its two alphabets."""
ENTITIES: dict[str, list[str]] = {}
for _name, _char in html5.items():
    ENTITIES.setdefault(_char, []).append(_name.removesuffix(";"))


class Secrets:
    """Some secret texts; empty ones are left out."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = sorted({secret for secret in secrets if secret}, key=len, reverse=True)

    def masked(self, text: str) -> str:
        r"""``text`` of an error, with every secret masked.

        >>> Secrets(["sk-4711"]).masked("no key sk\\u002d4711, nor c2stNDcxMQ==")
        'no key ***, nor ***Q=='
        """
        return self._every.sub(MASK, text) if self._secrets else text

    def masked_reply(self, text: str) -> str:
        """``text`` of a model, with those secrets masked that have a digit and :data:`LONG` characters or more."""
        return self._in_replies.sub(MASK, text) if self._long else text

    @property
    def _long(self) -> list[str]:
        return [secret for secret in self._secrets if len(secret) >= LONG and re.search(r"\d", secret)]

    @cached_property
    def _every(self) -> re.Pattern[str]:
        return _pattern(self._secrets)

    @cached_property
    def _in_replies(self) -> re.Pattern[str]:
        return _pattern(self._long)


def _pattern(secrets: Sequence[str]) -> re.Pattern[str]:
    """What matches any of ``secrets`` in any form. Every repetition is bounded or possessive: time is linear."""
    forms = [GAP.join(map(_character_forms, secret)) for secret in secrets]
    for secret in secrets:
        if len(secret) >= SHORT:
            forms += [HEX_GAP.join(f"{byte:02x}" for byte in secret.encode()), *_base64(secret)]
    return re.compile("|".join(forms), re.IGNORECASE)


def _character_forms(char: str) -> str:
    """Every form of one character."""
    code = ord(char)
    names = "|".join(map(re.escape, sorted(ENTITIES.get(char, ()), key=len, reverse=True)))
    entity = rf"#0{{0,6}}{code}|#x0{{0,6}}{code:x}" + (f"|{names}" if names else "")
    escape = rf"u00{code:02x}|u\{{0{{0,6}}{code:x}\}}|x{code:02x}|{code:03o}|{re.escape(char)}"
    return rf"(?:{re.escape(char)}|\\{{1,8}}(?:{escape})|%(?:25){{0,4}}{code:02x}|&(?:amp;){{0,4}}(?:{entity});?)"


def _base64(secret: str) -> list[str]:
    """What base64 makes of ``secret`` at each of the three places where it may begin, in both alphabets."""
    encodings: list[str] = []
    for before in range(3):
        padded = b"\0" * before + secret.encode()
        digits = b64encode(padded).decode().rstrip("=")
        behind = len(padded) % 3
        body = digits[LEFT[before] : len(digits) - (1 if behind else 0)]
        encodings.append(GAP.join(ALPHABETS.get(digit, digit) for digit in body))
    return encodings
