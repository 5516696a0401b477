"""What the marks of a map mean, in two lines below it."""

from __future__ import annotations

from otherminds.reports.household.labels import extent
from otherminds.reports.household.marks import MARGIN, Disc, Mark, Outline, View, Words
from otherminds.reports.household.palette import LIGHT
from otherminds.worlds.household.scenes.scene import Point

ROW, SAMPLE, GAP = 20, 22, 18


def legend(view: View, agents: tuple[str, ...]) -> tuple[tuple[Mark, ...], int]:
    """The marks of the legend, and how many pixels of height they need; none for a map without agents."""
    if not agents:
        return (), 0
    texts = {
        "view": "what an agent sees",
        "knows": "knows where it is",
        "hidden": "shut away",
        "ghost": "believed to be here, but is where the red line leads",
        "wrong": "believed to be turned otherwise",
    }
    found: list[Mark] = []
    x, y = float(MARGIN), view.size[1] + ROW / 2
    size = LIGHT.styles["legend"].size
    for kind, text in texts.items():
        wide = SAMPLE + extent(text, size)[0] + GAP
        if x + wide > view.size[0] and x > MARGIN:
            x, y = float(MARGIN), y + ROW
        found += [*_sample(kind, (x + SAMPLE / 2, y)), Words("legend", (x + SAMPLE + 4, y), text, "start")]
        x += wide
    return tuple(found), round(y + ROW / 2 - view.size[1]) + MARGIN // 2


def _sample(kind: str, at: Point) -> tuple[Mark, ...]:
    """What stands before the words; in the colour of the first agent."""
    x, y = at
    box = ((x - 5, y - 5), (x + 5, y - 5), (x + 5, y + 5), (x - 5, y + 5))
    match kind:
        case "knows":
            return (Disc(kind, at, 2.5, 0),)
        case "wrong":
            return (Disc(kind, at, 4.5, 0),)
        case "ghost":
            line = Outline("astray", ((x + 5, y), (x + 13, y)), closed=False, agent=0)
            return (line, Outline(kind, box, agent=0))
        case "view":
            wide = ((x - 10, y - 6), (x + 10, y - 6), (x + 10, y + 6), (x - 10, y + 6))
            return (Outline(kind, wide, agent=0),)
        case _:
            return (Outline(kind, box),)
