"""The one form of choices and questions, beyond what matrix games put into it: labels of several words and signs.

What whole replies are read as, and that no garbled one is an action, is tested
with each telling.
"""

from __future__ import annotations

from otherminds.core.data import Invalid, SkillChoice
from otherminds.replies.answers import RAW, asked, listed, read, several, unread
from tests.cases import for_each

LABELS = ("use the pot (4, 2)", "use the pot (4, 20)", "use the pot", "wait, then go on", "pick up soup")
ASK = asked("Q: What now?", LABELS, [SkillChoice("use", (n,)) for n in range(len(LABELS))])


@for_each("value", ["x" * 500, [["deep"] * 90], None])
def test_of_what_could_not_be_read_the_beginning_is_kept(value: object) -> None:
    assert unread("no act", value) == Invalid("no act", repr(value)[:RAW])
    assert len(unread("no act", value).raw) <= 200


@for_each("number", range(len(LABELS)))
@for_each(
    "form",
    ["A: Option {}", "Well.\n**A: Option {}**", "A:  Option  {}.", '{{"option": "{}"}}', "A: Option '{}'"],
)
def test_labels_of_several_words_and_signs_are_read_back(number: int, form: str) -> None:
    assert read(ASK, form.format(LABELS[number])) == SkillChoice("use", (number,))


@for_each(
    "reply",
    [
        "A: Option use the pot (4, 2) or use the pot (4, 20)",
        "A: Option use the pot (4, 2)?",
        "A: Option use the pot (4, 2), pick up soup",
        "A: Option pick up soup\nA: Option use the pot",
        "A: Option pick up soups",
        "A: Option pick  up",
        "A: Option wait, then go",
        "pick up soup",
    ],
)
def test_what_is_near_a_label_is_no_answer(reply: str) -> None:
    assert isinstance(read(ASK, reply), Invalid)


def test_an_ask_has_its_labels_in_text_and_schema() -> None:
    assert ASK.schema is not None
    assert ASK.schema["properties"]["option"]["enum"] == list(LABELS)
    assert [ASK.template.format(label) for label in LABELS] == [f"{ASK.cue} {label}" for label in LABELS]
    assert listed(("J",), "or") == "Option J"
    assert several(("a", "b"), "and") == "a and b"
