"""The report for the terminal: it fits, it is plain where it must be, it says everything."""

from __future__ import annotations

from msgspec.structs import replace

from otherminds.reports.table import as_text
from tests.cases import for_each


def test_it_fits_a_hundred_columns_even_with_long_names(found, of) -> None:
    name = "cot@openai:a-model-with-a-rather-long-name-indeed(memory=3, temperature=0.7)"
    for cells in (found, [replace(cell, mind=name) for cell in found]):
        assert max(map(len, as_text(of(cells), "A study").splitlines())) <= 100
    assert name[-20:] in as_text(of(replace(cell, mind=name) for cell in found), "", width=200)


def test_plain_unless_colours_are_asked_for(whole) -> None:
    assert "\x1b" not in as_text(whole, "A study")
    assert "\x1b[" in as_text(whole, "A study", colour=True)


def test_the_head_accounts_for_every_episode(whole) -> None:
    lines = as_text(whole, "A study").splitlines()
    assert lines[0] == "A study"
    lost = lines.index("Lost: 3 of 36 planned episodes were not scored.")
    assert lines[lost + 1] == "planned 36 = scored 33 + invalid 1 + failed 1 + missing 1"


def test_it_begins_with_the_verdicts_and_their_table(whole) -> None:
    text = as_text(whole, "A study")
    places = [text.index(f"“{verdict.mind}” in ") for verdict in whole.verdicts]
    places += [text.index("\nmind "), text.index("\nLost: "), text.index("not every episode was scored")]
    assert places == sorted(places)
    for verdict in whole.verdicts:
        assert f"\n{verdict.mind} " in text[places[-3] : places[-2]]


def test_incomplete_cells_are_listed_with_their_bounds(found, whole, of) -> None:
    text = as_text(whole, "A study")
    assert "not every episode was scored" in text
    assert "0.500 to 1.500" in text
    assert "not every episode was scored" not in as_text(of(found[1:]), "A study")


def test_the_numbers_stand_in_the_rows(found, whole) -> None:
    lines = as_text(whole, "A study").splitlines()
    start = lines.index("rps-single-v1   rps against single")
    row = next(line for line in lines[start:] if line.startswith("doer"))
    cell = found[1]
    expected = [
        f"{cell.unused.mean:.3f}",
        f"{cell.literal.mean:.2f}",
        f"{cell.functional.mean:.2f}",
        f"{cell.gap.mean:.2f}",
        f"{cell.delta_functional.mean:.3f}",
        f"{cell.delta_tom.mean:.3f}",
        f"{cell.tom_percent.mean:.1f}",
    ]
    assert [number.rstrip("°") for number in row.split()[1:8]] == expected
    assert row.count("°") == 7, "six episodes are few, and every number of theirs says so"
    assert "°: fewer than 10 episodes. A number without an interval has" in "\n".join(lines)


def test_the_paper_s_rows_stand_beside_with_their_source(whole) -> None:
    text = as_text(whole, "A study")
    assert "paper convention" in text
    (tabular,) = [line for line in text.splitlines() if "paper, tables 1, 3, 4" in line]
    assert tabular.split()[:3] == ["Tabular", "0.083", "±0.004"]
    assert "†0.224" in text
    assert "misprint in the paper: 0.224 in table 4 and 0.211 in table 10" in text


def test_a_population_that_the_paper_lacks_has_no_such_table(found, of) -> None:
    assert "paper convention" not in as_text(of(found[4:]), "A study").split("n: scored episodes")[0]


@for_each("mind", ["[bold]no markup[/bold]", ":smile:", "a\x1b[31mb"])
def test_names_are_shown_as_they_are(found, of, mind: str) -> None:
    text = as_text(of([replace(found[1], mind=mind)]), mind)
    assert mind.replace("\x1b", "") in text.replace("\n", "")
    assert "\x1b" not in text


def test_the_answer_comes_before_everything_else_and_is_short(whole) -> None:
    """As many minds as the demo has, two of them models."""
    first, *_ = whole.verdicts
    judged = [replace(first, mind=f"mind-{i}", model=i < 2) for i in range(8)]
    lines = as_text(replace(whole, verdicts=tuple(judged)), "A study").splitlines()
    (end,) = (i for i, line in enumerate(lines) if line.startswith("more: "))
    assert end <= 27
    assert sum(line.startswith("mind-") for line in lines[:end]) == 8
