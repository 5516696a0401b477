"""What every form of a report says: accounting, headline, notes, numbers as text."""

from __future__ import annotations

from msgspec.structs import replace

from otherminds.measures.intervals import Estimate
from otherminds.measures.notes import About
from otherminds.reports.findings import Findings
from otherminds.reports.opening import verdict_sheet
from otherminds.reports.overview import overview
from otherminds.reports.sections import (
    accounting,
    between,
    count_unscored,
    incomplete,
    mind_notes,
    name_cells,
    sections,
)
from otherminds.reports.sheets import fixed, half, interval, percent
from tests.cases import for_each


def test_every_episode_stands_in_one_line(found) -> None:
    assert accounting(found) == "planned 36 = scored 33 + invalid 1 + failed 1 + missing 1"
    assert accounting(found[2:]) == "planned 24 = scored 24 + invalid 0 + failed 0"


def test_what_is_missing_and_whose_fault(found) -> None:
    (cell,) = incomplete(found)
    assert (cell.scenario, cell.mind) == ("rps-single-v1", "talker")
    assert count_unscored(cell) == "invalid 1, failed 1, missing 1 (to blame: provider 1, reply 1)"
    # Scored: always rock against rock, paper, scissors: 1, 2, 0 lost a round. At worst 2 more each.
    assert between(cell) == "0.500 to 1.500"
    assert between(replace(cell, at_best=None)) == "–"


def test_sections_keep_the_order_and_know_game_and_partners(found) -> None:
    single, tit_for_tat, mixed = sections(found)
    assert (single.scenario, single.game, single.partners) == ("rps-single-v1", "rps", "single")
    assert (tit_for_tat.partners, mixed.partners) == ("tit_for_tat", "single and tit_for_tat")
    assert single.paper
    assert not mixed.paper
    assert [cell.mind for cell in mixed.cells] == ["talker", "doer"]


def test_notes_give_the_reference_and_the_reasons(found) -> None:
    notes = sections(found)[1].notes
    assert "L and F refer to the population: mixed." in notes
    (why,) = [note for note in notes if "no episode here is against" in note]
    assert why.startswith("L, F, gap: ")


def test_a_reason_for_one_mind_names_it(found) -> None:
    lone = replace(found[0], delta_tom=Estimate(None, reason="never asked"))
    (section,) = sections([lone, found[1]])
    assert "Δ_ToM/T (talker): never asked." in section.notes


def test_added_measures_are_shown(found) -> None:
    (section,) = sections([replace(found[0], more={"speed": Estimate(2.0, 1.5, 2.5)})])
    assert "speed: talker 2.000 ±0.500." in section.notes


def test_grants_and_decodings_of_minds(found) -> None:
    """Each thing once, with the minds that it holds for; where it holds in some scenarios only, with those."""
    drawn = "replies drawn at temperature 1, top-p 1, at most 9 tokens"
    about = About("rps", ("single",), ("payoffs",), "single", (drawn,))
    cells = [
        replace(found[0], about=about, tries=1.25),
        replace(found[2], mind="talker", tries=1.5),
        replace(found[1], mind="other", about=about, tries=1.0),
        replace(found[1], mind="third", about=replace(about, dropped=("seed", "stop")), tries=None),
    ]
    assert mind_notes(cells) == [
        "Granted payoffs (in rps-single-v1): talker.",
        "Granted payoffs: other, third.",
        f"R{drawn[1:]} (in rps-single-v1): talker.",
        f"R{drawn[1:]}: other, third.",
        "Refused by a server, and left out or lowered: seed, stop: third.",
        "Model calls a request, where it was asked again: talker 1.25 to 1.50.",
    ]
    assert mind_notes(found) == []


def test_names_for_some_of_the_cells(found) -> None:
    """Two scenarios of a talker and a doer each, then a third."""
    assert name_cells(found[:2], found) == "rps-single-v1"
    assert name_cells(found[::2], found) == "talker"
    assert name_cells([found[0]], found) == "rps-single-v1 (talker)"
    assert name_cells([found[0], *found[2:4], found[4]], found) == "talker, rps-tit_for_tat-v1"
    assert name_cells([found[1], *found[2:4]], found) == "rps-single-v1 (doer), rps-tit_for_tat-v1"
    assert name_cells([], found) == ""


@for_each(
    ("number", "digits", "text"),
    [(0.12345, 3, "0.123"), (-0.0001, 3, "0.000"), (None, 3, "–"), (-1.5, 1, "-1.5"), (97.44, 1, "97.4")],
)
def test_numbers_as_text(number: float | None, digits: int, text: str) -> None:
    assert fixed(number, digits) == text


def test_intervals_as_text() -> None:
    assert half(Estimate(1.0, 0.9, 1.2)) == "±0.150"
    assert interval(Estimate(1.0, 0.9, 1.2), 2) == "[0.90, 1.20]"
    assert half(Estimate(1.0)) == interval(Estimate(1.0)) == ""
    assert percent(0.0125) == "1.2"
    assert percent(None) == "–"


def test_l_and_f_of_verdicts_and_of_whole_episodes_have_names_of_their_own(whole: Findings) -> None:
    """They are different numbers of the same episodes."""
    opening = verdict_sheet(whole.verdicts)
    assert opening is not None
    assert {"L", "F"} <= {*opening.heads}
    sheets = [sheet for section in sections(whole.cells) for sheet in section.sheets]
    heads = [head for sheet in (*sheets, overview(whole.cells)) for head in sheet.heads]
    assert {"L, all rounds", "F, all rounds"} <= {*heads}
    assert not {"L", "F"} & {*heads}
