"""Learning curves by action names: which cells belong together, and what is drawn."""

from __future__ import annotations

import pytest

from otherminds import Record, SeatSpec
from otherminds.matrix.name_curves import LEARNER, by_names, names_caption, names_plot
from otherminds.measures.cells import Cell, cells
from otherminds.measures.curves import Curve, learning_curves
from otherminds.measures.episode import summarise
from otherminds.reports.style import COLOURS, INK, Looks

QA = SeatSpec("qa", model="m", label="QA@m")
RMAX = SeatSpec("rmax", label="Tabular")


def measured(*lists: list[Record]) -> tuple[list[Cell], list[Curve]]:
    episodes = [summarise(record) for records in lists for record in records]
    planned: dict[tuple[str, str], int] = {}
    for episode in episodes:
        key = (episode.scenario, episode.mind)
        planned[key] = planned.get(key, 0) + 1
    return cells(planned, episodes), learning_curves(planned, episodes)


@pytest.fixture(scope="module")
def found(seated) -> tuple[list[Cell], list[Curve]]:
    """QA under three sets of names in one scenario, one in another; the tabular learner under two."""
    return measured(
        seated("rps-single-v1", QA, own=1),
        seated("rps-single-v1", QA, "canonical", own=2),
        seated("rps-single-v1", QA, "repeated"),
        seated("rps-single-v1", RMAX, "canonical"),
        seated("rps-single-v1", RMAX, "repeated"),
        seated("ibs-single-v1", QA),
        seated("rps-tit_for_tat-v1", QA, "canonical"),
    )


def test_cells_that_differ_only_in_names_belong_together(found) -> None:
    (sets,) = by_names(*found)
    assert (sets.scenario, sets.mind, sets.where) == ("rps-single-v1", "QA@m", "rps against single")
    assert [line.names for line in sets.lines] == ["neutral", "canonical", "repeated"]
    assert [line.label for line in sets.lines] == [
        "neutral (J, F, B)",
        "canonical (Rock, Paper, Scissors)",
        "repeated (J×21, F×21, B×21)",
    ]
    assert [line.curve.scenario for line in sets.lines] == [
        "rps-single-v1",
        "rps-single-v1 [canonical]",
        "rps-single-v1 [repeated]",
    ]
    assert sets.reference.mind == "Tabular"


def test_minds_without_a_model_read_no_names(seated) -> None:
    both = measured(seated("rps-single-v1", RMAX), seated("rps-single-v1", RMAX, "canonical"))
    assert by_names(*both) == []


def test_a_list_of_names_is_a_set_too(seated) -> None:
    (sets,) = by_names(*measured(seated("ibs-single-v1", QA), seated("ibs-single-v1", QA, ["up", "down"])))
    assert [(line.names, line.label) for line in sets.lines] == [
        ("neutral", "neutral (J, F)"),
        ("up/down", "up/down"),
    ]


def test_the_lines_are_the_curves(found) -> None:
    (sets,) = by_names(*found)
    looks = Looks([line.names for line in sets.lines])
    figure = names_plot(sets, looks)
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["regret in the round", "ToM %"]
    for ax, key in zip(figure.axes, ("regret", "tom_percent"), strict=True):
        drawn = [line for line in ax.lines if len(line.get_xdata()) == 10]
        curves = [*(line.curve for line in sets.lines), sets.reference]
        assert [line.get_ydata().tolist() for line in drawn] == [
            getattr(c, key).mean.tolist() for c in curves
        ]
        assert [line.get_color() for line in drawn] == [*COLOURS[:3], INK]
        assert len(ax.collections) == 4, "a band for each"
    assert figure.axes[1].get_ylim() == (-4, 104)


def test_the_legend_names_the_sets_and_the_learner(found) -> None:
    (sets,) = by_names(*found)
    (legend,) = names_plot(sets, Looks([line.names for line in sets.lines])).legends
    assert [text.get_text() for text in legend.get_texts()] == [*(line.label for line in sets.lines), LEARNER]
    assert legend.get_title().get_text() == "QA@m: rps against single"


def test_a_set_keeps_its_colour_in_every_figure(found) -> None:
    (sets,) = by_names(*found)
    looks = Looks(["letters", *(line.names for line in sets.lines)])
    drawn = [
        line.get_color() for line in names_plot(sets, looks).axes[0].lines if len(line.get_xdata()) == 10
    ]
    assert drawn == [*COLOURS[1:4], INK]


def test_the_caption_says_who_where_and_what_is_lacking(found, seated) -> None:
    (sets,) = by_names(*found)
    assert names_caption(sets).startswith("QA@m in rps against single (rps-single-v1)")
    assert "figures 19 to 43" in names_caption(sets)
    assert "no tabular learner" not in names_caption(sets)
    (alone,) = by_names(*measured(seated("ipd-single-v1", QA), seated("ipd-single-v1", QA, "canonical")))
    assert alone.reference is None
    assert "This run has no tabular learner here" in names_caption(alone)
    regret = names_plot(alone, Looks(["neutral", "canonical"])).axes[0]
    assert len(regret.lines) == 3, "two sets of names, and the line at 0"


def test_a_scenario_without_scored_episodes_has_no_line(found) -> None:
    some, curves = found
    fewer = [curve for curve in curves if curve.scenario != "rps-single-v1 [canonical]"]
    (sets,) = by_names(some, fewer)
    assert [line.names for line in sets.lines] == ["neutral", "repeated"]
    assert sets.reference.scenario == "rps-single-v1 [repeated]"
