import pytest

from otherminds.models.competent.model import OWN
from otherminds.models.competent.situation import Ability
from otherminds.replies.blocks import last_block
from tests.cases import for_each
from tests.models.competent import prompts

NAME = "the other player"
ROCK, PAPER = prompts.inventory("rock"), prompts.inventory("paper")
WON = prompts.duel(PAPER, ROCK)
PLAYED = [(PAPER, WON, ROCK)] * 3
CALLS = 300


def asked(lines, form, spec="competent", system=prompts.DUEL_SYSTEM, seed=0):
    return prompts.asked(spec, system, lines, form, seed)


def held(sentence, rows=PLAYED, name=NAME):
    return [*prompts.history(rows, name), f"The hypothesis about {name}:", sentence]


def test_what_they_played_is_inferred_from_the_reward():
    for kind in prompts.KINDS:
        reward = prompts.duel(PAPER, prompts.inventory(kind, 6))
        lines = prompts.history([(PAPER, reward, ...)])
        assert asked(lines, {"they_played": ROCK}) == {"they_played": prompts.inventory(kind)}


def test_a_strategy_is_said_in_its_sentence():
    assert asked(prompts.history(PLAYED), {"strategy": "x"}) == {"strategy": "They always play rock."}


def test_a_hypothesis_is_run_and_answered():
    sentence = "They play what does best against my last play."
    found = asked(held(sentence), {"they_play": ROCK, "i_play": ROCK})
    assert found == {"they_play": prompts.inventory("scissors"), "i_play": ROCK}


def test_a_prediction_told_is_what_the_choice_goes_by():
    lines = [*held("They always play rock."), f"Your prediction of what {NAME} will do:", repr(PAPER)]
    assert asked(lines, {"i_play": ROCK}) == {"i_play": prompts.inventory("scissors")}


def test_everything_at_once_is_what_the_steps_say():
    lines = prompts.history([*PLAYED, (PAPER, WON, None)])
    found = asked(lines, {"they_played": ROCK, "strategy": "x", "they_play": ROCK, "i_play": ROCK})
    assert found == {
        "they_played": ROCK,
        "strategy": "They always play rock.",
        "they_play": ROCK,
        "i_play": PAPER,
    }


def test_labels_are_behaviours_too():
    rows = [("J", 0, "F"), ("F", 1, "F"), ("F", 1, "F")]
    form = {"strategy": "x", "they_play": "J", "i_play": "J"}
    found = asked(prompts.history(rows), form, system=prompts.MATRIX_SYSTEM)
    assert found == {"strategy": "They always play F.", "they_play": "F", "i_play": "F"}


def test_without_payoffs_they_are_learned():
    rows = [("J", 0, "F"), ("F", 4, "F"), ("F", 4, "F"), ("J", 0, "F")]
    lines = [
        *held("They always play F.", rows),
        "What they can play: ['J', 'F']",
        "What you can play: ['J', 'F']",
    ]
    assert asked(lines, {"they_play": "J", "i_play": "J"}, system="A game.") == {
        "they_play": "F",
        "i_play": "F",
    }


def test_the_opening_is_kind_where_there_is_kindness_else_any():
    lines = [f"Your encounters with {NAME}:", "- none so far"]
    form = {"they_play": "J", "i_play": "F"}
    assert all(
        asked(lines, form, system=prompts.MATRIX_SYSTEM, seed=seed)["i_play"] == "J" for seed in range(5)
    )
    opened = {
        str(asked(lines, {"they_play": ROCK, "i_play": ROCK}, f"competent:seed={seed}")["i_play"])
        for seed in range(12)
    }
    assert len(opened) == 3


def test_among_several_those_are_sought_that_can_be_beaten():
    lines = [
        *held("They always play rock.", name="player 2"),
        *held("They always play scissors.", name="player 5"),
        *held("They always play rock.", name="player 7"),
    ]
    form = {"seek": ["player 2"], "they_play": ROCK, "i_play": ROCK}
    assert asked(lines, form) == {"seek": ["player 2", "player 7"], "they_play": ROCK, "i_play": PAPER}


def test_a_strategy_of_its_own_says_what_it_goes_by_and_is_read_back():
    devised = asked(prompts.history(PLAYED), {"my_strategy": "x", "i_play": ROCK})
    assert devised == {"my_strategy": f"{OWN}They always play rock.", "i_play": PAPER}
    lines = [*prompts.history(PLAYED), f"Your strategy: {OWN}They always play paper."]
    assert asked(lines, {"i_play": ROCK}) == {"i_play": prompts.inventory("scissors")}


@for_each(("kind", "outcome"), [("rock", "neutral"), ("paper", "positive"), ("scissors", "negative")])
def test_another_choice_is_judged_by_the_payoffs(kind, outcome):
    considered = f"The behaviour considered: {prompts.inventory(kind)}"
    # What they played is not told; the reward gives it away.
    lines = [*prompts.history([(PAPER, WON, None)]), considered]
    assert asked(lines, {"outcome": "neutral"}) == {"outcome": outcome}


@pytest.mark.parametrize(
    ("said", "match"), [("They pick up soup: 'picked up soup'", True), ("'stood around'", False)]
)
def test_a_prediction_is_judged_by_what_was_seen(said, match):
    lines = [
        f"Your prediction of what {NAME} will do:",
        said,
        f"What {NAME} did in the last encounter:",
        "['picked up soup', 'delivered soup']",
    ]
    assert asked(lines, {"match": True}) == {"match": match}


def test_feedback_says_what_failed():
    assert "again" in asked(["- move_to((1, 2), (3, 4)): failed (blocked)"], {"feedback": "x"})["feedback"]
    assert "should" in asked(["- move_to((1, 2), (3, 4)): done"], {"feedback": "x"})["feedback"]


@for_each("form", [{"colour": "red"}, {"strategy": "x"}, {"plan": ["a"]}, {"they_played": 1}, {}])
def test_what_is_not_understood_is_answered_in_plain_words(form):
    reply = prompts.said("competent", "Rules.", ["Nothing."], form)
    assert last_block(reply) is None
    assert reply.startswith("I ")


def test_insight_is_for_strategies_alone():
    spec, history = "competent:insight=0.3", prompts.history(PLAYED)
    found = sum(
        asked(history, {"strategy": "x"}, spec, seed=seed)["strategy"] == "They always play rock."
        for seed in range(CALLS)
    )
    # Four standard errors of a proportion of 0.3.
    assert abs(found / CALLS - 0.3) < 4 * (0.21 / CALLS) ** 0.5
    told = held("They always play rock.")
    assert all(asked(told, {"they_play": ROCK}, spec, seed=seed)["they_play"] == ROCK for seed in range(20))


@pytest.mark.parametrize(
    ("key", "lines", "right"),
    [
        ("they_played", prompts.history([(PAPER, WON, ...)]), ROCK),
        ("they_play", held("They always play rock."), ROCK),
        ("strategy", prompts.history(PLAYED), "They always play rock."),
    ],
)
def test_what_it_says_is_right_with_the_accuracy_it_has(key, lines, right):
    form = {key: ROCK if key != "strategy" else "x"}
    hits = sum(asked(lines, form, "competent:accuracy=0.7", seed=seed)[key] == right for seed in range(CALLS))
    # Four standard errors of a proportion of 0.7.
    assert abs(hits / CALLS - 0.7) < 4 * (0.7 * 0.3 / CALLS) ** 0.5


def test_what_it_does_is_best_with_the_rationality_it_has():
    form = {"they_play": ROCK, "i_play": ROCK}
    beats, found = {"rock": "paper", "paper": "scissors", "scissors": "rock"}, []
    for seed in range(CALLS):
        said = asked(
            held("They always play rock."), form, "competent:accuracy=0.5&rationality=0.7", seed=seed
        )
        coming, own = (max(said[key], key=said[key].get) for key in form)
        found.append((own == beats[coming], coming == "rock"))
    # Rational by what it says, whether that is right or not.
    assert abs(sum(rational for rational, _ in found) / CALLS - 0.7) < 4 * (0.7 * 0.3 / CALLS) ** 0.5
    assert abs(sum(right for _, right in found) / CALLS - 0.5) < 4 * (0.5 * 0.5 / CALLS) ** 0.5


def test_mistakes_are_spread_over_all_else():
    lines = held("They always play rock.")
    found = [
        max(said, key=said.get)
        for seed in range(CALLS)
        if (said := asked(lines, {"they_play": ROCK}, "competent:accuracy=0", seed=seed)["they_play"])
    ]
    assert {*found} == {"paper", "scissors"}
    assert abs(found.count("paper") / CALLS - 0.5) < 4 * (0.25 / CALLS) ** 0.5


def test_it_knows_nothing_but_the_prompt():
    form = {"they_play": ROCK, "i_play": ROCK}
    spec = "competent:accuracy=0.5&rationality=0.5"
    first = [asked(held("They always play rock."), form, spec, seed=seed) for seed in range(20)]
    assert first == [asked(held("They always play rock."), form, spec, seed=seed) for seed in range(20)]
    assert first != [
        asked(held("They always play rock."), form, f"{spec}&seed=1", seed=seed) for seed in range(20)
    ]
    assert Ability() == Ability(1.0, 1.0, None, 0)


def test_a_plan_without_a_target_finds_one_and_keeps_it_until_the_next_encounter():
    scene = [
        "Valid places for move_to: [(1, 1), (2, 1), (3, 1), (4, 1)]",
        "You are at: (1, 1), facing N",
        "You hold: {'rock': 1, 'paper': 1, 'scissors': 1}",
        *(f"Boxes of {kind} in view: [(({x}, 1), {x - 1})]" for x, kind in enumerate(prompts.KINDS, 2)),
    ]
    form, spec = {"plan": ["move_to((1, 1), (2, 1))"]}, "competent:accuracy=0.5&rationality=0.5"

    def plans(rows, spec):
        return {str(asked([*prompts.history(rows), *scene], form, spec, seed=seed)) for seed in range(6)}

    assert plans(PLAYED, "competent") == {"{'plan': ['move_to((1, 1), (3, 1))']}"}
    each = [plans([(PAPER, WON, None)] * n, spec) for n in range(1, 12)]
    assert all(len(found) == 1 for found in each)
    assert len(set.union(*each)) > 1
