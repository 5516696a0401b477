"""Which printed row a mind stands under."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from otherminds import SeatSpec
from otherminds.matrix.layouts import NamedMind, action_names, fit, named_minds, plain, reads_names
from otherminds.matrix.published import published
from otherminds.measures.cells import Cell
from tests.cases import for_each

SPOT = ("rps", "single")
STRATEGIES = sorted({row.strategy for row in published() if row.strategy})


@pytest.fixture(scope="module")
def mind(tabled, seated):
    """A seat as the layouts see it."""
    (cell,) = tabled(seated("rps-single-v1", SeatSpec("qa")))

    def make(seat: SeatSpec) -> NamedMind:
        shown = replace(cell, mind=seat.title, about=replace(cell.about, who=seat))
        (found,) = named_minds([shown], {SPOT: frozenset({"neutral"})})
        return found

    return make


@for_each("strategy", STRATEGIES)
def test_every_strategy_of_the_paper_fits_its_own_row_and_no_other(mind, strategy: str) -> None:
    found = mind(SeatSpec("any", model="m", label=f"{strategy}@m"))
    assert [other for other in STRATEGIES if fit(found, "Mistral Large 2", other)] == [strategy]


@for_each(
    ("label", "strategy"),
    [
        ("cot + 3-shot", "CoT + 3-Shot"),
        ("CoT 3-Shot@openai:gpt@http://localhost", "CoT + 3-Shot"),
        ("Plans/Insights*@m", "Plans + Insights"),
        ("Oracle +Max −History", "Oracle + Max - History"),
        ("s2a_cot", "S2A + CoT"),
        ("  QA ", "QA"),
    ],
)
def test_case_and_punctuation_do_not_matter(mind, label: str, strategy: str) -> None:
    found = mind(SeatSpec("any", model="m", label=label))
    assert [other for other in STRATEGIES if fit(found, "x", other)] == [strategy]


@for_each(
    ("seat", "strategy"),
    [
        (SeatSpec("qa", model="smollm2"), "QA"),
        (SeatSpec("social_lm", {"tries": 20}, model="openai:x"), "Social LM"),
        (SeatSpec("cot_3shot", model="m"), "CoT + 3-Shot"),
        (SeatSpec("oracle_max", {"history": False, "tries": 20}, model="m"), "Oracle + Max - History"),
        (SeatSpec("oracle_max", {"payoffs": False}, model="m"), "Oracle + Max - Payoffs"),
        (SeatSpec("reflexion", {"memory": 3}, model="m"), "Reflexion 3"),
        (SeatSpec("qa", {"history": False}, model="m"), None),
        (SeatSpec("qa", model="m", label="my own way@m"), None),
        (SeatSpec("nash"), None),
    ],
)
def test_without_a_label_the_parameters_name_the_strategy(mind, seat: SeatSpec, strategy: str | None) -> None:
    found = mind(seat)
    assert [other for other in STRATEGIES if fit(found, "x", other)] == ([strategy] if strategy else [])


def test_titles_part_into_strategy_and_model(mind) -> None:
    for seat, parts in (
        (SeatSpec("qa", {"tries": 20}, model="openai:x"), ("qa(tries=20)", "openai:x")),
        (SeatSpec("qa", model="openai:x", label="QA@mine"), ("QA", "mine")),
        (SeatSpec("qa", model="openai:x", label="QA"), ("QA", "openai:x")),
        (SeatSpec("bayes", {"prior": "mixed"}), ("bayes(prior=mixed)", "")),
    ):
        found = mind(seat)
        assert (found.strategy, found.model) == parts


def test_the_yardstick_fits_the_tabular_learner_whatever_its_label(mind) -> None:
    for seat in (SeatSpec("rmax"), SeatSpec("rmax", label="ours"), SeatSpec("any", label="tabular")):
        assert fit(mind(seat), "Tabular", "") == 1
        assert not fit(mind(seat), "DeepSeek-R1 Distilled 32B", "")
    assert not fit(mind(SeatSpec("factored_rmax")), "Tabular", "")


def test_the_model_makes_a_better_fit(mind) -> None:
    found = mind(SeatSpec("qa", model="x", label="QA@llama-3 70b instruct"))
    assert fit(found, "LLAMA-3 70B Instruct", "QA") == 2
    assert fit(found, "Mistral Large 2", "QA") == 1
    assert fit(found, "LLAMA-3 70B Instruct", "CoT") == 0


def test_action_names_are_the_scenario_s_own_where_none_are_given(found) -> None:
    cell: Cell = found[0]
    assert action_names(cell) == "neutral"
    assert action_names(replace(cell, about=replace(cell.about, names="letters"))) == "letters"
    assert action_names(replace(cell, about=replace(cell.about, game="stag_hunt"))) == "canonical"
    assert not reads_names(cell)
    seat = SeatSpec("qa", model="m")
    assert reads_names(replace(cell, about=replace(cell.about, who=seat)))


def test_names_without_letters_are_no_key() -> None:
    assert plain(" +-−*/ ") == ""
    assert plain("S2A + CoT") == "s2acot"
