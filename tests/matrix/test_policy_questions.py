"""Policy questions name the own option that is supposed, and worked examples answer them rightly."""

from __future__ import annotations

from itertools import permutations

from otherminds.core.data import SUPPOSING, Game, Moment, Question
from otherminds.core.scenario import scenario
from otherminds.games.best_response import imagine
from otherminds.games.registry import games
from tests.cases import for_each
from tests.matrix.test_examples import answer, brief, course, telling

NAMED = {name: games.get(name)() for name in ("rps", "ibs", "ipd")}


def supposing(game: Game, own: int) -> Question:
    return Question(f"{SUPPOSING}{game.behaviours[0][own]}", "ego", "before", "", game.behaviours[1], 0.5)


@for_each("game", NAMED.values(), ids=NAMED)
def test_worked_examples_answer_for_the_round_after_the_supposed_choice(game: Game) -> None:
    size = len(game.behaviours[0])
    for order in permutations(range(size)):
        told = telling(game, order)
        found = imagine(game, order, order, copying=True)
        for own in range(size):
            shown = told.examples(supposing(game, own), brief(game))
            for example, one in zip(shown, found, strict=True):
                state = one.partner.start
                for a, b in course(told, example):
                    assert one.partner.output[state][b] == 1
                    state = one.partner.next[state][b][a]
                coming = one.partner.output[state].index(1.0)
                after = one.partner.output[one.partner.next[state][coming][own]].index(1.0)
                assert answer(example) == told.other_names[after]
                assert f"Option {told.other_names[after]}" in example.splitlines()[-2], "the thoughts name it"


def test_a_copy_answers_what_is_supposed() -> None:
    game = NAMED["ipd"]
    for own, label in enumerate(("J", "F")):
        copied = telling(game, (0, 1), ("J", "F")).examples(supposing(game, own), brief(game))[1]
        assert f"To my Option {label} it would answer with Option {label} in the round after." in copied
        assert answer(copied) == label


def test_each_names_its_own_option_in_every_labelling_and_order() -> None:
    built = scenario("ipd-mixed-v1", {"rounds": 20, "policy_questions": True})
    questions = [probe.question for probe in built.probes if probe.question.supposed]
    assert [question.supposed for question in questions] == list(built.game.behaviours[0])
    for seed in range(16):
        drawn = built.drawn(seed)
        told = built.verbalizer(drawn, "ego")
        for own, question in enumerate(questions):
            ask = told.ask(question, Moment(10, None))
            assert f"If you choose Option {drawn['names'][0][own]} in this round" in ask.text
            assert "in the next round" in ask.text
            assert [drawn["names"][1][i] for i in drawn["order"]] == list(ask.labels)
            for label, option in zip(ask.labels, ask.options, strict=True):
                assert told.read(ask, ask.template.format(label)) == option
