"""Parses prompts into blocks, lines and numbers.

A block is a header line that ends in a colon and the lines below it, up to the next
header or an empty line; a scene is made of lines ``label: Python literal``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from otherminds.core.data import Message
from otherminds.replies.blocks import last_block

NUMBER = r"([+\-−]?\d+(?:\.\d+)?)"
ENCOUNTER = re.compile(
    rf"^- (?P<when>[^:\n]+): you played:? (?P<own>.+?), your reward:? {NUMBER}(?:; they played:? (?P<theirs>.+))?$"
)
VALUED = re.compile(rf"^- \[{NUMBER}\] (.+)$")
HEADER = re.compile(r"^(?P<title>[A-Z][^:]*):$")
LABELLED = re.compile(r"^(?P<label>[A-Z][^:]*): (?P<value>.+)$")
FORM = "in this form:"
PUBLISHED = {
    "possible_opponent_inventory": "they_played",
    "possible_other_player_inventory": "they_played",
    "Opponent_strategy": "strategy",
    "Other_player_strategy": "strategy",
    "predicted_opponent_next_inventory": "they_play",
    "predicted_other_player_next_inventory": "they_play",
    "predicted_next_behavior": "they_play",
    "teammate_strategy": "strategy",
    "my_next_inventory": "i_play",
    "opponents_to_seekout": "seek",
    "action_plan": "plan",
    "evaluate_predicted_behavior": "match",
}
"""The keys of forms in the prompts of Cross et al. 2025."""
PAYOFFS = (
    re.compile(
        r"[Yy]our (?P<own>[\w/]+) and its (?P<theirs>[\w/]+) bring you "
        rf"{NUMBER.replace('(', '(?P<mine>', 1)} and the other player {NUMBER.replace('(', '(?P<partner_payoffs>', 1)}"
    ),
    re.compile(
        r"If you choose (?:Option )?(?P<own>\w+) and the other player chooses (?:Option )?(?P<theirs>\w+), "
        rf"then you (?:win|receive) (?:a score of )?{NUMBER.replace('(', '(?P<mine>', 1)}(?: points?)? "
        rf"and the other player (?:wins|receives) (?:a score of )?{NUMBER.replace('(', '(?P<partner_payoffs>', 1)}"
    ),
)
"""The sentences that give payoffs, one for each pair of behaviours."""


@dataclass(frozen=True)
class Met:
    """One encounter of a prompt; ``theirs`` is ``None`` where unknown or still to be inferred."""

    when: str
    own: Any
    reward: float
    theirs: Any = None


@dataclass(frozen=True)
class Payoffs:
    """The stage game of a prompt: ``mine[i][j]`` and ``partner_payoffs[i][j]`` for own behaviour i against theirs j."""

    own: tuple[str, ...]
    theirs: tuple[str, ...]
    mine: tuple[tuple[float, ...], ...]
    partner_payoffs: tuple[tuple[float, ...], ...]


class Prompt:
    """A parsed conversation; ``system`` and ``user`` are the texts of these messages."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.system = _join_messages(messages, "system")
        self.user = _join_messages(messages, "user")
        before, marker, form = self.user.rpartition(FORM)
        parsed: Any = last_block(form) if marker else None
        self.lines = tuple((before if marker else self.user).splitlines())
        """The user's lines before the form."""
        self.form: dict[str, Any] | None = None
        """The dictionary asked for; ``None`` if there is none."""
        self.keys: dict[str, str] = {}
        """The key of each entry of ``form`` in the prompt."""
        if isinstance(parsed, dict):
            entries: dict[str, Any] = parsed
            self.keys = {PUBLISHED.get(key, key): key for key in entries}
            self.form = {key: entries[key_in_prompt] for key, key_in_prompt in self.keys.items()}

    @cached_property
    def blocks(self) -> dict[str, tuple[str, ...]]:
        """The lines below each header; of a repeated header, the last."""
        blocks: dict[str, list[str]] = {}
        below: list[str] | None = None
        for line in self.lines:
            header = HEADER.match(line)
            if header:
                below = blocks[header["title"]] = []
            elif not line.strip():
                below = None
            elif below is not None:
                below.append(line)
        return {title: tuple(lines) for title, lines in blocks.items()}

    def about(self, title: str) -> dict[str, tuple[str, ...]]:
        """The blocks ``TITLE NAME:`` by NAME, in order."""
        blocks = {header: lines for header, lines in self.blocks.items() if header.startswith(title)}
        return {header.removeprefix(title).strip(): lines for header, lines in blocks.items()}

    @cached_property
    def encounters(self) -> dict[str, tuple[Met, ...]]:
        """The encounters with each other, oldest first."""
        blocks = self.about("Your encounters with")
        return {name: tuple(filter(None, map(encounter, lines))) for name, lines in blocks.items()}

    @cached_property
    def earlier(self) -> dict[str, tuple[tuple[float, str], ...]]:
        return {
            name: _read_valued(lines) for name, lines in self.about("Your earlier hypotheses about").items()
        }

    @cached_property
    def strategies(self) -> tuple[tuple[float, str], ...]:
        return _read_valued(self.blocks.get("Your earlier strategies", ()))

    @cached_property
    def hypotheses(self) -> dict[str, str]:
        """The hypothesis about each other that the answer is based on."""
        blocks = self.about("The hypothesis about")
        return {name: " ".join(lines[:1]).removeprefix("- ") for name, lines in blocks.items()}

    @cached_property
    def predictions(self) -> dict[str, Any]:
        blocks = self.about("Your prediction of what")
        return {name.removesuffix(" will do"): literal(lines[0]) for name, lines in blocks.items() if lines}

    @cached_property
    def acts(self) -> tuple[str, ...] | None:
        """The other's acts in the last encounter, where they are to be judged; else ``None``."""
        for title, lines in self.blocks.items():
            if title.endswith("did in the last encounter") and lines:
                listed = literal(lines[0])
                return tuple(map(str, listed)) if isinstance(listed, list) else None
        return None

    @cached_property
    def strategy(self) -> str:
        """The own strategy that the answer is based on; empty if there is none."""
        below = self.blocks.get("Your strategy", ())
        return below[0] if below else self.told.get("Your strategy", "")

    @cached_property
    def told(self) -> dict[str, str]:
        """The values of lines ``label: value``, as text; the last of each label counts."""
        return {match["label"]: match["value"] for line in self.lines if (match := LABELLED.match(line))}

    def value(self, label: str, otherwise: Any = None) -> Any:
        """The literal of the line ``label``; ``otherwise`` where there is none."""
        return literal(self.told[label]) if label in self.told else otherwise

    def each(self, start: str, end: str) -> dict[str, Any]:
        """The literals of lines whose labels have this start and end, by the text in between."""
        return {
            label.removeprefix(start).removesuffix(end).strip(): literal(value)
            for label, value in self.told.items()
            if label.startswith(start) and label.endswith(end)
        }

    @cached_property
    def payoffs(self) -> Payoffs | None:
        """The payoffs in the system message; ``None`` unless complete."""
        cells = {
            (match["own"], match["theirs"]): (number(match["mine"]), number(match["partner_payoffs"]))
            for pattern in PAYOFFS
            for match in pattern.finditer(self.system)
        }
        own = tuple(dict.fromkeys(i for i, _ in cells))
        theirs = own if {*own} == {j for _, j in cells} else tuple(dict.fromkeys(j for _, j in cells))
        if not cells or len(cells) < len(own) * len(theirs):
            return None
        sides = (tuple(tuple(cells[i, j][side] for j in theirs) for i in own) for side in (0, 1))
        return Payoffs(own, theirs, *sides)


def encounter(line: str) -> Met | None:
    """Parses a line of a history; ``None`` if it is none.

    >>> encounter("- round 5: you played 'J', your reward +3; they played 'F'")
    Met(when='round 5', own='J', reward=3.0, theirs='F')
    """
    match = ENCOUNTER.match(line)
    if match is None:
        return None
    theirs = match["theirs"]
    behaviour = None if theirs is None or theirs.rstrip(".") == "unknown" else literal(theirs)
    return Met(match["when"], literal(match["own"]), number(match[3]), behaviour)


def literal(text: str) -> Any:
    """The Python literal in ``text``, or ``text`` itself where it is none."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text.strip()


def number(text: str) -> float:
    """A reward or payoff as written, with any kind of minus."""
    return float(text.replace("−", "-"))


def _read_valued(lines: Sequence[str]) -> tuple[tuple[float, str], ...]:
    matches = (VALUED.match(line) for line in lines)
    return tuple((number(valued[1]), valued[2]) for valued in matches if valued is not None)


def _join_messages(messages: Sequence[Message], role: str) -> str:
    return "\n".join(message.content for message in messages if message.role == role)
