"""Properties of the episodes of a cell, for the notes of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from msgspec import Struct

from otherminds.core.record import CAUTION, Call, Record, SeatSpec
from otherminds.core.thinking import SCAFFOLD, ScaffoldName
from otherminds.measures.hypothesis_tracks import MOST, has_many_fallbacks, read_note
from otherminds.measures.seats import ego, under_test

SCORED = {
    "": "as continuations of the bare prompt (no chat template applied)",
    "chat": "by the first token of a chat reply (chat template applied)",
}
"""How scores were computed, by ``Call.form``."""


MARK = "‡"
"""Follows the name of a mind with marked episodes."""


class About(Struct, frozen=True):
    """Properties of one episode, or of all episodes of a cell.

    ``game`` is a stage game's name or empty; ``partners`` the kinds of partners; ``reference`` the population
    that F refers to; ``decodings`` how the replies of a language model were sampled; ``who`` the mind in the
    seat under test; ``names`` the set of action names (empty: the scenario's own); ``rounds`` the lengths of
    the scored episodes; ``cautions`` the warnings to show with their scores; ``marked`` the number of
    episodes with many fallbacks (:func:`~otherminds.measures.hypothesis_tracks.has_many_fallbacks`), for which every table
    marks the mind's name; ``scaffolds`` the names of the scaffolds of minds that reason in steps; ``dropped``
    the parameters that a server refused, and that were left out or lowered.
    """

    game: str = ""
    partners: tuple[str, ...] = ()
    grants: tuple[str, ...] = ()
    reference: str = ""
    decodings: tuple[str, ...] = ()
    who: SeatSpec | None = None
    names: str = ""
    rounds: tuple[int, ...] = ()
    cautions: tuple[str, ...] = ()
    marked: int = 0
    scaffolds: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def _joined_names(names: object) -> str:
    """The option ``names`` of a scenario: the name of a set of names, or the names themselves. A stranger's may be neither."""
    match names:
        case str():
            return names
        case list() | tuple():
            return "/".join(map(str, cast("Iterable[object]", names)))
        case _:
            return ""


def about(record: Record) -> About:
    """The properties of one episode."""
    mine = ego(record)
    team = under_test(record)
    granted = {grant for seat in team for grant in record.spec.grants.get(seat, ())}
    kinds = {record.spec.seats[seat].mind for seat in record.partners if seat in record.spec.seats}
    return About(
        game=record.game.name if record.game else "",
        partners=tuple(sorted(kinds)),
        grants=tuple(
            sorted(granted - (set[str]() if record.game else {"payoffs"}))
        ),  # without a game there are no payoffs
        reference=record.bounds.reference if record.bounds else "",
        decodings=tuple(sorted({_decoding(call) for call in record.calls if call.seat in team})),
        who=record.spec.seats[mine],
        names=_joined_names(record.spec.options.get("names", "")),
        rounds=(len(record.rewards),) if record.outcome.status == "scored" else (),
        cautions=(record.facts[CAUTION],) if CAUTION in record.facts else (),
        marked=int(has_many_fallbacks(record)),
        scaffolds=tuple(
            sorted(
                {
                    scaffold.name
                    for note in record.notes
                    if note.seat in team and (scaffold := read_note(note, SCAFFOLD, ScaffoldName))
                }
            )
        ),
        dropped=tuple(sorted({name for call in record.calls if call.seat in team for name in call.dropped})),
    )


def common(abouts: Sequence[About]) -> About:
    """The properties of the episodes of a cell together."""

    def union(lists: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(sorted({name for names in lists for name in names}))

    who = next((about.who for about in abouts if about.who), None)
    fallen = sum(about.marked for about in abouts)
    caution = (
        f"{MARK} {who.title}: in {fallen} of {len(abouts)} episodes more than {MOST:.0%} of its requests to the "
        "model, or of those for a plan, had no usable reply and ended in a fallback"
        if who and fallen
        else ""
    )
    return About(
        game=next((about.game for about in abouts if about.game), ""),
        partners=union(about.partners for about in abouts),
        grants=union(about.grants for about in abouts),
        reference=", ".join(sorted({about.reference for about in abouts if about.reference})),
        decodings=union(about.decodings for about in abouts),
        who=who,
        names=next((about.names for about in abouts if about.names), ""),
        rounds=tuple(sorted({n for about in abouts for n in about.rounds})),
        cautions=(*union(about.cautions for about in abouts), *filter(None, [caution])),
        marked=fallen,
        scaffolds=union(about.scaffolds for about in abouts),
        dropped=union(about.dropped for about in abouts),
    )


def _decoding(call: Call) -> str:
    """How a reply was sampled, as text."""
    if not call.config:
        return f"options scored by log-probability, {SCORED[call.form]}"
    sampling = (
        f"replies drawn at temperature {call.config['temperature']:g}, top-p {call.config['top_p']:g}, "
        f"at most {call.config['max_tokens']} tokens"
    )
    guided = {
        "schema": "in a JSON schema",
        "choice": "from a list of answers",
        "tools": "with tool calls",
        "effort": f"reasoning effort {call.config.get('effort')}",
        "stop": f"ended by {' or '.join(map(repr, call.config.get('stop', ())))}",
    }
    return ", ".join(
        [sampling, *(text for option, text in guided.items() if call.config.get(option) not in (None, []))]
    )
