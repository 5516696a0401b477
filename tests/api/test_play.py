"""One episode in one line."""

from __future__ import annotations

import asyncio
import pickle

import pytest

import otherminds as om
from otherminds.play.loop import play_now

THREE_LINES = """
import otherminds as om
record = om.play("ipd-tit_for_tat-v1", "rmax", seed=0)
print(om.score(record))
"""


def test_three_lines_play_and_score(capsys: pytest.CaptureFixture[str]) -> None:
    exec(THREE_LINES, {})
    shown = capsys.readouterr().out
    assert shown.startswith("Score of rmax in ipd-tit_for_tat-v1: 1 of 1 episodes scored, mean return 776\n")
    assert "functional (F)" in shown
    assert "no episode here is against" in shown, "one episode has no F, and the text says why"


def test_it_plays_the_episode_that_a_setup_makes() -> None:
    record = om.play("rps-mixed-v1", "rmax", seed=4, options={"rounds": 7})
    scenario, mind = om.scenarios.make("rps-mixed-v1", {"rounds": 7}), om.minds.make("rmax")
    assert om.play(scenario, mind, seed=4).hash == record.hash
    assert play_now(om.Setup(scenario, {"ego": mind}, seed=4))[0].hash == record.hash
    assert om.play("rps-mixed-v1", om.SeatSpec("rmax"), seed=4, options={"rounds": 7}).hash == record.hash


def test_a_model_follows_an_at_sign() -> None:
    record = om.play("ipd-single-v1", "qa@scripted:first", options={"rounds": 2})
    assert record.spec.seats["ego"] == om.SeatSpec("qa", {}, "scripted:first")
    assert record.calls


def test_every_seat_under_test_is_filled() -> None:
    team = om.play("household-remote_lights-v1", "random", options={"turns": 2})
    assert {seat.mind for seat in team.spec.seats.values()} == {"random"}
    seats = dict.fromkeys(team.seats, "random") | {team.seats[0]: om.SeatSpec("random", label="first")}
    assert (
        om.play("household-remote_lights-v1", seats, options={"turns": 2}).spec.seats["agent_0"].label
        == "first"
    )
    with pytest.raises(om.StudyError, match="one mind cannot play in all of them"):
        om.play("household-remote_lights-v1", om.minds.make("random"))


def test_it_plays_inside_a_running_event_loop_and_beside_others() -> None:
    alone = [om.play("ipd-single-v1", "qa@scripted:first", seed=k, options={"rounds": 2}) for k in range(2)]

    async def notebook() -> None:
        assert om.play("ipd-single-v1", "qa@scripted:first", options={"rounds": 2}).hash == alone[0].hash
        both = await asyncio.gather(
            *(om.aplay("ipd-single-v1", "qa@scripted:first", seed=k, options={"rounds": 2}) for k in range(2))
        )
        assert [record.hash for record in both] == [record.hash for record in alone]

    asyncio.run(notebook())


@pytest.mark.parametrize(
    ("scenario", "mind", "text"),
    [
        (
            "ipd-tit_for_tt-v1",
            "rmax",
            "no scenario is called 'ipd-tit_for_tt-v1'; did you mean ipd-tit_for_tat-v1",
        ),
        ("ipd-single-v1", "rmx", "no mind is called 'rmx'; did you mean rmax?"),
        ("ipd-single-v1", "coot@scripted:first", "no strategy is called 'coot'; did you mean cot"),
        ("ipd-single-v1", "qa@scriptd:first", "no model is called 'scriptd'; did you mean scripted"),
        ("ipd-single-v1", "qa", "strategy 'qa' needs a language model: write 'qa@MODEL'"),
    ],
)
def test_a_wrong_name_is_named_with_near_ones(scenario: str, mind: str, text: str) -> None:
    with pytest.raises(om.StudyError) as raised:
        om.play(scenario, mind)
    assert str(raised.value).startswith(text)
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_options_are_for_names() -> None:
    made = om.scenarios.make("ipd-single-v1")
    with pytest.raises(om.StudyError, match="is made already"):
        om.play(made, "rmax", options={"rounds": 3})


def test_a_record_is_shown_in_a_line_and_as_a_table() -> None:
    mind = om.SeatSpec("constant", {"behaviour": "cooperate"}, label="<script>")
    record = om.play("ipd-single-v1", mind, options={"rounds": 2})
    assert repr(record) == (
        "<Record of ipd-single-v1, seed 0, 2 steps, scored: ego constant(behaviour=cooperate) 16, partner_0 single(behaviour=0) 16>"
    )
    assert "<td>ego</td><td>constant(behaviour=cooperate)</td><td>16</td>" in record._repr_html_()
    assert "<script>" not in om.score(record)._repr_html_()
