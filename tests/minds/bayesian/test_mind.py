"""The Bayesian mind at play: what it shows, what it says, what it writes down."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from gymnasium.spaces import Discrete

from otherminds import Record, SeatSpec
from otherminds.core.contracts import MindContext
from otherminds.core.data import (
    THINKING,
    Brief,
    Encounter,
    Ended,
    Moment,
    Question,
    SkillChoice,
    Thinking,
    WeightedPolicy,
)
from otherminds.core.errors import StudyError
from otherminds.games.registry import automaton, games
from otherminds.measures.registry import Unknown, measures
from otherminds.minds.bayesian import Bayesian
from otherminds.play.loop import finish
from otherminds.play.seat_context import Now, SeatContext
from tests.cases import thinned

Cell = Callable[..., list[Record]]
RPS = games.get("rps")()
ROCK, PAPER, SCISSORS = RPS.behaviours[0]
SKILLS = ("collect", "fire_at", *RPS.behaviours[0])


def regret(records: list[Record]) -> float:
    found = [measures.get("delta_functional")(record) for record in records]
    return sum(x for x in found if not isinstance(x, Unknown)) / len(records)


@pytest.mark.parametrize(
    ("name", "prior", "bound"),
    [
        ("rps-single-v1", "family", 0.01),
        ("ibs-single-v1", "family", 0.035),
        ("ipd-single-v1", "family", 0.0),
        ("rps-tit_for_tat-v1", "mixed", 0.0),
        ("ipd-tit_for_tat-v1", "mixed", 0.06),
    ],
)
def test_granted_a_family_it_reaches_the_exact_bound(cell: Cell, name: str, prior: str, bound: float) -> None:
    records = cell(name, SeatSpec("bayesian", {"prior": prior}), 6 if name == "rps-single-v1" else 2)
    assert regret(records) <= 1.1 * bound + 0.001


def test_who_always_plays_rock_meets_paper_from_the_second_round_on(
    cell: Cell, moves: Callable[[Record], str]
) -> None:
    assert moves(cell("rps-single-v1", SeatSpec("bayesian"), 1, 30)[0])[1:] == "p" * 29


def test_with_its_own_library_it_plays_tit_for_tat_as_one_who_knows_it(
    cell: Cell, moves: Callable[[Record], str]
) -> None:
    """Peace to the last round, and there the defection that nothing can follow."""
    assert moves(cell("ipd-tit_for_tat-v1", SeatSpec("bayesian"), 1, 30)[0]) == "c" * 29 + "d"
    assert regret(cell("rps-tit_for_tat-v1", SeatSpec("bayesian"), 1)) < 0.05


@pytest.mark.parametrize(
    "name", thinned(["ipd-grim-v1", "ipd-win_stay_lose_shift-v1", "rps-cycler-v1", "rps-flip-v1"], 2)
)
def test_partners_of_other_files_are_found_out(cell: Cell, name: str) -> None:
    record = cell(name, SeatSpec("bayesian"), 1)[0]
    assert record.bounds is not None
    assert record.bounds.informed is not None
    assert record.total("ego") >= 0.9 * record.bounds.informed


def test_a_partner_outside_the_granted_family_is_left_to_the_library() -> None:
    """Granted constants, it meets one who goes round: the plan gives way, and it wins what it foresees."""
    mind = begun(
        "family",
        tuple(WeightedPolicy(1 / 3, automaton("single", RPS, 30, {"behaviour": b})) for b in range(3)),
    )
    won = 0.0
    for t in range(30):
        own, other = finish(mind.act()), t % 3
        assert isinstance(own, int)
        won = won + RPS.payoffs[own][other][0] if t >= 10 else 0.0
        meet(mind, t, own, other)
    assert won == 20


def test_it_answers_what_it_expects_and_notes_what_it_thinks() -> None:
    mind = begun()
    assert note(mind).encounter == 0
    assert note(mind).came is None
    for t in range(3):
        meet(mind, t, 0, 1)
    question = Question("next:partner_0", "ego", "before", "?", RPS.behaviours[1], 1 / 3, "partner_0")
    assert finish(mind.answer(question)) == PAPER
    thinking = note(mind)
    assert (thinking.encounter, thinking.came, thinking.scale) == (3, PAPER, "probability")
    assert thinking.target == SCISSORS
    assert len(mind.context.notes) == 4
    first = thinking.thoughts[0]
    assert (first.id, first.text, first.predicts, first.hit) == (
        thinking.used,
        "They always play paper.",
        PAPER,
        True,
    )
    assert len(thinking.thoughts) == 8
    assert [t.value for t in thinking.thoughts] == sorted((t.value for t in thinking.thoughts), reverse=True)


def test_where_it_gathers_it_gathers_little_for_a_stranger_and_much_for_an_acquaintance() -> None:
    mind = begun(skills=SKILLS, rounds=200)
    made = finish(mind.act())
    assert isinstance(made, SkillChoice)
    assert made.name == "collect"
    assert made.args[1] == 1
    gathered(mind, 1, tuple(1 + (kind == made.args[0]) for kind in (ROCK, PAPER, SCISSORS)))
    assert finish(mind.act()) == SkillChoice("fire_at", ())
    for t in range(4):
        meet(mind, 10 + t, 0, 0, held=(1, 1, 1))
    made = finish(mind.act())
    assert isinstance(made, SkillChoice)
    assert made.name == "collect"
    assert made.args[0] == PAPER
    assert made.args[1] > 3


def test_where_nothing_more_is_found_it_seeks_a_duel_all_the_same() -> None:
    mind = begun(skills=SKILLS, rounds=200)
    for t in range(4):
        meet(mind, t, 0, 0, held=(1, 1, 1))
    gathered(mind, 9, (1, 1, 1), ok=False)
    assert finish(mind.act()) == SkillChoice(PAPER, ())


def test_what_it_sees_a_stranger_gather_is_a_sign() -> None:
    mind = begun(skills=SKILLS, rounds=200)
    seen = (("partner_0", SCISSORS), ("partner_0", SCISSORS))
    gathered(mind, 1, (1, 1, 1), seen=seen)
    question = Question("next:partner_0", "ego", "before", "?", RPS.behaviours[1], 1 / 3, "partner_0")
    assert finish(mind.answer(question)) == SCISSORS
    made = finish(mind.act())
    assert isinstance(made, SkillChoice)
    assert made.args[0] == ROCK
    meet(mind, 2, 0, 1, held=(1, 1, 1))
    assert finish(mind.answer(question)) == PAPER, "a sign holds until the next encounter"


def test_a_bad_prior_and_a_missing_grant_are_refused() -> None:
    with pytest.raises(StudyError, match="'library', 'family' or 'mixed'"):
        Bayesian("flat")
    with pytest.raises(StudyError, match="payoffs"):
        Bayesian().begin(msgspec.structs.replace(brief(), game=None), context())


def brief(
    family: tuple[WeightedPolicy, ...] = (),
    skills: tuple[str, ...] = (),
    rounds: int = 0,
    others: tuple[str, ...] = ("partner_0",),
) -> Brief:
    return Brief(
        seat="ego",
        others=others,
        action_space=Discrete(3),
        behaviours=dict.fromkeys(("ego", *others), RPS.behaviours[0]),
        reward_range=(-1.0, 1.0),
        horizon=30,
        skills=skills,
        game=RPS,
        partners=family,
        rounds=rounds,
    )


def context() -> MindContext:
    return SeatContext("ego", 0, Now(), None, None)


def begun(
    prior: str = "library",
    family: tuple[WeightedPolicy, ...] = (),
    skills: tuple[str, ...] = (),
    rounds: int = 0,
) -> Bayesian:
    mind = Bayesian(prior)
    mind.begin(brief(family, skills, rounds), context())
    finish(mind.perceive(Moment(0, {"INVENTORY": (1, 1, 1)})))
    return mind


def meet(mind: Bayesian, step: int, own: int, other: int, held: tuple[int, ...] = (1, 1, 1)) -> None:
    did = {"ego": (RPS.behaviours[0][own],), "partner_0": (RPS.behaviours[1][other],)}
    reward = RPS.payoffs[own][other][0]
    met = Encounter(step, did, reward)
    finish(mind.perceive(Moment(step + 1, {"INVENTORY": held}, reward, (met,))))


def gathered(
    mind: Bayesian,
    step: int,
    held: tuple[int, ...],
    ok: bool = True,
    seen: tuple[tuple[str, str], ...] = (),
) -> None:
    ended = Ended(ok, "", SkillChoice("collect", (ROCK, 1)), seen)
    finish(mind.perceive(Moment(step, {"INVENTORY": held}, ended=ended)))


def note(mind: Bayesian) -> Thinking:
    kind, data = mind.context.notes[-1][1:]
    assert kind == THINKING
    return msgspec.convert(data, Thinking)
