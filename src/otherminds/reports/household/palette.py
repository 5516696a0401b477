"""Colours and lines of maps, by the kind of mark; on light and on dark paper."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from otherminds.reports.household.marks import NOBODY

AGENTS = ("#0072B2", "#E08A00", "#009E73", "#B5478F", "#3FA7E0", "#8C6D31", "#6E56CF", "#5C6670")
"""Told apart by the colour-blind (after Okabe & Ito 2008); red is left to what is false."""
OWN = "agent"
"""Stands for the colour of the mark's agent."""


class Style(Struct, frozen=True):
    """How a kind of mark looks; ``size`` is that of a font, ``width`` and ``dash`` in pixels."""

    fill: str = ""
    stroke: str = ""
    width: float = 0.0
    dash: tuple[float, float] | None = None
    opacity: float = 1.0
    size: float = 0.0
    bold: bool = False
    halo: str = ""


class Palette(Struct, frozen=True):
    """The colour of the paper, and a style for each kind of mark."""

    paper: str
    styles: Mapping[str, Style]

    def style(self, kind: str, agent: int) -> Style:
        """How a mark looks, with its agent's own colour put in."""
        style = self.styles[kind]
        if agent == NOBODY:
            return style
        colour = AGENTS[agent % len(AGENTS)]
        return Style(
            fill=colour if style.fill == OWN else style.fill,
            stroke=colour if style.stroke == OWN else style.stroke,
            width=style.width,
            dash=style.dash,
            opacity=style.opacity,
            size=style.size,
            bold=style.bold,
            halo=style.halo,
        )


class Inks(Struct, frozen=True):
    """The colours in which the two papers differ; pairs are fill and edge."""

    paper: str
    floor: str
    wall: str
    soft: str
    plain: tuple[str, str]
    top: tuple[str, str]
    store: tuple[str, str]
    object: tuple[str, str]
    open: str
    on: str
    water: str
    wrong: str


def palette(inks: Inks) -> Palette:
    """Every style, in the colours of one paper."""

    def piece(colours: tuple[str, str]) -> Style:
        return Style(fill=colours[0], stroke=colours[1], width=1)

    styles = {
        "floor": Style(fill=inks.floor),
        "wall": Style(stroke=inks.wall, width=6),
        "gap": Style(stroke=inks.floor, width=8),
        "sill": Style(stroke=inks.wall, width=1, dash=(2, 3)),
        "shut": Style(stroke=inks.wall, width=2.5),
        "plain": piece(inks.plain),
        "top": piece(inks.top),
        "store": piece(inks.store),
        "hung": Style(stroke=inks.store[1], width=1, dash=(4, 3)),
        "front": Style(stroke=inks.store[1], width=3),
        "leaf": Style(stroke=inks.open, width=2.5),
        "swing": Style(stroke=inks.open, width=0.8, dash=(2, 2)),
        "on": Style(fill=inks.on, stroke=inks.wall, width=0.8),
        "off": Style(fill=inks.paper, stroke=inks.soft, width=0.8),
        "faucet": Style(fill=inks.water),
        "object": Style(fill=inks.object[0], stroke=inks.object[1], width=1.2),
        "hidden": Style(fill=inks.paper, stroke=inks.object[1], width=1.2, dash=(2, 1.5)),
        "leader": Style(stroke=inks.object[1], width=0.6, opacity=0.7),
        "view": Style(fill=OWN, opacity=0.13),
        "agent": Style(fill=OWN, stroke=inks.paper, width=1.5),
        "nose": Style(fill=OWN, stroke=inks.paper, width=1.5),
        "knows": Style(fill=OWN),
        "ghost": Style(fill=inks.paper, stroke=OWN, width=1.8, dash=(3, 2)),
        "astray": Style(stroke=inks.wrong, width=1.2, opacity=0.8),
        "wrong": Style(fill=OWN, stroke=inks.wrong, width=1.6),
        "room-name": Style(fill=inks.soft, size=13, bold=True, halo=inks.floor),
        "piece-name": Style(fill=inks.soft, size=8.5, halo=inks.floor),
        "object-name": Style(fill=inks.object[1], size=9, halo=inks.floor),
        "agent-name": Style(fill=OWN, size=11, bold=True, halo=inks.paper),
        "agent-number": Style(fill="#ffffff", size=11, bold=True),
        "ghost-number": Style(fill=OWN, size=10, bold=True),
        "ghost-name": Style(fill=inks.wrong, size=9, halo=inks.floor),
        "legend": Style(fill=inks.soft, size=10.5),
    }
    return Palette(inks.paper, styles)


LIGHT = palette(
    Inks(
        paper="#ffffff",
        floor="#f7f6f2",
        wall="#3b4148",
        soft="#59636e",
        plain=("#e6e6e3", "#a3a7a8"),
        top=("#ece2d2", "#b09c7b"),
        store=("#d8e3ee", "#6f8fae"),
        object=("#b9a7f2", "#5b3fc4"),
        open="#1a7f37",
        on="#ffd43b",
        water="#3fa7e0",
        wrong="#cf222e",
    )
)
DARK = palette(
    Inks(
        paper="#0d1117",
        floor="#171c23",
        wall="#8b949e",
        soft="#a6afb9",
        plain=("#2a3038", "#59626c"),
        top=("#39342b", "#8a7a5f"),
        store=("#22303f", "#6a8cae"),
        object=("#5a4b9c", "#b3a1f7"),
        open="#3fb950",
        on="#ffd43b",
        water="#3fa7e0",
        wrong="#f85149",
    )
)
