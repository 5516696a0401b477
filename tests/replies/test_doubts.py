"""Kinds of doubt about a stated choice, with labels of every sort; replies here were written with the rules."""

from __future__ import annotations

from otherminds.core.data import Invalid
from otherminds.replies.answers import asked, choice, read
from otherminds.replies.doubts import doubt
from tests.cases import for_each

JF, MOVES, NUMBERS, LETTERS = ("J", "F"), ("cooperate", "defect"), ("1", "2"), ("A", "B")
STREETS, HANDS, WORDS = ("North Street", "South Street"), ("rock", "paper", "scissors"), ("I", "O")


@for_each(
    ("labels", "after", "kind"),
    [
        (JF, "?", "question"),
        (JF, " gives 8", "payoff"),
        (JF, "\nB: Option F", "list"),
        (LETTERS, "\nB: Option B", "list"),
        (JF, " last round", "past"),
        (JF, " would be a mistake", "predicate"),
        (JF, " is not my choice", "predicate"),
        (JF, " unless they defect.", "condition"),
        (JF, ", as long as they do", "condition"),
        (MOVES, " if they cooperate", "condition"),
        (JF, " with probability 0.7", "mixture"),
        (HANDS, " 1/3 of the time, 33% paper", "mixture"),
        (JF, " (or maybe F)", "alternative"),
        (JF, ", then Option F", "alternative"),
        (NUMBERS, " or 2", "alternative"),
        (STREETS, " / South Street", "alternative"),
        (WORDS, " or O.", "alternative"),
        (JF, ", maybe.", "hedge"),
        (JF, " or something", "hedge"),
        (JF, ". Wait, actually", "retraction"),
        (JF, "\n\nHmm, no, that's wrong. The correct answer is", "retraction"),
        (JF, ". I take that back.", "retraction"),
        (JF, ". I should have said F.", "retraction"),
        (MOVES, ", no, defect", "alternative"),
        (JF, ", no, sorry", "retraction"),
        (JF, " because it is best. " * 1000, "endless"),
        (JF, ". Let me change that to F.", "other answer"),
        (JF, ". Ok, F.", "other answer"),
        (JF, ". That was a mistake.", "retraction"),
        (JF, ". J is right. Wait, no.", "retraction"),
        (JF, ". I stick with that. Sorry, no.", "retraction"),
        (JF, ". I'm not confident in this answer.", "indecision"),
        (JF, ". I'm 50/50.", "indecision"),
        (JF, ". What about F?", "question"),
        (JF, ". But", "unfinished"),
        (JF, ". I can't decide.", "indecision"),
        (JF, ". Either option would work.", "indecision"),
        (JF, ". Or F.", "alternative"),
        (STREETS, ". Alternatively, South Street.", "alternative"),
        (JF, ". Option F.", "other answer"),
        (JF, ". My real choice is F.", "other answer"),
        (NUMBERS, ". So I choose Option 2.", "other answer"),
        (JF, "\n\nCase 2: they defect.", "other case"),
        (JF, ". But only if they do too.", "other case"),
        (JF, ". Otherwise I'd take F.", "alternative"),
        (JF, ". However, Option F is equally good.", "indecision"),
        (JF, ". F is better.", "praise"),
        (JF, ". But I could also choose Option F.", "praise"),
    ],
)
def test_words_after_a_choice(labels: tuple[str, ...], after: str, kind: str) -> None:
    assert doubt("", after, labels[0], labels) == kind


@for_each(
    ("before", "kind"),
    [
        ("If they play J, then ", "condition"),
        ("If they play J:\n", "condition"),
        ("I do not answer ", "negation"),
        ("For example:\n\n", "quotation"),
        ("The output looks like this, e.g. ", "quotation"),
        ("Write exactly one of these lines:\n", "quotation"),
        ("Respond in the format:\n", "instruction"),
        ("Maybe ", "hedge"),
        ("Or\n", "alternative"),
        ("With 70% chance ", "mixture"),
    ],
)
def test_words_before_a_choice(before: str, kind: str) -> None:
    assert doubt(before, "", "J", JF) == kind


@for_each(
    ("labels", "before", "after"),
    [
        (JF, "", ". I'm not sure what the other player will do, but J is safe."),
        (JF, "", ". I could choose F, but that would end cooperation."),
        (JF, "", " (10 points if the other player picks J, 5 otherwise)"),
        (JF, "", ", because if they pick F I still get 5."),
        (JF, "", ". If they defect, I'll switch to Option F next round."),
        (JF, "", ". Although Option F would give me 10 points, it risks retaliation."),
        (JF, "", "\n\nWait, let me check: J gives 8. OK, so J is right."),
        (JF, "", ". Wait, that's right."),
        (JF, "", ". Actually, it is still right."),
        (JF, "", ". Hmm, that was wrong. No wait, J is right."),
        (JF, "", "\n\nThe other player will choose Option F."),
        (JF, "", ", not Option F."),
        (JF, "If they choose J, F gives 10. So:\n", ""),
        (JF, "Here is my answer in the requested format:\n", ""),
        (MOVES, "", "\n\nI trust that they will not defect."),
        (HANDS, "", ". It beats scissors but loses to paper."),
        (NUMBERS, "", "\n\n1. It gives 2 points.\n2. It is safe."),
        (LETTERS, "", ". It is a safe choice for a player."),
        (WORDS, "", ", so I get 10 points."),
    ],
)
def test_explanations_leave_a_choice_clear(labels: tuple[str, ...], before: str, after: str) -> None:
    assert doubt(before, after, labels[0], labels) is None


@for_each(
    "reply",
    [
        "If they play J, A: Option F. If they play F, A: Option J.",
        "Case 1: they cooperate. My answer is:\nA: Option J\n\nCase 2: they defect. My answer is:\nA: Option F",
        "The other player will choose:\nA: Option J",
        "Opponent: A: Option J",
        "Final answer: J\nFinal answer: F",
        "A: Option J\n\nFinal answer: Option F",
        "I choose Option J.\n\nA: Option F",
        "A: Option J\nA: Option K",
        "My prediction: A: Option J",
        "A: Option K\nA: Option J",
        '{"option": "J"} or {"option": "F"}',
        '{"option": "J"}\n\nWait, I need to reconsider.',
        '{"option": "J", "note": "or maybe F"}',
        'For example:\n```json\n{"option": "J"}\n```',
    ],
)
def test_neither_reader_acts_on(reply: str) -> None:
    assert isinstance(read(asked("Q", JF, JF), reply), Invalid)
    assert not isinstance(choice(reply, JF), str)


def test_an_answer_about_the_other_player_answers_a_question_about_it() -> None:
    reply = "The other player will choose:\nA: Option J"
    assert read(asked("Q", JF, JF, "other"), reply) == "J"
    assert isinstance(read(asked("Q", JF, JF, "own"), reply), Invalid)
