"""The command ``otherminds score``."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from otherminds.matrix.logs.ends import Range
    from otherminds.matrix.logs.player_scores import LogScores


def score(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Logs: Axelrod-Python's interactions, or JSON lines."),
    ],
    states: Annotated[
        int, typer.Option(min=1, max=3, help="The most states of an automaton that explains a partner.")
    ] = 3,
    json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Score players of repeated matrix games from logs that exist: F, regret and L, each with bounds. No model is called.

    Each partner is explained by automata, all that fit its play; a score has bounds where they leave it open.

    \b
    Examples:
      otherminds score interactions.csv
      otherminds score games.jsonl more.jsonl --json
    """
    import msgspec

    from otherminds.matrix.logs.episodes import read_log
    from otherminds.matrix.logs.player_scores import score_logs

    episodes = chain.from_iterable(map(read_log, files))
    scores = score_logs(episodes, states, lambda text: typer.echo(text, err=True))
    typer.echo(msgspec.json.encode(scores).decode() if json else _show_scores(scores))


def _show_scores(scores: LogScores) -> str:
    from otherminds.core.text import text_table

    heads = (
        "player",
        "game",
        "games",
        "distinct",
        "explained",
        "F",
        "regret",
        "L",
        "unused",
        "illegal",
        "reward",
        "by errors",
    )
    rows = [
        (
            score.player,
            score.game,
            str(score.episodes),
            str(score.distinct),
            str(score.explained),
            _show_range(score.functional),
            _show_range(score.regret),
            _show_range(score.literal),
            "–" if score.unused is None else f"{score.unused:.0%}",
            str(score.illegal),
            f"{score.reward:.3f}",
            f"{score.from_errors:.3f}",
        )
        for score in scores.players
    ]
    explained = [partner for partner in scores.partners if partner.automata]
    lines = [
        text_table(heads, rows),
        "",
        f"{len(explained)} of {len(scores.partners)} partners are explained, "
        f"{sum(partner.automata == 1 for partner in explained)} of them by one automaton alone.",
    ]
    by_reason: dict[str, list[str]] = {}
    for partner in scores.partners:
        if partner.reason:
            by_reason.setdefault(f"not explained, since {partner.reason}", []).append(partner.partner)
    for player in scores.players:
        for reason in player.reasons:
            by_reason.setdefault(f"no {reason}", []).append(player.player)
    lines += [f"{reason}: {', '.join(names)}." for reason, names in by_reason.items()]
    return "\n".join(lines)


def _show_range(bounds: Range | None) -> str:
    return "–" if bounds is None else f"[{bounds.low:.2f}, {bounds.high:.2f}]"
