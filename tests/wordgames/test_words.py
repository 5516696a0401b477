"""How replies in word games are read, and what questions ask."""

from collections.abc import Sequence

import numpy as np

from otherminds.core.data import Invalid, Whose
from otherminds.core.record import SeatSpec
from otherminds.replies.answers import asked
from otherminds.wordgames.game import EGO
from otherminds.wordgames.lexicon import read_lexicon
from otherminds.wordgames.partners import make_listener
from otherminds.wordgames.rules import GAMES, GameRules, ViewForm
from otherminds.wordgames.words import GameVerbalizer
from tests.cases import for_each


def read_as(labels: Sequence[str], reply: str, whose: Whose = "own") -> object:
    """What ``reply`` answers, where these are the options; ``None`` where it is no answer."""
    verbalizer = GameVerbalizer(
        GameRules("taboo", "mixed", 0.05, ()), ViewForm(GAMES["taboo"], 400, 4), 4, EGO
    )
    answer = verbalizer.read(asked("", labels, labels, whose), reply)
    return None if isinstance(answer, Invalid) else answer


WORD, DIAL, CLUE = ("dog", "cat", "stop"), ("position 3", "position 7"), ("street for 1", "street for 2")


@for_each(
    "labels, reply, label",
    [
        *(
            (WORD, reply, "dog")
            for reply in ("I would say dog", "I'd say Dog.", "I’ll name **dog**!", 'I choose "dog".')
        ),
        *(
            (WORD, reply, "dog")
            for reply in ("I will go with dog", "I pick the word dog", "A: I would say dog")
        ),
        *(
            (WORD, reply, "stop")
            for reply in ("I stop here", "I would stop.", "Stop here", "I'll stop now", "stop")
        ),
        *(
            (DIAL, reply, "position 7")
            for reply in ("I set the dial to 7", "I would say 7", "I'd guess position 7.", "dial 7")
        ),
        *(
            (CLUE, reply, "street for 2")
            for reply in ("I give the clue street for 2", "I'd say street, 2", "Street 2")
        ),
    ],
)
def test_an_answer_in_a_plain_sentence_is_read(labels: Sequence[str], reply: str, label: str) -> None:
    assert read_as(labels, reply) == label


@for_each(
    "reply",
    [
        "I would not say dog",
        "I would say dog or cat",
        "I would say dog. I would say cat.",
        "I would say dog, but cat is closer",
        "I would say dog if it were mine",
        "I would say dog?",
        "I would have said dog",
        "Should I stop here?",
        "I stop here or name dog",
        "I do not stop here",
        "I stop dog",
        "If I say dog I lose",
        "You would say dog",
        "My partner would say dog",
        "I would say bird",
        "I say",
        f"I would say{' ' * 10_000}dog, or{' ' * 10_000}",
    ],
)
def test_what_leaves_the_answer_open_is_not_read(reply: str) -> None:
    assert read_as(WORD, reply) is None


def test_an_own_choice_is_no_prediction_and_a_stop_is_none_where_nobody_may_stop() -> None:
    for reply in ("I name dog", "I choose dog", "I give the clue dog", "I pick dog"):
        assert read_as(WORD, reply, "other") is None
    for reply in ("I would say dog", "I think dog", "I'd guess dog.", "I expect dog"):
        assert read_as(WORD[:2], reply, "other") == "dog"
    assert read_as(WORD[:2], "I stop here") is None


def test_the_giver_of_a_clue_is_asked_for_a_second_word_as_if_the_first_were_ours() -> None:
    """So that its truth, the next word in the partner's ranking, answers it whatever the first word is."""
    game = GAMES["codenames-giver"]
    names = [f"word{number}" for number in range(game.size)]
    first, second = (game.ask_about(names, slot, ()) for slot in (2, 3))
    assert first == "Suppose that you give the clue word9 for 2. Which word does your partner name first?"
    assert "the first word that your partner names is ours. Which word does it name second?" in second
    listener, words, secrets = (
        make_listener(read_lexicon(), SeatSpec("thematic")),
        tuple(range(12)),
        np.array([0]),
    )
    truth = game.describe_partner(listener, words, ())
    for clue in range(4):
        moves = (2 * clue + 1,)
        named = int(game.reply(listener, words, secrets, moves)[0])
        after = int(game.reply(listener, words, secrets, (*moves, named, 0))[0])
        assert truth[2 * clue : 2 * clue + 2] == (named, after)
