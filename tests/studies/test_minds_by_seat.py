"""Minds by seat: in study files, on the command line and in the API, also in seats that the population usually fills."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import otherminds as om
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Population
from otherminds.games.registry import ipd
from otherminds.matrix.scenarios import build
from otherminds.minds.registry import prepare_setup
from otherminds.models.registry import open_model
from otherminds.play.loop import finish, play
from otherminds.studies.dry_run import estimate
from otherminds.studies.plan import StudyPlan, ego, plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides

MATRIX = "ipd-mixed-v1"
HOUSE = "household-nested_confirmation-v1"
ECHO, FIRST = "qa@scripted:echo_last", "qa@scripted:first"


def planned(
    tmp_path: Path, minds: str, scenario: str = MATRIX, episodes: int = 2, **overrides: object
) -> StudyPlan:
    path = tmp_path / "seats.toml"
    path.write_text(
        f'name = "seats"\nepisodes = {episodes}\n{"" if scenario == HOUSE else "rounds = 6"}\n'
        f'[[cells]]\nscenarios = ["{scenario}"]\nminds = [{minds}]\n'
    )
    return plan_file(path, RunOverrides(**overrides))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "minds",
    [
        f'{{ ego = "{ECHO}", partner_0 = "{FIRST}" }}',
        f'{{ ego = {{ mind = "qa", model = "scripted:echo_last" }}, partner_0 = "{FIRST}" }}',
        f'"ego={ECHO},partner_0={FIRST}"',
        f'{{ mind = "qa", model = "scripted:echo_last", seats = {{ partner_0 = "{FIRST}" }} }}',
    ],
)
def test_every_form_seats_the_same_minds(tmp_path: Path, minds: str) -> None:
    plan = planned(tmp_path, minds)
    expected = planned(tmp_path, f'{{ partner_0 = "{FIRST}", ego = "{ECHO}" }}')
    assert plan.episodes == expected.episodes
    spec = plan.episodes[0]
    assert [(seat, who.mind, who.model) for seat, who in spec.seats.items()] == [
        ("ego", "qa", "scripted:echo_last"),
        ("partner_0", "qa", "scripted:first"),
    ]
    assert list(plan.cells()) == [(MATRIX, f"{ECHO} with {FIRST}")]


def test_plain_minds_stand_beside_pairs(tmp_path: Path) -> None:
    plan = planned(
        tmp_path,
        f'"{ECHO}", {{ ego = "{ECHO}", partner_0 = "{ECHO}" }}, {{ ego = "rmax", partner_0 = "nash" }}',
    )
    assert [mind for _, mind in plan.cells()] == [ECHO, f"{ECHO} with {ECHO}", "rmax with nash"]


def test_a_label_names_a_pair(tmp_path: Path) -> None:
    plan = planned(tmp_path, f'{{ ego = "{ECHO}", partner_0 = "{FIRST}", label = "twins" }}')
    assert list(plan.cells()) == [(MATRIX, "twins")]


def test_a_run_of_a_pair_records_both_resumes_and_plays_again_alike(tmp_path: Path, heard) -> None:
    minds = f'{{ ego = "{ECHO}", partner_0 = "{FIRST}" }}'
    assert run(planned(tmp_path, minds), tmp_path / "out", heard) == {"scored": 2}
    assert run(planned(tmp_path, minds, episodes=4), tmp_path / "out", heard) == {"scored": 4}
    assert heard.done == 2
    _, records = results(tmp_path / "out")
    for record in records:
        assert {call.seat for call in record.calls} == {"ego", "partner_0"}
        assert record.partners == {}
        models = {name: open_model(name) for name in ("scripted:echo_last", "scripted:first")}
        assert finish(play(prepare_setup(record.spec, models)))[0].hash == record.hash
        again = om.play(
            MATRIX,
            {"partner_0": FIRST, "ego": SeatSpec("qa", {}, "scripted:echo_last", ego(record.spec).label)},
            seed=record.spec.seed,
            options={"rounds": 6},
        )
        assert again.hash == record.hash


def test_each_seat_is_asked_about_the_other_only_where_a_mind_sits(tmp_path: Path) -> None:
    pair = om.play(MATRIX, {"ego": "rmax", "partner_0": "nash"}, options={"rounds": 6})
    alone = om.play(MATRIX, "rmax", options={"rounds": 6})
    assert [(question.seat, question.about) for question in pair.questions] == [
        ("ego", "partner_0"),
        ("partner_0", "ego"),
    ]
    assert [question.seat for question in alone.questions] == ["ego"]
    for answer in pair.asked:
        row = pair.actions[answer.step]
        seat = pair.questions[answer.question].about
        assert answer.truth == ("cooperate", "defect")[row[pair.seats.index(seat)]]


def test_a_name_of_the_scenarios_partners_stays_a_partner_whose_policy_is_known(
    tmp_path: Path, heard
) -> None:
    run(planned(tmp_path, '{ ego = "rmax", partner_0 = "grim" }'), tmp_path / "out", heard)
    for record in results(tmp_path / "out")[1]:
        assert record.partners["partner_0"].automaton is not None
        assert record.bounds is not None
        assert record.bounds.informed is not None
    named = om.play(MATRIX, {"ego": "rmax", "partner_0": "tit_for_tat"}, options={"rounds": 6})
    given = om.play(MATRIX, "rmax", partners={"partner_0": SeatSpec("tit_for_tat")}, options={"rounds": 6})
    assert named.hash == given.hash


def test_a_list_plays_in_turn_in_one_seat(tmp_path: Path, heard) -> None:
    plan = planned(tmp_path, f'{{ ego = "rmax", partner_0 = ["tit_for_tat", "{FIRST}"] }}', episodes=4)
    assert [spec.seats["partner_0"].mind for spec in plan.episodes] == ["tit_for_tat", "qa"] * 2
    assert list(plan.cells()) == [(MATRIX, f"rmax with tit_for_tat or {FIRST}")]
    assert run(plan, tmp_path / "out", heard) == {"scored": 4}
    partners = sorted(len(record.partners) for record in results(tmp_path / "out")[1])
    assert partners == [0, 0, 1, 1]


def test_a_population_has_a_model_as_a_member() -> None:
    half = Fraction(1, 2)
    members = ((half, (SeatSpec("tit_for_tat"),)), (half, (SeatSpec("qa", {}, "scripted:first"),)))
    from dataclasses import replace

    scenario = replace(build(ipd(), "mixed", 6), population=Population(members))
    first, second = (om.play(scenario, "rmax", seed=seed) for seed in (0, 1))
    assert first.partners["partner_0"].name == "tit_for_tat"
    assert second.spec.seats["partner_0"].model == "scripted:first"
    assert {call.seat for call in second.calls} == {"partner_0"}
    session = om.session(scenario, ask=False, rewards="world")
    turn = session.reset(seed=1)
    while isinstance(turn, om.Turn):
        turn = session.step(turn.options[0])
    assert {call.seat for call in turn.record.calls} == {"ego", "partner_0"}


@pytest.mark.parametrize(
    ("minds", "scenario", "text"),
    [
        (
            '{ ego = "rmax", partner_7 = "nash" }',
            MATRIX,
            r"minds\[0\]: seats: partner_7 is no seat .* ego, partner_0",
        ),
        ('{ partner_0 = "nash" }', MATRIX, r"minds\[0\]: seats: ego is under test .* has no mind"),
        ('"ego=rmax,ego=nash"', MATRIX, "seat 'ego' is given twice"),
        ('"ego=,partner_0=nash"', MATRIX, "no mind is given for seat 'ego'"),
        ('{ ego = "rmax", ego = "nash" }', MATRIX, "TOML"),
        ('{ ego = ["rmax", "nash"], partner_0 = "nash" }', MATRIX, "ego is under test, so it has one mind"),
        ('{ ego = "rmax", partner_0 = [] }', MATRIX, "the list of partner_0 has no mind"),
        ('{ ego = "rmax", partner_0 = "nobody" }', MATRIX, "nobody"),
        (
            '{ ego = "rmax", partner_0 = "bayes" }',
            MATRIX,
            r"bayes needs a distribution of partners \(family\)",
        ),
        ('{ ego = "rmax", partner_0 = "qa" }', MATRIX, "qa.*needs a language model"),
        ('{ mind = "rmax", ego = "nash" }', MATRIX, r"minds\[0\]\.ego"),
        ("{ params = { a = 1 } }", MATRIX, "name a mind, or one for each seat"),
        ('{ agent_0 = "informed" }', HOUSE, "agent_1 is under test"),
    ],
)
def test_a_wrong_seat_is_named_with_its_place(tmp_path: Path, minds: str, scenario: str, text: str) -> None:
    with pytest.raises(om.StudyError, match=text):
        planned(tmp_path, minds, scenario)


def test_play_refuses_two_minds_for_one_seat() -> None:
    with pytest.raises(om.StudyError, match="two minds"):
        om.play(MATRIX, {"ego": "rmax", "partner_0": "nash"}, partners={"partner_0": SeatSpec("grim")})


def test_a_household_seats_different_minds(tmp_path: Path, heard) -> None:
    plan = planned(tmp_path, f'{{ agent_0 = "{FIRST}", agent_1 = "qa@scripted:uniform" }}', HOUSE, 1)
    assert list(plan.cells()) == [(HOUSE, f"{FIRST} + qa@scripted:uniform")]
    assert run(plan, tmp_path / "out", heard) == {"scored": 1}
    (record,) = results(tmp_path / "out")[1]
    assert {record.spec.seats[call.seat].model for call in record.calls} == {
        "scripted:first",
        "scripted:uniform",
    }


def test_the_command_line_seats_minds_in_a_split(tmp_path: Path) -> None:
    study = tmp_path / "split.toml"
    study.write_text(
        f'name = "split"\nepisodes = 1\n[[cells]]\nscenarios = ["{HOUSE}"]\nminds = ["random"]\n'
    )
    minds = ("agent_0=cot,agent_1=qa@scripted:first",)
    overrides = RunOverrides(("openai:m@https://gateway.example/token-4711/v1",), minds=minds)
    assert overrides.playing == ["agent_0=cot@MODEL,agent_1=qa@scripted:first"]
    assert overrides.specs == (*overrides.models, "", "scripted:first")
    secret = RunOverrides(minds=("a=qa@openai:m@https://gateway.example/token-4711/v1,b=random",))
    assert "token-4711" not in " ".join(secret.arguments())


def test_the_placeholder_is_filled_in_every_seat(tmp_path: Path) -> None:
    plan = planned(
        tmp_path, '{ ego = "qa@MODEL", partner_0 = ["grim", "cot@MODEL"] }', models=("scripted:first",)
    )
    assert {who.model for spec in plan.episodes for who in spec.seats.values()} == {"scripted:first", ""}


def test_a_dry_run_estimates_the_tokens_of_each_model(tmp_path: Path, heard) -> None:
    plan = planned(tmp_path, f'{{ ego = "{ECHO}", partner_0 = ["grim", "{FIRST}"] }}', episodes=4)
    (need,) = estimate(plan).values()
    run(plan, tmp_path / "out", heard)
    (played,) = estimate(plan, results(tmp_path / "out")[1]).values()
    assert need.models.keys() == played.models.keys() == {"scripted:echo_last", "scripted:first"}
    ours, theirs = (need.models[name].prompt for name in ("scripted:echo_last", "scripted:first"))
    assert ours == pytest.approx(2 * theirs, rel=0.1), (
        "one plays in every episode, the other in every second one"
    )
    assert played.calls == sum(len(record.calls) for record in results(tmp_path / "out")[1])
