"""QA prompting: an answer in a template, bounded tries, nothing coerced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from otherminds import Record, SeatSpec
from otherminds.core.model import Decoding
from otherminds.core.record import prompts
from tests.cases import for_each

Episode = Callable[..., Record]


def qa(**params: Any) -> SeatSpec:
    return SeatSpec("qa", params, model="stand-in")


def always(text: str) -> Callable[[str, Decoding], str]:
    return lambda prompt, decoding: text


def test_it_reads_the_answer_in_the_template(episode: Episode, stand_in: Any) -> None:
    record = episode(qa(), stand_in(always("A: Option F")))
    assert [row[0] for row in record.actions] == [1] * 5
    assert [asked.answer for asked in record.asked] == ["defect"] * 5


def test_it_asks_again_until_one_fits(episode: Episode, stand_in: Any) -> None:
    seen: list[int] = []

    def third_time(prompt: str, decoding: Decoding) -> str:
        seen.append(decoding.seed)
        return "A: Option J" if len(seen) % 3 == 0 else "I would rather not."

    record = episode(qa(tries=3), stand_in(third_time))
    assert record.outcome.status == "scored"
    assert [call.attempt for call in record.calls[:6]] == [0, 1, 2, 0, 1, 2]
    assert len(set(seen)) == len(seen), "every try has a seed of its own"


@for_each(
    "garbage",
    [
        "",
        "J",
        "Option J or Option F",
        "A: Option J\nA: Option F",
        "cooperate",
        "a" * 9999,
    ],
)
def test_garbage_ends_the_episode_and_is_never_an_action(
    episode: Episode, stand_in: Any, garbage: str
) -> None:
    record = episode(qa(tries=2, reader="strict"), stand_in(always(garbage)))
    assert record.outcome.status == "invalid"
    assert record.outcome.blame == "reply"
    assert "in 2 tries" in record.outcome.reason
    assert record.actions == []
    assert len(record.calls) == 2


@for_each("reader", ["strict", "lenient"])
@for_each("other", ["A: Option Q", "A: Option JJ", "Option J\nrejected.\nFinal answer: Cooperate"])
def test_an_answer_that_is_no_option_is_asked_again_once_with_the_options(
    episode: Episode, stand_in: Any, other: str, reader: str
) -> None:
    model = stand_in(always(other))
    record = episode(qa(tries=3, reader=reader), model)
    assert (record.outcome.status, record.outcome.blame) == ("invalid", "option")
    assert record.actions == []
    assert [call.read for call in record.calls] == ["other", "other"]
    first, (again,) = prompts(record.calls)
    assert again.content.startswith(first[-1].content)
    more = again.content.removeprefix(first[-1].content)
    assert all(f"A: Option {label}" in more for label in ("J", "F"))
    assert other not in more, "the reply may quote what another seat wrote"


def test_the_second_answer_counts(episode: Episode, stand_in: Any) -> None:
    def better(prompt: str, decoding: Decoding) -> str:
        return "A: Option J" if "none of the options" in prompt else "A: Option Q"

    record = episode(qa(tries=1), stand_in(better))
    assert record.outcome.status == "scored"
    assert {call.read for call in record.calls} == {"other", "strict"}


def test_an_unreadable_prediction_is_recorded_and_the_game_goes_on(episode: Episode, stand_in: Any) -> None:
    def mute_about_others(prompt: str, decoding: Decoding) -> str:
        return "who knows" if "other player choose," in prompt else "A: Option J"

    record = episode(qa(tries=1), stand_in(mute_about_others))
    assert record.outcome.status == "scored"
    assert all(asked.answer is None and asked.invalid is not None for asked in record.asked)
    assert {asked.invalid.raw for asked in record.asked if asked.invalid} == {"who knows"}


def test_one_more_question_shifts_no_other_seed(episode: Episode, stand_in: Any) -> None:
    seeds: dict[str, list[int]] = {}
    for literal in ("after", "before"):
        kept: list[int] = []

        def note(prompt: str, decoding: Decoding, kept: list[int] = kept) -> str:
            if "do you choose" in prompt:
                kept.append(decoding.seed)
            return "A: Option J"

        episode(qa(), stand_in(note), literal=literal)
        seeds[literal] = kept
    assert seeds["after"] == seeds["before"]
