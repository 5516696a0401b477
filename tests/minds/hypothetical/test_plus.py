"""`hypothetical_plus`: as `bayesian`, and better where a model writes what the library lacks."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import pytest
from gymnasium.spaces import Discrete

from otherminds import Mind, Record, SeatSpec
from otherminds.core.data import Brief, Encounter, Invalid, Message, Moment, Partner
from otherminds.core.encoding import derive
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding, Model
from otherminds.core.record import prompts
from otherminds.core.scenario import Participant, Population, Scenario, Setup, scenario
from otherminds.games.automata import unfold
from otherminds.games.expressions import BehaviourNames, program
from otherminds.games.player import AutomatonPlayer
from otherminds.games.registry import rps
from otherminds.minds.hypothetical.plus import (
    Author,
    HypotheticalPlus,
    form,
    name_behaviours,
    possible,
    rename_behaviours,
)
from otherminds.minds.registry import make_mind
from otherminds.models.scripted import ScriptedModel
from otherminds.play.loop import finish, play_now
from otherminds.play.seat_context import Now, SeatContext
from otherminds.replies.blocks import blocks
from otherminds.testing import MindConformance
from tests.cases import depth, for_each, thinned

PLUS = SeatSpec("hypothetical_plus", model="scripted:test")
EAGER = SeatSpec("hypothetical_plus", {"every": 1}, model="scripted:test")
BAYESIAN = SeatSpec("bayesian")
NAMES = {"rps": ["rock", "paper", "scissors"], "ipd": ["cooperate", "defect"]}

BLOCKS = "if (round // 5 + round) % 2 == 0 then 'rock' else 'paper'"
"""By the parity of the round, which turns over every fifth."""
JOINT = "if their(2) == mine(2) then 'rock' else next(mine(2))"
"""By what both did two rounds ago."""

Reply = Callable[[Sequence[Message], Decoding], str]


def against(text: str, rounds: int = 60, names: Any = None, game: str = "rps") -> Scenario:
    """A matrix game against a partner that follows a program, written as the ego would write it."""
    built = scenario(f"{game}-single-v1", {"rounds": rounds, "names": names or NAMES[game]})
    assert built.game is not None
    followed = program(text, BehaviourNames(*built.game.behaviours, built.game)).predictor(text)
    own, theirs = (len(names) for names in built.game.behaviours)
    automaton = unfold(
        followed.start,
        followed.output,
        followed.after,
        (theirs, own),
        rounds,
    )
    return replace(
        built,
        population=Population(((Fraction(1), (SeatSpec("written"),)),)),
        partner=lambda spec, seat: (AutomatonPlayer(automaton), Partner(spec.mind)),
        bounds=None,
    )


def played(built: Scenario, mind: SeatSpec, reply: Reply | None = None, seed: int = 0) -> Record:
    ego = Participant(make_mind(mind), ScriptedModel(reply) if reply else None)
    return play_now(Setup(built, {"ego": ego}, seed))[0]


@cache
def without_a_model() -> tuple[Scenario, Record]:
    built = against(JOINT, 24)
    return built, played(built, BAYESIAN)


@cache
def helped(text: str) -> Record:
    """An episode with a model that says the right program."""
    return played(against(text), PLUS, says(text))


def says(text: str, sentence: str = "They have a pattern.") -> Reply:
    return lambda messages, decoding: f"Let me think.\n{ {'strategy': sentence, 'predictor': text}!r}"


def shown(record: Record) -> list[str]:
    return [encounter.did["ego"][0] for encounter in record.met["ego"]]


def score(record: Record) -> float:
    return sum(encounter.reward for encounter in record.met["ego"]) / len(record.met["ego"])


def kinds(record: Record, kind: str) -> list[Any]:
    return [note.data for note in record.notes if note.kind == kind]


@pytest.mark.parametrize("text", thinned([BLOCKS, JOINT], 2))
def test_the_right_program_raises_the_score_clearly(text: str) -> None:
    alone = score(played(against(text), BAYESIAN))
    assert score(helped(text)) > alone + 0.15
    assert score(helped(text)) > 0.8


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        "I cannot know that.",
        "{}",
        "{'strategy': 'They copy.'}",
        "{'strategy': 'They copy.', 'predictor': 'mine(0)'}",
        "{'strategy': 'They copy.', 'predictor': 3}",
        "{'strategy': '', 'predictor': 'mine(1)'}",
        "{'strategy': 'They copy.', 'predictor': '__import__(1)'}",
        "{'they_played': 'well'}",
        "<think>{'strategy': 'They copy.', 'predictor': 'mine(1)'}",
    ],
)
def test_a_model_that_says_nothing_of_use_changes_no_decision(garbage: str) -> None:
    built, alone = without_a_model()
    record = played(built, PLUS, lambda messages, decoding: garbage)
    assert shown(record) == shown(alone)
    asked = [call for call in record.calls if call.attempt == 0]
    assert 2 <= len(asked) <= 4, "after 5 encounters, then after twice as many each time"
    assert len(record.calls) == 3 * len(asked) == len(kinds(record, "unusable"))
    assert [note["kept"] for note in kinds(record, "fallback")] == [
        "no new hypothesis; those there are stay"
    ] * len(asked)


@for_each(
    ("name", "steps"), [("rws-repeated-1-v1", 120), ("pd-repeated-3-v1", 120), ("rws-arena-mixed-v1", 200)]
)
def test_so_it_is_in_the_matrix_worlds(name: str, steps: int) -> None:
    built = scenario(name, {"steps": steps})
    record = played(built, EAGER, lambda messages, decoding: "Well.")
    assert record.calls
    assert record.actions == played(built, BAYESIAN).actions


@pytest.mark.slow
@for_each("name", ["rws-repeated-1-v1", "pd-repeated-3-v1", "rws-arena-3-v1"])
def test_so_it_is_in_the_matrix_worlds_for_long(name: str) -> None:
    built = scenario(name, {"steps": 400})
    assert shown(played(built, PLUS, lambda messages, decoding: "Well.")) == shown(played(built, BAYESIAN))


@pytest.mark.parametrize("steps", depth(300, 900))
def test_among_several_a_program_about_one_is_a_hypothesis_about_all(steps: int) -> None:
    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        return says("noisy(best_reply(most(mine)), 0.2)", "They wait.")(messages, decoding)

    built = scenario("rws-arena-mixed-v1", {"steps": steps})
    record = played(built, EAGER, reply)
    assert record.outcome.status == "scored"
    assert any(call.purpose.startswith("hypothesise:partner_") for call in record.calls)


def test_a_wrong_program_does_little_harm() -> None:
    built = against("if mine(1) == 'rock' then 'paper' else mine(1)", 40)
    assert (
        score(played(built, PLUS, says("cycle('rock', 'rock', 'paper')")))
        > score(played(built, BAYESIAN)) - 0.1
    )


def test_where_the_library_explains_the_partner_nothing_is_asked() -> None:
    record = played(scenario("rps-single-v1", {"rounds": 40}), PLUS, says(BLOCKS))
    assert record.calls == ()


def test_a_faulty_program_is_asked_for_again_with_what_is_wrong_with_it() -> None:
    def reply(messages: Sequence[Message], decoding: Decoding) -> str:
        mended = "there are no lists" in messages[-1].content
        return says(JOINT if mended else "their[2]")(messages, decoding)

    record = played(against(JOINT), PLUS, reply)
    assert [call.attempt for call in record.calls[:2]] == [0, 1]
    assert (
        "'predictor': '[' is no part of the language (there are no lists"
        in kinds(record, "unusable")[0]["reason"]
    )
    assert kinds(record, "fallback") == []
    assert score(record) > 0.8


def test_a_prompt_shows_history_hypotheses_and_the_language_in_the_words_of_the_episode() -> None:
    record = played(against(JOINT, 30, names="neutral"), PLUS, lambda messages, decoding: "")
    system, user = prompts(record.calls)[0]
    labels = record.drawn["names"][0]
    lines = user.content.splitlines()
    assert "Your encounters with the other player:" in lines
    assert sum(line.startswith("- round ") for line in lines) == 5
    earlier = lines.index("Your earlier hypotheses about the other player:")
    assert all(line.startswith("- [0.") for line in lines[earlier + 1 : earlier + 4])
    assert f"Their behaviours: {', '.join(map(repr, labels))}" in lines
    assert lines[-1].startswith("Answer with one Python dictionary in this form: {'strategy': ")
    assert not any(name in system.content + user.content for name in ("rock", "paper", "scissors", "Rock"))


def test_every_example_in_a_prompt_can_be_read() -> None:
    record = played(against(JOINT, 30, names="neutral"), PLUS, lambda messages, decoding: "")
    labels = record.drawn["names"]
    wanted = form(BehaviourNames(tuple(labels[0]), tuple(labels[1]), rps()))
    examples = [block for block in blocks(prompts(record.calls)[0][1].content) if isinstance(block, dict)]
    assert len(examples) == 6
    for example in examples:
        assert not isinstance(wanted.read(repr(example)), Invalid)


def test_questions_get_the_prediction_of_the_belief_and_change_nothing() -> None:
    record = helped(BLOCKS)
    right = [asked.answer == asked.truth for asked in record.asked]
    assert len(right) == 60
    assert sum(right[20:]) >= 38


def test_what_it_thinks_is_noted_after_every_encounter_with_what_came_of_it() -> None:
    record = played(against(JOINT, 40), PLUS, says(JOINT, "They look two rounds back."))
    notes = kinds(record, "thinking")
    assert [note["encounter"] for note in notes] == list(range(41))
    came = [met.did["partner_0"][0] for met in record.met["ego"]]
    for before, after, did in zip(notes, notes[1:], came, strict=False):
        assert after["came"] == did
        assert after["scale"] == "probability"
        foretold = {thought["id"]: thought["predicts"] for thought in before["thoughts"]}
        for thought in after["thoughts"]:
            if thought["id"] in foretold:
                assert thought["hit"] == (foretold[thought["id"]] == did)
    assert [t["hit"] for t in notes[5]["thoughts"] if "Program" in t["text"]] == [None]
    written = f"They look two rounds back. Program: {JOINT}"
    assert [t["text"] for t in notes[-1]["thoughts"] if t["id"] == notes[-1]["used"]] == [written]


class TestPromises(MindConformance):
    """It keeps the promises of a mind, with a model that is of use at times."""

    seeds = (0,)

    def make_mind(self) -> Mind:
        return make_mind(PLUS)

    def make_scenario(self) -> Scenario:
        return against(JOINT, 14)

    def make_models(self) -> dict[str, Model]:
        def reply(messages: Sequence[Message], decoding: Decoding) -> str:
            texts = [JOINT, BLOCKS, "mine(1)", "mine(0)", "cycle('rock', 'paper')"]
            return says(texts[derive(decoding.seed, messages[-1].content) % len(texts)])(messages, decoding)

        return {"ego": ScriptedModel(reply)}


class Watched(HypotheticalPlus):
    """Shows what it believes."""

    def weight(self, text: str) -> float:
        belief = self._believed["partner_0"].filter
        return float(sum(w for w, p in zip(belief.weights, belief.predictors, strict=True) if p.name == text))


def seated(reply: Reply, others: int = 1) -> Watched:
    """In a seat by hand, so that what is heard can be left in doubt."""
    game = rps()
    built = scenario("rps-single-v1", {"names": NAMES["rps"]})
    assert built.verbalizer is not None
    names = dict.fromkeys(("ego", "partner_0"), game.behaviours[0])
    brief = Brief("ego", ("partner_0",), Discrete(3), names, (-1.0, 1.0), 100, game=game)
    drawn = {"names": [NAMES["rps"]] * 2, "order": [0, 1, 2]}
    mind = Watched()
    mind.begin(brief, SeatContext("ego", 0, Now(), built.verbalizer(drawn, "ego"), ScriptedModel(reply)))
    return mind


def hear(mind: HypotheticalPlus, step: int, could: tuple[str, ...], own: str = "rock") -> None:
    met = Encounter(step, {"ego": (own,), "partner_0": could}, 0.0)
    finish(mind.perceive(Moment(step + 1, 0, 0.0, (met,))))


def test_a_new_program_is_judged_by_all_that_has_been() -> None:
    cycle = "cycle('rock', 'rock', 'paper', 'scissors', 'paper')"
    mind = seated(says(cycle))
    hear(mind, 0, ("rock",))
    for step in range(1, 24):
        hear(mind, step, (["rock", "rock", "paper", "scissors", "paper"][step % 5],))
    assert mind.weight(cycle) > 0.5
    wrong = seated(says("cycle('paper', 'scissors')"))
    for step in range(24):
        hear(wrong, step, (["rock", "rock", "paper", "scissors", "paper"][step % 5],))
    assert wrong.weight("cycle('paper', 'scissors')") < 1e-3


def test_a_program_made_from_what_it_explains_counts_for_more_only_as_it_foresees_more() -> None:
    shown = ["rock", "paper", "rock", "scissors", "scissors", "paper", "paper", "rock", "scissors", "rock"]
    learnt = f"cycle({', '.join(map(repr, shown[:5]))}, 'rock', 'rock', 'rock', 'rock', 'rock')"
    mind = seated(says(learnt))
    weights = []
    for step, did in enumerate(shown):
        hear(mind, step, (did,))
        weights.append(mind.weight(learnt))
    assert weights[3] == 0
    assert weights[4] == pytest.approx(0.1, abs=0.02)
    assert weights[6] < 0.01


def test_a_program_that_is_said_again_is_taken_in_once() -> None:
    mind = seated(says("'rock' if true else 'paper'"))
    before = len(mind._believed["partner_0"].filter.predictors)
    rng = Random(0)
    for step in range(40):
        hear(mind, step, (rng.choice(["rock", "paper", "scissors"]),))
    assert len([call for call in mind.context.calls if call.attempt == 0]) >= 2
    assert len(mind._believed["partner_0"].filter.predictors) == before + 1


def test_what_a_partner_did_is_asked_only_where_two_are_possible_and_the_belief_does_not_tell() -> None:
    mind = seated(lambda messages, decoding: "{'they_played': 'scissors'}")
    hear(mind, 0, ("rock",))
    hear(mind, 1, ("rock", "paper", "scissors"))
    assert mind.context.calls == []
    hear(mind, 2, ("paper", "scissors"))
    assert [call.purpose for call in mind.context.calls] == ["infer"]
    asked = mind.context.calls[0].messages[-1].content
    assert (
        "- round 3: you played 'rock', your reward 0\nWhat they may have played: ['paper', 'scissors']"
        in asked
    )
    assert mind._work.others["partner_0"].rows[-1].theirs == "scissors"
    assert mind._believed["partner_0"].filter.history[-1].theirs == (0.0, 0.25, 1.0)


def test_what_cannot_have_been_is_not_believed() -> None:
    mind = seated(lambda messages, decoding: "{'they_played': 'rock'}")
    hear(mind, 0, ("paper", "scissors"))
    assert [call.attempt for call in mind.context.calls] == [0, 1, 2]
    assert (
        "rules that out; what is left are ['paper', 'scissors']" in mind.context.calls[1].messages[-1].content
    )
    assert mind._believed["partner_0"].filter.history[-1].theirs == (0.0, 1.0, 0.25)
    assert mind._work.others["partner_0"].rows[-1].theirs is None


def test_questions_come_seldom_where_they_bring_nothing() -> None:
    class Poor:
        theirs = 2

        def fit(self, last: int) -> float:
            return 0.5

    author = Author(5, 5)
    due = [author.due(Poor()) for _ in range(80)]  # pyright: ignore[reportArgumentType]
    assert [i + 1 for i, asks in enumerate(due) if asks] == [5, 15, 35, 75]


def test_names_are_labels_where_behaviours_are_written_as_words() -> None:
    built = scenario("rps-single-v1", {"names": "neutral"})
    assert built.verbalizer is not None
    scaffold = built.verbalizer({"names": [["J", "F", "B"]] * 2, "order": [2, 0, 1]}, "ego").scaffolds["own"]
    names = name_behaviours(scaffold, rps().behaviours[0], "ego")
    assert set(names) == {"rock", "paper", "scissors"}
    assert set(names.values()) == {scaffold.written(name, "ego") for name in names}
    game = rename_behaviours(rps(), names, names)
    assert game.payoffs == rps().payoffs
    assert game.behaviours[0] == tuple(names.values())
    label = names["paper"]
    assert possible(scaffold, "partner_0", ("paper", "rock")).read(f"{{'they_played': {label!r}}}") == {
        "they_played": "paper"
    }


@for_each("params", [{"every": 0}, {"every": True}, {"tries": 0}, {"temperature": -1}])
def test_bad_parameters_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(StudyError):
        make_mind(SeatSpec("hypothetical_plus", params, model="scripted:first"))


def test_it_needs_a_model() -> None:
    with pytest.raises(StudyError, match="needs a language model"):
        make_mind(SeatSpec("hypothetical_plus"))
