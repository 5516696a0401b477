"""What a report says of pairs of minds: figures of each seat, and no verdict where the other's policy is unknown."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest

import otherminds as om
from otherminds.measures.literal import right
from otherminds.measures.pairs import PairRow, pair_episode, pair_rows
from otherminds.reports.findings import Findings, findings
from otherminds.reports.table import as_text
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from tests.cases import thinned
from tests.studies.conftest import Heard


def measured(folder: Path, scenario: str, minds: str, episodes: int = 4) -> Findings:
    path = folder / "pairs.toml"
    rounds = "rounds = 12\n" if scenario.startswith(("ipd", "rps")) else ""
    path.write_text(
        f'name = "pairs"\nepisodes = {episodes}\n{rounds}[[cells]]\nscenarios = ["{scenario}"]\nminds = [{minds}]\n'
    )
    plan = plan_file(path)
    run(plan, folder / "out", Heard())
    return findings(plan.cells(), results(folder / "out")[1], {}, {}, curves=False)


def test_each_seat_has_its_payoff_and_its_predictions_of_what_the_other_did(tmp_path: Path) -> None:
    made = measured(tmp_path, "ipd-mixed-v1", '{ ego = "qa@competent", partner_0 = "qa@scripted:echo_last" }')
    rows: list[PairRow] = list(made.worlds["pairs"])
    records = list(results(tmp_path / "out")[1])
    assert [row.seat for row in rows] == ["ego", "partner_0"]
    assert [row.player for row in rows] == ["qa@competent", "qa@scripted:echo_last"]
    for row in rows:
        assert row.payoff.mean == pytest.approx(fmean(record.total(row.seat) / 12 for record in records))
        shares = []
        for record in records:
            own = [a for a in record.asked if record.questions[a.question].seat == row.seat]
            assert len(own) == 12
            shares.append(fmean(map(right, own)))
        assert row.right.mean == pytest.approx(fmean(shares))
        assert row.chance == 0.5
        assert row.fitted is not None


def test_the_fit_of_a_seat_is_of_the_others_play(tmp_path: Path) -> None:
    defector = '{ mind = "constant", params = { behaviour = "defect" } }'
    made = measured(tmp_path, "ipd-mixed-v1", f'{{ ego = "random", partner_0 = {defector} }}')
    ego, partner = made.worlds["pairs"]
    assert ego.fitted.best_reply == pytest.approx((5, 5), abs=0.3), "the best reply to a defector earns 5"
    assert partner.fitted.best_reply[1] > 6, "and it earns more from a player at random"


@pytest.mark.parametrize(
    "partner", thinned(['["nash", "qa@scripted:first"]', '"nash"', '"qa@scripted:first"'], 3)
)
def test_there_is_no_verdict_where_the_partners_policy_is_unknown_and_a_sentence_says_so(
    tmp_path: Path, partner: str
) -> None:
    made = measured(tmp_path, "rps-mixed-v1", f'{{ ego = "rmax", partner_0 = {partner} }}')
    (verdict,) = made.verdicts
    assert verdict.kind == "not measured"
    assert "the partner is a mind, and its policy is not known" in verdict.sentence
    (cell,) = made.cells
    assert {cell.functional.mean, cell.literal.mean} == {None}
    text = " ".join(as_text(made, "pairs").split())
    assert "its policy is not known" in text
    assert "no verdict" in text


def test_a_known_partner_keeps_its_scores_and_has_no_such_chapter(tmp_path: Path) -> None:
    made = measured(tmp_path, "rps-mixed-v1", '{ ego = "rmax", partner_0 = "tit_for_tat" }')
    assert "pairs" not in made.worlds
    assert made.cells[0].about.partners
    for record in results(tmp_path / "out")[1]:
        assert record.bounds is not None
        assert record.bounds.informed is not None


def test_partners_in_turn_have_rows_of_their_own(tmp_path: Path) -> None:
    made = measured(
        tmp_path, "ipd-mixed-v1", '{ ego = "rmax", partner_0 = ["nash", "tit_for_tat", "random"] }', 6
    )
    assert {row.player for row in made.worlds["pairs"]} == {"rmax", "nash", "random"}
    assert len(made.worlds["pairs"]) == 4


def test_duels_of_a_gridworld_are_rounds() -> None:
    record = om.play("pd-repeated-0-v1", {"ego": "random", "partner_0": "random"})
    duels = len(record.met["ego"])
    (episode,) = filter(None, [pair_episode(record)])
    assert len(episode.rounds) == duels > 0
    assert episode.seats[0].payoff == pytest.approx(record.total("ego") / duels)
    rows = pair_rows({(episode.scenario, episode.mind): 1}, [episode])
    assert [row.fitted for row in rows] == [None, None], "one episode cannot be held out"
