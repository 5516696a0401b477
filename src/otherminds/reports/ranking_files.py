"""A ranking as a file for a paper: a table in LaTeX, or a drawing in SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from otherminds.core.disk import replace_file
from otherminds.core.errors import StudyError
from otherminds.measures.comparing import LESS_IS_BETTER
from otherminds.measures.ranking import ScoreRanking
from otherminds.reports.comparison import NAMES
from otherminds.reports.ranking import HOLDS, RankingResult, list_rows
from otherminds.reports.style import COLOURS, INK, apply_style, svg

ROW, HEAD, ROOM, PLOT, BAR = 0.3, 0.7, 1.9, 2.8, 0.14
"""Inches: the height of a mind in the drawing and of what is around a panel, and the widths of names, of the plot, and of a tied set."""
NOTE = 0.4
"""Inches: the height of the caption."""
CAPTION = "Beside one bar at the right: minds that cannot be told apart (95 %, Holm).\nLines: one-sided 95 % bounds of each number."
LONGEST = 26
"""Letters of a name in the drawing."""
ESCAPED = str.maketrans(
    {
        **{sign: rf"\{sign}" for sign in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "−": "$-$",
        "–": "--",
    }
)


def as_latex(result: RankingResult) -> str:
    """The ranking as a table of LaTeX, for the packages ``booktabs`` and ``inputenc`` (UTF-8).

    Raises:
        StudyError: there is no ranking.
    """
    _check(result)
    heads, rows = list_rows(result)
    lines = [
        "% " + result.sentence.replace("\n", " "),
        r"\begin{tabular}{l" + "l" * (len(heads) - 2) + "r}",
        r"\toprule",
        _row(heads),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
        "% " + HOLDS,
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return " & ".join(escape_latex(cell) for cell in cells) + r" \\"


def escape_latex(text: str) -> str:
    """Text for LaTeX, in which no character is a command.

    >>> print(escape_latex("a_b 5%"))
    a\\_b 5\\%
    """
    return text.translate(ESCAPED)


def as_svg(result: RankingResult) -> str:
    """The ranking as a drawing: a panel for each score, the best mind above, and a bar beside each tied set of several minds.

    Raises:
        StudyError: there is no ranking.
    """
    _check(result)
    scores = result.ranking.scores
    heights = [ROW * len(score.minds) + HEAD for score in scores]
    bars = BAR * max(1, *(len(_list_bars(score)) for score in scores))
    width, height = ROOM + PLOT + bars, sum(heights) + NOTE
    with apply_style():
        figure = Figure(figsize=(width, height))
        top = height
        for score, own in zip(scores, heights, strict=True):
            top -= own
            size = PLOT / width, ROW * len(score.minds) / height
            ax = figure.add_axes((ROOM / width, (top + HEAD / 2) / height, *size))
            _draw_score(ax, score)
        figure.text(0.1 / width, 0.1 / height, CAPTION, fontsize=8, va="bottom")
    return svg(figure)


def _draw_score(ax: Axes, score: ScoreRanking) -> None:
    for y, mind in enumerate(score.minds):
        level = mind.level
        if level.mean is not None:
            ends = [] if level.low is None or level.high is None else [level.low, level.high]
            ax.plot(ends, [y] * len(ends), color=INK, linewidth=1.2, zorder=2)
            ax.plot([level.mean], [y], marker="o", color=INK, markersize=5, zorder=3)
    line: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "clip_on": False, "color": COLOURS[0]}
    for n, places in enumerate(_list_bars(score)):
        x = 1 + (n + 0.7) * BAR / PLOT
        ax.plot([x, x], [places[0], places[-1]], linewidth=0.8, linestyle=":", **line)
        for first, last in _list_neighbours(places):
            ax.plot([x, x], [first - 0.3, last + 0.3], linewidth=3, solid_capstyle="butt", **line)
    less = " (less is better)" if score.score in LESS_IS_BETTER else ""
    ax.set_title(f"{NAMES[score.score]}{less}", loc="left")
    ax.set(ylim=(len(score.minds) - 0.5, -0.5))
    ax.set_yticks(range(len(score.minds)), [mind.name[:LONGEST] for mind in score.minds])
    ax.grid(visible=False, axis="y")
    ax.locator_params(axis="x", nbins=5)


def _list_bars(score: ScoreRanking) -> list[list[int]]:
    """The places of the members of each tied set of several minds."""
    place = {mind.name: n for n, mind in enumerate(score.minds)}
    return [sorted(place[name] for name in members) for members in score.tied if len(members) > 1]


def _list_neighbours(places: Sequence[int]) -> list[tuple[int, int]]:
    """The first and the last of each run of neighbours in rising ``places``.

    >>> _list_neighbours([0, 1, 3])
    [(0, 1), (3, 3)]
    """
    ends: list[tuple[int, int]] = []
    for place in places:
        if ends and ends[-1][1] == place - 1:
            ends[-1] = ends[-1][0], place
        else:
            ends.append((place, place))
    return ends


def _check(result: RankingResult) -> None:
    if not result.ranking.scores:
        raise StudyError(result.sentence)


WRITERS: dict[str, Callable[[RankingResult], str]] = {".tex": as_latex, ".svg": as_svg}


def write_ranking(result: RankingResult, path: Path) -> None:
    """Writes a ranking in the form of the ending of ``path``: ``.tex`` or ``.svg``.

    Raises:
        StudyError: it has another ending, there is no ranking, or the file cannot be written.
    """
    if path.suffix not in WRITERS:
        raise StudyError(f"{path}: a ranking is written as {' or '.join(WRITERS)}")
    replace_file(path, WRITERS[path.suffix](result))
