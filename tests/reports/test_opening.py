"""What every report opens with: sentences, terms with their meanings, what was lost, one table, models first."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace

from otherminds.measures.intervals import Estimate
from otherminds.measures.notes import ReplyCounts
from otherminds.measures.verdict import WORDS, Kind, Verdict
from otherminds.reports.figures import LEFT, NONE, RIGHT, TOP, spread, verdict_plot
from otherminds.reports.findings import Findings
from otherminds.reports.opening import (
    MOST_SENTENCES,
    losses_in_words,
    verdict_sentences,
    verdict_sheet,
    with_meanings,
)
from otherminds.reports.page import as_html

UNMEASURED = Estimate(None, reason="nothing was measured")


def verdict(mind: str, kind: Kind = "uses", literal: float = 0.9, *, model: bool = False) -> Verdict:
    return Verdict(
        kind=kind,
        mind=mind,
        scenarios=("rps-single-v1",),
        literal=Estimate(literal, literal - 0.1, literal + 0.1),
        unused=Estimate(0.02, -0.1, 0.08),
        functional=Estimate(0.8, 0.7, 0.9),
        planned=24,
        episodes=24,
        lost=1,
        clusters=12,
        answers=240,
        unread=0,
        model=model,
    )


def test_up_to_three_models_have_a_sentence_each() -> None:
    models = [verdict(f"lm@{n}", model=True) for n in range(MOST_SENTENCES)]
    said = verdict_sentences([*models, verdict("bayes"), verdict("nash")])
    assert said == [one.sentence for one in models]


@pytest.mark.parametrize("model", [True, False])
def test_more_minds_are_grouped_by_verdict(model: bool) -> None:
    kinds: list[Kind] = ["uses", "no evidence", "uses", "does not use"]
    said = verdict_sentences([verdict(f"m{i}", kind, model=model) for i, kind in enumerate(kinds)])
    assert said == [
        "Knows and uses: m0, m2.",
        "No evidence that it knows: m1.",
        "Knows and does not use: m3.",
    ]


@pytest.mark.parametrize("kind", sorted(WORDS))
def test_each_term_is_explained_where_it_first_comes_and_only_there(kind: Kind) -> None:
    marked = "".join(
        with_meanings([verdict("lm@gives away L = 3", kind).sentence, verdict("b", kind).sentence])
    )
    assert "“lm@gives away L = 3”" in marked, "a name is no term"
    plain = re.sub(r"<[^>]+>", "", marked)
    for term in ("L", "F", "gives away", "distinct"):
        explained = len(re.findall(rf'<abbr tabindex="0" title="[^"]+">{term}</abbr>', marked))
        asked = {"L": r"L = ", "F": r"F = ", "gives away": r"gives away", "distinct": r"distinct"}[term]
        used = re.search(asked, re.sub(r"“[^”]*”", "", plain))
        assert explained == bool(used)


def test_the_table_has_a_row_for_each_mind_in_the_order_of_the_verdicts() -> None:
    sheet = verdict_sheet([verdict("lm@m", model=True), replace(verdict("b"), unused=UNMEASURED)])
    assert sheet is not None
    assert [texts for texts, _ in sheet.rows] == [("lm@m", "knows and uses"), ("b", "knows and uses")]
    literal, unused, functional, distinct, lost = sheet.rows[0][1]
    assert (literal, functional) == (("0.90", "[0.80, 1.00]"), ("0.80", "[0.70, 0.90]"))
    assert unused == ("2", "[0, 8]"), "a share stays within 0 and 100 %"
    assert (distinct, lost) == (("12", ""), ("1", "of 24"))
    assert sheet.rows[1][1][1] == ("–", "")
    assert verdict_sheet([]) is None


def test_where_no_mind_had_a_choice_one_sentence_says_why() -> None:
    judged = [
        replace(verdict(mind, "no choice"), reason="one move is best", literal=UNMEASURED)
        for mind in ("a", "b", "c", "d")
    ]
    assert verdict_sentences(judged) == ["No verdict on knowledge and its use: one move is best."]
    assert verdict_sheet(judged) is None
    assert (
        verdict_sentences([*judged, verdict("e")])[0] == "No choice to make (one move is best): a, b, c, d."
    )


def test_columns_without_a_number_are_left_out() -> None:
    silent = replace(
        verdict("a", "not measured"), literal=UNMEASURED, unused=UNMEASURED, functional=UNMEASURED
    )
    sheet = verdict_sheet([silent])
    assert sheet is not None
    assert sheet.heads == ("mind", "verdict", "lost")


def test_what_was_lost_is_said_in_words(found, whole: Findings) -> None:
    judged = [replace(verdict("a"), unread=3)]
    assert losses_in_words(found, judged) == (
        "Lost: 3 of 36 planned episodes were not scored; 3 of 240 predictions could not be read."
    )
    stray = {"m": ReplyCounts(90, other=4), "n": ReplyCounts(90)}
    assert losses_in_words(found, judged, stray).endswith(
        " 4 of 90 replies of m choose something that is none of the options; none was turned into an action."
    )
    scored = [cell for cell in found if cell.scored == cell.planned]
    assert losses_in_words(scored, [verdict("a")]).startswith("Nothing was lost: all 30 planned episodes")


def test_the_page_has_sentences_picture_losses_table_figures_and_folds_the_rest(whole: Findings) -> None:
    from otherminds.reports.drawings import drawings
    from otherminds.reports.style import svg

    drawn = drawings(whole)
    page = as_html(whole, drawn, {one.name: svg(one.figure) for one in drawn if one.figure}, "A study", ())
    places = [page.index('<p class="headline">'), page.index("<svg"), page.index("<p>Lost: ")]
    places += [page.index('<table id="minds"'), page.index(">Figures</h2>"), page.index("<details>")]
    assert places == sorted(places)
    assert page.count("<table") - 1 == page[places[-1] :].count("<table"), "one table stands open"
    heads = re.findall(r'<th scope="col" class="(?:left|number)">', page)
    assert len(heads) == 7
    lead = page[page.index("<h1>") : places[-2]].lower()
    assert not re.search(r"\bsure\b|\bgap\b|says more than it does", lead)


def test_a_chapter_without_content_is_left_out(whole: Findings) -> None:
    page = as_html(whole, (), {}, "A study", ())
    assert ">Figures</h2>" not in page
    for body in re.findall(r'<div class="folded" id="part\d+">(.*?)</div></details>', page, re.DOTALL):
        assert re.search(r"<(table|li|pre|p|svg)", body)


def test_each_mind_leads_to_its_episodes(whole: Findings) -> None:
    from otherminds.reports.episodes import as_page

    report = as_html(whole, (), {}, "A study", ())
    table = report[report.index('<table id="minds"') :]
    wanted = re.findall(r'href="episodes.html#(\w+)"', table[: table.index("</table>")])
    recorded = {(cell.scenario, cell.mind): cell.planned for cell in whole.cells}
    listed = as_page(whole.played, recorded, "A study", "run")
    names = re.findall(r' id="(\w+)"', listed)
    assert len(wanted) == len(whole.verdicts)
    for one, name in zip(whole.verdicts, wanted, strict=True):
        assert names.count(name) == 1
        row = listed[listed.index(f'id="{name}"') :]
        assert f">{one.mind}<" in row[: row.index("</tr>")]


def test_every_mind_with_l_has_a_dot_and_what_lies_outside_shows_its_value() -> None:
    judged = [
        verdict("in", model=True),
        verdict("far", literal=-3.4),
        replace(verdict("above"), unused=Estimate(2.5, 2.0, 3.0)),
        replace(verdict("none"), unused=UNMEASURED),
        replace(verdict("unmeasured"), literal=UNMEASURED),
    ]
    figure = verdict_plot(judged)
    assert figure is not None
    (ax,) = figure.axes
    labels = {
        text.get_text().split("\n")[0]: text.get_text() for text in ax.texts if "n = " in text.get_text()
    }
    assert labels == {
        "in": "in\nn = 12",
        "far": "far\nn = 12, L = -3.40",
        "above": "above\nn = 12, unused 250 %",
        "none": "none\nn = 12",
    }
    assert {text.get_text() for text in ax.texts} >= {"floor", "ceiling"}
    dots = [line for line in ax.lines if line.get_marker() not in ("None", None, "")]
    assert len(dots) == 4
    for dot in dots:
        assert LEFT <= float(np.asarray(dot.get_xdata())[0]) <= RIGHT
        assert NONE <= float(np.asarray(dot.get_ydata())[0]) <= TOP
    assert sorted(str(dot.get_marker()) for dot in dots) == ["<", "^", "o", "o"]


def test_a_study_in_which_nothing_was_measured_has_no_picture() -> None:
    assert verdict_plot([replace(verdict("a"), literal=UNMEASURED)]) is None


@pytest.mark.parametrize("count", [1, 5, 40])
def test_labels_do_not_overlap(count: int) -> None:
    figure = verdict_plot([verdict(f"m{n}") for n in range(count)])
    assert figure is not None
    (ax,) = figure.axes
    figure.draw_without_rendering()
    boxes = sorted(
        (text.get_window_extent().y0, text.get_window_extent().y1)
        for text in ax.texts
        if "n = " in text.get_text()
    )
    assert len(boxes) == count
    assert all(above[0] >= below[1] - 0.5 for below, above in pairwise(boxes))


def test_places_are_apart_and_near() -> None:
    assert spread([0.2, 0.9], 0.1, 0.0, 1.0) == pytest.approx([0.2, 0.9])
    assert spread([0.0, 0.0, 0.0], 0.2, 0.0, 1.0) == pytest.approx([0.0, 0.2, 0.4])
    assert spread([1.0, 1.0], 0.2, 0.0, 1.0) == pytest.approx([0.8, 1.0])


@pytest.mark.parametrize("kind", sorted(WORDS))
def test_numbers_stand_beside_measured_verdicts_only(kind: Kind) -> None:
    other = verdict("b", "uses")
    sheet = verdict_sheet([verdict("a", kind), other])
    assert sheet is not None
    (_, first), (_, second) = sheet.rows
    unmeasured = kind in ("not measured", "no choice")
    assert (first[0][0] == "–") == unmeasured
    assert second[0][0] == "0.90"
    figure = verdict_plot([verdict("a", kind), other])
    assert figure is not None
    labels = [text.get_text() for text in figure.axes[0].texts if "n = " in text.get_text()]
    assert len(labels) == (1 if unmeasured else 2)


def test_dots_on_one_spot_are_all_seen() -> None:
    figure = verdict_plot([verdict("a", model=True), verdict("b"), verdict("c"), verdict("d", literal=0.2)])
    assert figure is not None
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    spot = [dot for dot in dots if dot.get_xdata()[0] == 0.9]
    assert len({dot.get_markersize() for dot in spot}) == len(spot) == 3
