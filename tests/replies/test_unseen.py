"""The readers on 3,328 replies of three authors who had not seen them: choices, predictions and answers of no option.

At first sight of the first author's sets the lenient reader took 15 of the 699 replies of ``ghosts`` that name no option
as one, and 3 of the 33 of ``languages``; it read 171 of the 185 predictions in words, and no answer as another one.

At first sight of the second author's sets, which came after the rules had been mended on those of the first, it took 13
of the 560 replies of ``second_ghosts`` that name no option as one, and none of the others; it read 95 of the 128 clear
answers in that set, 135 of the 168 predictions in words, 21 of the 31 own choices beside predictions, and 112 of the 165
answers in other languages, 3 of these as another option. The strict reader took no reply of either author wrongly.

The rules were mended on both, so these are development sets now.

At first sight of the third author's sets the lenient reader took none of the 741 replies of ``third_ghosts`` as an option
and misread no reply; it read 138 of the 176 predictions in words and 52 of the 60 own choices. The predictions were then
split by template (88 templates, letters and numbers apart) into a half of 76 replies on which the rules were mended, and
a half of 100 whose misses were not looked at, beyond a list of the kinds of misses in the whole set. Of the first, 66
were read before and 76 are now; of the second, 72 and 86.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from otherminds.core.data import Invalid
from otherminds.replies.answers import asked, choice, read
from tests.cases import for_each

SETS = {
    name: [
        json.loads(line)
        for line in Path(__file__).with_name(f"unseen_{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    for name in (
        "ghosts",
        "predictions",
        "languages",
        "second_ghosts",
        "second_predictions",
        "second_languages",
        "third_ghosts",
        "third_predictions",
        "third_own",
    )
}


def leniently(row: dict[str, Any]) -> str | None:
    found = choice(row["reply"], row["labels"], row["asked"])
    return found if isinstance(found, str) else None


def strictly(row: dict[str, Any]) -> str | None:
    found = read(asked("Q", row["labels"], row["labels"], row["asked"]), row["reply"])
    return None if isinstance(found, Invalid) else found


@for_each("reader", [leniently, strictly])
@for_each("name", list(SETS), every=3)
def test_no_reply_is_read_as_what_it_does_not_say(name: str, reader: Any) -> None:
    read_as = [(row["reply"], reader(row), row["intended"]) for row in SETS[name]]
    assert [one for one in read_as if one[1] not in (None, one[2])] == []


@for_each(
    ("name", "party", "right", "answers"),
    [
        ("ghosts", "own", 122, 126),
        ("ghosts", "other", 6, 6),
        ("predictions", "other", 177, 185),
        ("predictions", "own", 27, 31),
        ("languages", "own", 80, 88),
        ("languages", "other", 55, 55),
        ("second_ghosts", "own", 83, 110),
        ("second_ghosts", "other", 16, 18),
        ("second_predictions", "other", 158, 168),
        ("second_predictions", "own", 25, 31),
        ("second_languages", "own", 67, 90),
        ("second_languages", "other", 69, 75),
        ("third_predictions", "other", 162, 176),
        ("third_own", "own", 52, 60),
    ],
)
def test_figures(name: str, party: str, right: int, answers: int) -> None:
    """Those of docs/models.md."""
    rows = [row for row in SETS[name] if row["asked"] == party and row["intended"] is not None]
    found = Counter(leniently(row) == row["intended"] for row in rows)
    assert (found[True], len(rows)) == (right, answers)


@for_each(
    ("reply", "whose", "answer"),
    [
        ("Ich wähle F, weil Option J zu riskant ist.", "own", "F"),
        ("Elijo F porque la opción J es demasiado arriesgada.", "own", "F"),
        ("Escolho a opção F, pois a opção J é arriscada.", "own", "F"),
        ("Scelgo F perché J è rischiosa.", "own", "F"),
        ("我选择F，因为选项J风险太大。", "own", "F"),
        ("Antwort: J. Nein, ich wähle F.", "own", "F"),
        ("Ответ: J. Нет, мой ответ: F.", "own", "F"),
        ("Antwort: J. Nein.", "own", None),
        ("Risposta: J. Anzi no.", "own", None),
        ("In three rounds: Option J.", "own", None),
        ("No choice this round. In the next round I choose F.", "own", None),
        ("No prediction for this round. Next round they'll play F.", "other", None),
        ("In the next round I will choose Option F.", "own", "F"),
        ('You asked me to write "Answer: Option J".', "own", None),
        ("You told me to say:\nAnswer: Option J", "own", None),
        ("As you asked, here is my answer: Option F.", "own", "F"),
        ("Opponent: I pick Option J.", "own", None),
        ("Opponent: unpredictable. I choose F.", "own", "F"),
        ("Which option do they choose?\nAnswer: F\nWhich do you choose?\nAnswer:", "own", None),
        ("Question: a?\nA: Option F\nQuestion: b?\nA:", "own", None),
        ("Answer: F\nQ: And next?\nAnswer:", "own", "F"),
        ("J -> good; F -> bad; -> Option Q", "own", None),
        ("The options are J. F.", "own", None),
        ("I predict Swerve from the other player.", "other", None),
        ("They played F and J.\nProbably Option Q.", "other", None),
        ("The opponent picks Option Q.", "other", None),
        ('{"prediction": {"seen": ["J"], "value": "Option Q"}}', "other", None),
    ],
)
def test_neighbours_of_what_was_misread(reply: str, whose: str, answer: str | None) -> None:
    row = {"reply": reply, "labels": ["J", "F"], "asked": whose}
    assert leniently(row) == answer
    assert strictly(row) in (None, answer)
