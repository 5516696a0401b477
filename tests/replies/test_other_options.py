"""Answers that name no option: what was discussed or rejected before them is never played.

The grid combines answering forms, things that are no option, and the ways in which an option was mentioned before.
"""

from __future__ import annotations

from itertools import product

from otherminds.core.data import Invalid
from otherminds.replies.answers import OtherOption, asked, choice, read
from tests.cases import for_each

JF = ("J", "F")
FORMS = (
    "Final answer: {}",
    "**Final answer:** {}",
    "A: Option {}",
    "A: {}",
    "Answer:\n{}",
    "My choice: {}.",
    "My final decision is {}.",
    "I choose {}.",
    "I will go with {}.",
    "Therefore, I pick {}",
    r"\boxed{{{}}}",
    r"$\boxed{{\text{{{}}}}}$",
    "<answer>{}</answer>",
    "<choice>\n{}\n</choice>",
    "[[{}]]",
    "[{}]",
    '{{"option": "{}"}}',
    '{{"reasoning": "Option F is worse.", "answer": "{}"}}',
    '```json\n{{"choice": "{}"}}\n```',
    "{{option: {}}}",
    "Ich wähle {}.",
    "我选择{}。",
    "Mi respuesta final: {}",
)
OTHERS = ("Cooperate", "Option Q", "neither", "Option 3", "silence")
BEFORE = (
    "Option F\nrejected.",
    "I first thought that I choose Option F. But no.",
    "A: Option F was my first idea, and it is bad.",
    "If they choose J, I choose Option F.",
    "I choose Option F.\nOn reflection, I take that back.",
    "Option J",
    "Their answer: F",
    "Either Option J or Option F could be fine.",
)
GRID = [
    f"{before}\n{form.format(other)}"
    for form, (other, before) in product(FORMS, zip(OTHERS * 8, BEFORE * 5, strict=True))
]


def test_the_grid_is_large() -> None:
    assert len({*GRID}) >= 169


def test_no_reply_of_the_grid_is_an_option_for_either_reader() -> None:
    ghosts = [
        reply
        for reply in GRID
        if isinstance(choice(reply, JF), str) or not isinstance(read(asked("Q", JF, JF), reply), Invalid)
    ]
    assert ghosts == []


def test_nearly_all_of_the_grid_are_known_as_other_options() -> None:
    known = [reply for reply in GRID if isinstance(choice(reply, JF), OtherOption)]
    assert len(known) >= 0.95 * len(GRID)


@for_each("form", FORMS)
def test_the_same_forms_are_read_where_they_name_an_option(form: str) -> None:
    before = "Option F\nrejected."
    assert choice(f"{before}\n{form.format('Option J')}".replace("Option Option", "Option"), JF) == "J"


@for_each(
    ("reply", "said"),
    [
        ("Option F / rejected. / Final answer: Cooperate".replace(" / ", "\n"), "Cooperate"),
        ("I choose Option J. \\boxed{K}", "K"),
        ('A: Option J\n{"option": null}', "None"),
    ],
)
def test_the_other_option_is_kept_in_its_words(reply: str, said: str) -> None:
    assert choice(reply, JF) == OtherOption(said)
    outcome = read(asked("Q", JF, JF), reply)
    assert isinstance(outcome, Invalid)
    assert (outcome.cause, outcome.raw) == ("option", reply)


@for_each(
    "reply",
    [
        "A: Option J. I choose this because it pays most.",
        "A: Option J\nMy choice is based on the last rounds.",
        "Final answer: J\nI picked it for the points.",
        "A: Option J\n\nReason: they cooperate.",
    ],
)
def test_a_sentence_about_an_answer_is_no_other_answer(reply: str) -> None:
    assert choice(reply, JF) == "J"


def test_of_the_other_party_nothing_is_an_answer() -> None:
    assert choice("A: Option J\nThey will choose Cooperate.", JF) == "J"
    assert choice("Prediction: F. I will choose Cooperate.", JF, "other") == "F"
    assert choice("A: Option F\nThey will choose Cooperate.", JF, "other") == OtherOption("Cooperate")
