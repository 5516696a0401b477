"""Text in the replies and prompts of a run: a search of plain text that ends after a while and can be continued."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from time import monotonic
from typing import Literal, NamedTuple, TypeAlias, get_args

import msgspec
from msgspec import Struct

from otherminds.core.data import Message
from otherminds.core.errors import StudyError
from otherminds.web.episode_index import EpisodeIndex

SECONDS = 2.0
"""A search ends after this time."""
MOST_MATCHES = 100
"""A search ends after so many matches."""
LONGEST = 200
"""Characters of a text that is searched for."""
MOST_IN_EPISODE = 20
"""Matches of one episode that are listed."""
AROUND = 90
"""Characters before and after a match that are shown."""
Part: TypeAlias = Literal["replies", "prompts"]
PARTS: tuple[Part, ...] = get_args(Part)


class SearchedCall(Struct):
    """What is searched of a model call (:class:`~otherminds.core.record.Call`)."""

    seat: str
    step: int
    purpose: str
    added: tuple[Message, ...] = ()
    reply: str = ""
    reasoning: str = ""


class _Body(Struct):
    calls: tuple[SearchedCall, ...]


class _Line(Struct):
    body: _Body


_LINE = msgspec.json.Decoder(_Line)


class TextMatch(NamedTuple):
    """A match in call ``call`` of an episode: ``text`` with what is ``before`` and ``after`` it. ``part`` says where: a reply, its reasoning, or a role."""

    episode: str
    call: int
    seat: str
    step: int
    part: str
    before: str
    text: str
    after: str


class SearchResult(NamedTuple):
    """The ``matches`` in ``searched`` episodes. ``following`` is the place from which a search goes on; 0 at the end of the run."""

    matches: list[TextMatch]
    searched: int
    following: int


def search_run(index: EpisodeIndex, text: str, part: Part, first: int = 1) -> SearchResult:
    """Looks for ``text`` in the replies or prompts of the episodes from place ``first`` on; capitals do not count.

    A prompt is searched where it first adds a message, and not again where later prompts share it.

    Raises:
        StudyError: the records cannot be read.
    """
    began, searched = monotonic(), 0
    folded = text[:LONGEST].casefold()
    stored = msgspec.json.encode(folded).decode()[1:-1]
    matches: list[TextMatch] = []
    for place, episode, raw in index.walk_lines(first):
        if len(matches) >= MOST_MATCHES or (searched % 64 == 63 and monotonic() - began > SECONDS):
            return SearchResult(matches, searched, place)
        searched += 1
        if stored not in raw.decode(errors="replace").casefold():
            continue
        try:
            calls = _LINE.decode(raw).body.calls
        except (ValueError, RecursionError):
            raise StudyError(
                f"{index.folder}: episode {episode} is damaged; open it for what to do"
            ) from None
        matches.extend(islice(find_matches(episode, calls, folded, part), MOST_IN_EPISODE))
    return SearchResult(matches, searched, 0)


def find_matches(episode: str, calls: Sequence[SearchedCall], folded: str, part: Part) -> Iterator[TextMatch]:
    """The first match in each text of the ``calls`` of an episode."""
    for number, call in enumerate(calls):
        texts = [("reply", call.reply), ("reasoning", call.reasoning)]
        if part == "prompts":
            texts = [(message.role, message.content) for message in call.added]
        for where, said in texts:
            start = said.casefold().find(folded)
            if start >= 0:
                end = start + len(folded)
                around = said[max(0, start - AROUND) : start], said[start:end], said[end : end + AROUND]
                yield TextMatch(episode, number, call.seat, call.step + 1, where, *around)
