"""Prompt packs: what a pack replaces, and what it cannot."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from otherminds import Record, SeatSpec
from otherminds.core.data import Moment, Turn
from otherminds.core.errors import StudyError
from otherminds.core.record import prompts
from otherminds.core.scenario import scenario
from otherminds.core.wording import PLAIN
from otherminds.matrix.words import FILE, default
from otherminds.minds.language.wording import content, resolve_pack, shipped_packs, wording
from otherminds.minds.registry import make_mind, strategies
from tests.cases import for_each

Episode = Callable[..., Record]
NAMES = sorted(strategies)
PACKS = list(shipped_packs())


def loud() -> dict[str, Any]:
    """The content of a pack of a user: the default, with every text marked with its name."""
    given = tomllib.loads(shipped_packs()[PLAIN].read_text()) | tomllib.loads(FILE.read_text())
    for table, found in given.items():
        for key, text in found.items():
            if (table, key) != ("lm", "form"):
                found[key] = f"{text} <{table}.{key}>"
    return {"name": "loud", "texts": given}


def test_three_wordings_are_shipped_and_differ_in_every_instruction() -> None:
    assert PACKS == ["plain", "question", "roleplay", "terse"]
    made = [msgspec.to_builtins(wording(name)) for name in PACKS if name != "question"]
    for table in ("answer", "cot", "plans_insights", "reflexion", "s2a", "social", "oracle"):
        for key in made[0][table]:
            texts = {one[table][key] for one in made}
            assert len(texts) == 3 or (table, key) == ("plans_insights", "other")


def test_the_pack_question_is_the_default_with_another_form_of_lm_prompting() -> None:
    plain, question = (msgspec.to_builtins(wording(name)) for name in (PLAIN, "question"))
    assert plain.pop("lm") == {"form": "continuation"}
    assert question.pop("lm") == {"form": "question"}
    assert question == plain


def test_a_table_that_a_file_leaves_out_is_the_default_pack_s_and_part_of_its_content(tmp_path: Path) -> None:
    file = tmp_path / "short.toml"
    file.write_text('[oracle]\nknown = "They do {option}."\nmaximise = "Write"\n')
    made = content(file)
    assert made["texts"]["oracle"] == {"known": "They do {option}.", "maximise": "Write"}
    whole = tomllib.loads(shipped_packs()[PLAIN].read_text())
    assert {**whole, "oracle": made["texts"]["oracle"]} == made["texts"]


def test_a_pack_of_an_older_record_asks_a_question(episode: Episode, stand_in: Any) -> None:
    """Its content has neither a form of LM prompting nor sentences of the coming round."""
    texts = tomllib.loads(shipped_packs()["terse"].read_text())
    older = {
        **{name: table for name, table in texts.items() if name != "lm"},
        "frame": {key: text for key, text in texts["frame"].items() if not key.startswith("continue_")},
    }
    model = stand_in()
    episode(SeatSpec("lm", {"pack": {"name": "mine", "texts": older}}, "stand-in"), model)
    assert all(prompt.endswith("\nA: Option") for prompt in model.prompts)


def test_a_frame_without_the_sentence_of_the_coming_round_has_a_question_there(
    episode: Episode, stand_in: Any
) -> None:
    texts = tomllib.loads(shipped_packs()["terse"].read_text())
    del texts["frame"]["continue_predict"]
    model = stand_in()
    pack = {"name": "mine", "texts": {**texts, "lm": {"form": "continuation"}}}
    episode(SeatSpec("lm", {"pack": pack}, "stand-in"), model)
    acts, predictions = model.prompts[::2], model.prompts[1::2]
    assert all(re.search(r"\nRound \d: you\Z", prompt) for prompt in acts)
    assert all(prompt.endswith("\nA: Option") for prompt in predictions)


def test_the_default_pack_leaves_the_frame_to_the_world(
    episode: Episode, stand_in: Any, agreeable: Any
) -> None:
    assert wording(PLAIN).frame == {}
    plain, named = stand_in(agreeable()), stand_in(agreeable())
    one = episode(SeatSpec("qa", model="stand-in"), plain)
    two = episode(SeatSpec("qa", {"pack": PLAIN}, model="stand-in"), named)
    assert plain.prompts == named.prompts
    assert one.actions == two.actions


@for_each("name", NAMES)
def test_every_text_of_a_prompt_is_that_of_the_pack(
    episode: Episode, stand_in: Any, agreeable: Any, name: str
) -> None:
    """Without the marks of its texts, each prompt of the marked pack is a prompt of the default pack."""
    answer = "Plans: p\nInsights: i\nA: Option J"
    found: list[list[str]] = []
    for params in ({}, {"pack": loud()}):
        model = stand_in(lambda prompt, decoding: answer if "A: Option" in prompt[-40:] else "Text.")
        record = episode(SeatSpec(name, params, model="stand-in"), model)
        assert record.outcome.status == "scored"
        found.append(["\n".join(m.content for m in sent) for sent in prompts(record.calls)])
    plain, marked = found
    assert marked != plain
    for before, after in zip(plain, marked, strict=True):
        assert _unmarked(after) == before
    assert ("<frame.continue_choose>" if name == "lm" else "<frame.choose>") in "".join(marked)


@for_each("pack", PACKS)
@for_each("game", ["rps", "ibs", "ipd"])
def test_answers_are_read_as_before(game: str, pack: str) -> None:
    built = scenario(f"{game}-single-v1", {"rounds": 3})
    labels = ["J", "F", "B"][: len(built.game.behaviours[0])]
    drawn = {"names": [labels, labels], "order": [*range(len(labels))]}
    plain = built.verbalizer(drawn, "ego")
    frame = wording(pack).frame
    other = plain.reworded(frame) if frame else plain
    one, two = (telling.ask(Turn(), Moment(1, None)) for telling in (plain, other))
    assert (one.labels, one.options, one.template, one.cue) == (
        two.labels,
        two.options,
        two.template,
        two.cue,
    )
    for label, option in zip(two.labels, two.options, strict=True):
        assert other.read(two, f"A: Option {label}") == option


FAULTY: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "table missing": (lambda texts: texts.pop("s2a"), "s2a missing"),
    "unknown table": (lambda texts: texts.update(s3a={}), "no 's3a'"),
    "key missing": (lambda texts: texts["cot"].pop("reason"), "prompt pack 'loud': cot: reason missing"),
    "unknown field": (
        lambda texts: texts["cot"].update(reason="{subject}"),
        "cot.reason: unknown field {subject}; it may use {consider}",
    ),
    "no form for plans": (
        lambda texts: texts["plans_insights"].update(update="Write"),
        "plans_insights.update must contain 'Plans:'",
    ),
    "unknown form": (
        lambda texts: texts["lm"].update(form="riddle"),
        "lm.form must be 'continuation' or 'question', not 'riddle'",
    ),
    "frame is no table": (lambda texts: texts.update(frame="plain"), "frame must be a table"),
}


@for_each("fault", FAULTY)
def test_a_faulty_pack_is_refused(fault: str) -> None:
    pack = loud()
    change, said = FAULTY[fault]
    change(pack["texts"])
    with pytest.raises(StudyError) as caught:
        make_mind(SeatSpec("qa", {"pack": pack}, "stand-in"))
    assert said in str(caught.value)


def test_a_faulty_frame_is_refused_where_it_is_used(episode: Episode, stand_in: Any, agreeable: Any) -> None:
    pack = loud()
    pack["texts"]["frame"]["round"] = "{partner}"
    with pytest.raises(
        StudyError, match=r"frame of matrix games.round: unknown field \{partner\}; it may use"
    ):
        episode(SeatSpec("qa", {"pack": pack}, "stand-in"), stand_in(agreeable()))


@for_each("bad", ["ters", "PLAIN", "no/such.toml"])
def test_a_name_that_is_no_pack_is_refused_and_a_path_is_none_outside_of_a_study(bad: str) -> None:
    with pytest.raises(StudyError, match="no prompt pack is called"):
        make_mind(SeatSpec("qa", {"pack": bad}, "stand-in"))


def test_what_is_neither_a_name_nor_content_is_refused() -> None:
    for bad in (3, None, {"name": "x"}, {"name": "x", "texts": 3}, ["plain"]):
        with pytest.raises(StudyError, match="a prompt pack is a name"):
            make_mind(SeatSpec("qa", {"pack": bad}, "stand-in"))


def test_a_file_is_its_name_and_content_without_its_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(shipped_packs()["terse"].read_text())
    made = resolve_pack("mine.toml", tmp_path)
    assert made == content(file)
    assert made["name"] == "mine"
    assert made["texts"].items() > tomllib.loads(file.read_text()).items()
    assert wording(made) == wording("terse")
    assert str(tmp_path) not in str(made)
    assert resolve_pack("terse", tmp_path) == "terse"


def test_the_default_frame_is_a_valid_frame() -> None:
    assert msgspec.to_builtins(default()) == tomllib.loads(FILE.read_text())["frame"]


def _unmarked(text: str) -> str:
    return re.sub(r" <\w+\.\w+>", "", text)
