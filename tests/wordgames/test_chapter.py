"""The chapter of a report on word games."""

import otherminds as om
from otherminds.wordgames.chapter import GameDetail, collect_rounds, keep_order, write_sheets

SCENARIO = "codenames-giver-mixed-v1"


def play_study(mind: str, **options: object) -> list[GameDetail]:
    records = [om.play(SCENARIO, mind, seed=seed, options=options) for seed in range(8)]
    return [detail for record in records if (detail := collect_rounds(record))]


def test_associations_have_rows_of_their_own() -> None:
    """Who takes everybody for taxonomic is right about these partners, and about no others."""
    episodes = keep_order({(SCENARIO, "one_kind"): 8}, play_study("one_kind"))
    (sheet,) = write_sheets(episodes)
    rows = {names[2]: [text for text, _ in cells] for names, cells in sheet.rows}
    assert rows.keys() == {"taxonomic", "thematic", "phonetic", "idiosyncratic"}
    assert rows["taxonomic"][0] == "100"
    assert all(float(cells[0]) < 50 for kind, cells in rows.items() if kind != "taxonomic")
    assert all(cells[-1] == "2" for cells in rows.values())
    assert all(float(cells[3]) < float(cells[4]) for cells in rows.values())


def test_episodes_without_answers_and_of_other_worlds_have_no_row() -> None:
    assert collect_rounds(om.play("rps-single-v1", "bayes", options={"rounds": 4})) is None
    swapped = om.play(SCENARIO, "bayes", seed=1, intervention="swap", options={"boards": 8})
    assert collect_rounds(swapped) is None
