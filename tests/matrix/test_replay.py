"""The replay of a matrix game: what is marked in a round, what the rounds come to, and the page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from io import StringIO

import pytest
from msgspec.structs import replace
from rich.console import Console

from otherminds import Record
from otherminds.core.contracts import Mind
from otherminds.core.data import Invalid, Message, Question
from otherminds.core.record import Asked, Call, Choice, Outcome
from otherminds.core.scenario import Setup, scenario
from otherminds.games.belief import best_replies
from otherminds.matrix.replay import (
    GOOD_PLAN,
    MEANINGS,
    NOT_DONE,
    UNREAD,
    WRONG,
    as_matrix_page,
    plays_matrix,
    replay_matrix,
    summarise_rounds,
)
from otherminds.minds.registry import minds
from otherminds.play.interventions import INTERVENTIONS
from otherminds.reports.replay.general import choose_text
from otherminds.testing import RandomMind
from otherminds.testing.episodes import played
from tests.matrix.noted_rounds import noted_rounds
from tests.reports.replay import reading

GAMES = ("rps-mixed-v1", "ibs-mixed-v1", "chicken-mixed-v1")
CHICKEN = {
    "name": "chicken",
    "behaviours": ["swerve", "dare"],
    "payoffs": [[[3, 3], [1, 4]], [[4, 1], [0, 0]]],
}
TIES = {
    "name": "ties",
    "behaviours": [["up", "middle", "down"], ["left", "right"]],
    "payoffs": [[[3, 0], [0, 0]], [[3, 0], [1, 0]], [[0, 0], [2, 0]]],
}


@pytest.fixture
def rounds() -> Record:
    return noted_rounds()


def episode(
    name: str, mind: Mind | None = None, seed: int = 1, rounds: int = 12, **options: object
) -> Record:
    if name.startswith("chicken-"):
        name, options = name.replace("chicken", "bimatrix"), {"game": CHICKEN, **options}
    setup = Setup(scenario(name, {"rounds": rounds, **options}), {"ego": mind or RandomMind()}, seed)
    return played(setup)


def saying(record: Record, words: Sequence[str]) -> Record:
    """The record with other predictions."""
    asked = tuple(replace(one, answer=word) for one, word in zip(record.asked, words, strict=True))
    return replace_record(record, asked=asked)


def replace_record(record: Record, **parts: object) -> Record:
    return replace(record, **parts)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_a_round_is_marked_where_word_act_and_truth_part(name: str, seed: int) -> None:
    record = episode(name, seed=seed)
    game, replay = record.game, replay_matrix(record)
    assert game is not None
    rows, columns = game.behaviours
    for one, asked, met in zip(replay.rounds, record.asked, record.met["ego"], strict=True):
        assert (one.said, one.own, one.other) == (asked.answer, *(met.did[seat][0] for seat in record.seats))
        replies = best_replies(game)[columns.index(one.said or "")]
        assert one.best == tuple(rows[a] for a in replies)
        b = columns.index(one.other)
        assert one.earned == game.payoffs[rows.index(one.own)][b][0]
        assert one.advised == sum(game.payoffs[a][b][0] for a in replies) / len(replies)
        assert bool({NOT_DONE, GOOD_PLAN} & {*one.marks}) == (one.own not in one.best)
        assert (WRONG in one.marks) == (asked.answer != asked.truth)
    assert replay.fault == ""


def test_all_best_replies_stand_where_several_tie_and_their_mean_is_what_they_would_pay() -> None:
    record = episode("bimatrix-single-v1", game=TIES)
    rounds = replay_matrix(saying(record, ["left"] * 12)).rounds
    assert {one.best for one in rounds} == {("up", "middle")}
    assert {one.advised for one in rounds} <= {3.0, 0.5}
    assert all(one.followed == (one.own != "down") for one in rounds)
    assert {one.own for one in rounds} == {"up", "middle", "down"}


@pytest.mark.parametrize("name", ["ipd-mixed-v1", "ipd-single-v1"])
@pytest.mark.parametrize("word", ["cooperate", "defect"])
def test_no_act_is_held_against_a_word_that_cannot_matter(name: str, word: str) -> None:
    record = episode(name)
    replay = replay_matrix(saying(record, [word] * 12))
    assert replay.dominant == ("defect",)
    assert {mark for one in replay.rounds for mark in one.marks} <= {WRONG}
    (sentence,) = [text for text in summarise_rounds(replay) if "cannot matter" in text]
    assert "defect" in sentence


@pytest.mark.parametrize(
    "name", ["rps-single-v1", "rps-mixed-v1", "ibs-single-v1", "ibs-mixed-v1", "chicken-mixed-v1"]
)
@pytest.mark.parametrize("seed", range(6))
def test_the_optimal_mind_is_never_said_to_lose_by_its_right_words(name: str, seed: int) -> None:
    rounds = replay_matrix(episode(name, minds.make("bayes", {}), seed)).rounds
    assert not [one for one in rounds if one.right and NOT_DONE in one.marks]


def test_an_act_that_pays_no_less_over_the_rounds_left_is_as_good_a_plan() -> None:
    """Against a partner that copies, the act decides the next round; the likeliest word does not."""
    record = episode("chicken-tit_for_tat-v1", rounds=20)
    assert record.game is not None
    marks = {mark for one in replay_matrix(record).rounds for mark in one.marks}
    assert GOOD_PLAN in marks
    unknown = replay_matrix(replace_record(record, bounds=None))
    assert GOOD_PLAN not in {mark for one in unknown.rounds for mark in one.marks}
    assert [one.own in one.best for one in unknown.rounds] == [
        NOT_DONE not in one.marks for one in unknown.rounds
    ]


def test_the_sentences_count_right_words_those_acted_on_and_what_was_lost() -> None:
    record = episode("rps-single-v1", rounds=30)
    truth = [str(asked.truth) for asked in record.asked]
    replay = replay_matrix(saying(record, truth))
    acted = sum(one.followed for one in replay.rounds)
    lost = 30 - sum(one.earned for one in replay.rounds)
    assert 0 < acted < 30
    assert summarise_rounds(replay) == [
        f"{replay.mind} predicted its partner, {replay.partner}, rightly in 30 of 30 rounds.",
        f"It played a best reply to {acted} of the 30 right predictions; in {30 - acted} rounds it earned "
        f"{lost:g} less in total than best replies would have.",
    ]
    record = replace_record(record, asked=(), questions=())
    assert summarise_rounds(replay_matrix(record)) == [f"No prediction of {replay.mind} was recorded."]


def test_only_rounds_of_a_mind_in_the_row_seat_are_shown_as_a_matrix_game(rounds: Record) -> None:
    ego, partner = rounds.seats
    bot = rounds.partners[partner]
    assert plays_matrix(rounds)
    assert not plays_matrix(replace_record(rounds, partners={ego: bot}))
    assert not plays_matrix(replace_record(rounds, partners={ego: bot, partner: bot})), "nobody is under test"
    assert not plays_matrix(replace_record(rounds, game=None))
    assert not plays_matrix(replace_record(rounds, drawn={}))


def test_a_reply_that_was_not_read_is_shown_and_is_no_prediction(rounds: Record) -> None:
    rounds.notes = ()
    raw = "perhaps <b>Option Q</b>"
    asked = list(rounds.asked)
    asked[2] = Asked(2, asked[2].question, None, asked[2].truth, Invalid("it names no option", raw))
    rounds.asked = tuple(asked)
    one = replay_matrix(rounds).rounds[2]
    assert (one.said, one.unread, one.best, one.advised, one.marks) == (None, raw, (), None, (UNREAD,))
    page = as_matrix_page(rounds)
    assert raw in reading.Reader(page).text
    assert raw not in page
    assert "In 1 round its prediction could not be read." in page


class Mute(RandomMind):
    """Answers nothing, each question with a reply of its own."""

    async def answer(self, question: Question) -> Invalid:
        return Invalid("it names no option", f"no idea about {question.id}")


def test_an_unread_policy_answer_is_no_reply_about_the_round() -> None:
    replay = replay_matrix(episode("ipd-mixed-v1", Mute(), policy_questions=True))
    assert {one.unread for one in replay.rounds} == {"no idea about next:partner_0"}


def test_the_reply_that_stopped_an_episode_stands_in_its_round(rounds: Record) -> None:
    raw = "I would rather not play."
    rounds.outcome = Outcome("invalid", "reply", "no answer", 5)
    rounds.choices = (Choice(5, "ego", Invalid("no answer", raw)),)
    stopped = replay_matrix(rounds).stopped
    assert stopped is not None
    assert (stopped.step, stopped.reply) == (5, raw)
    assert "no answer" in stopped.reason
    assert raw in reading.Reader(as_matrix_page(rounds)).text


def test_without_questions_predictions_are_those_of_the_hypothesis_in_use(rounds: Record) -> None:
    rounds.asked, rounds.questions = (), ()
    noted = [one.said for one in replay_matrix(rounds).rounds]
    assert noted[0] is None
    assert all(noted[1:])
    assert [one.right for one in replay_matrix(rounds).rounds[1:]] == [True, False, True, True]


def test_a_reward_that_is_not_the_payoff_is_said(rounds: Record) -> None:
    encounters = list(rounds.met["ego"])
    encounters[3] = replace(encounters[3], reward=9.0)
    rounds.met = {**rounds.met, "ego": tuple(encounters)}
    assert replay_matrix(rounds).fault == "the reward of round 4 is not the payoff of the game"
    assert "round 4 is not the payoff" in reading.Reader(as_matrix_page(rounds)).text


def test_only_matrix_games_replay_so(rounds: Record) -> None:
    assert plays_matrix(rounds)
    assert not plays_matrix(replace_record(rounds, game=None))
    assert not plays_matrix(replace_record(rounds, met={}))
    assert not plays_matrix(replace_record(rounds, drawn={}))
    grid = played(Setup(scenario("rws-repeated-3-v1", {"steps": 60}), {"ego": RandomMind()}, 1))
    assert not plays_matrix(grid)


@pytest.mark.parametrize("names", ["neutral", "canonical", ["Up", "Down"]])
def test_the_payoffs_have_the_labels_in_the_order_in_which_they_were_shown(names: str | list[str]) -> None:
    for seed in range(4):
        record = episode("ibs-single-v1", seed=seed, names=names)
        replay = replay_matrix(record)
        order = record.drawn["order"]
        assert record.game is not None
        for side in (0, 1):
            behaviours, labels = record.game.behaviours[side], record.drawn["names"][side]
            assert list(replay.labels[side].items()) == [(behaviours[i], labels[i]) for i in order]
        for (own, row), i in zip(replay.payoffs(), order, strict=True):
            assert own == record.game.behaviours[0][i]
            assert row == [record.game.payoffs[i][j] for j in order]


def test_the_page_shows_each_round_and_explains_its_marks() -> None:
    record = episode("ibs-mixed-v1", rounds=15)
    replay, page = replay_matrix(record), as_matrix_page(record)
    read = reading.Reader(page)
    assert [value for name, value in read.attributes if name == "data-step"] == [str(n) for n in range(15)]
    shown = {mark for one in replay.rounds for mark in one.marks}
    assert {WRONG, NOT_DONE} <= shown
    for mark in shown:
        assert MEANINGS[mark] in read.text
    for sentence in summarise_rounds(replay):
        assert sentence in read.text
    assert reading.told(page)["stops"] == [one.step for one in replay.rounds if one.marks]


def test_the_replies_of_each_round_are_counted_below_it(rounds: Record) -> None:
    rounds.calls = tuple(
        Call("ego", step, "predict", attempt, (Message("user", "?"),), reply="</script>")
        for step, attempt in [(0, 0), (2, 0), (2, 1)]
    )
    counts = [
        value for name, value in reading.Reader(as_matrix_page(rounds)).attributes if name == "data-calls"
    ]
    assert counts == ["1", "0", "2", "0", "0"]


def play_arm(arm: str, name: str = "rps-mixed-v1", **options: object) -> Record:
    mind = minds.make("simulated", {"accuracy": 0.5, "heeds": 0.5})
    return played(Setup(scenario(name, options or {"rounds": 8}), {"ego": mind}, 1, intervention=arm))


def written(record: Record) -> str:
    """The replay in a terminal."""
    console = Console(width=200, file=StringIO())
    for part in choose_text(record).text(record):
        console.print(part)
    return console.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize("arm", ["grant_type", "grant_prediction", "remind", "inject_own", "inject_advice"])
def test_what_was_shown_stands_beside_its_round(arm: str) -> None:
    record = play_arm(arm)
    noted = [note.data.get("behaviour") or note.data["text"] for note in record.notes]
    assert len(noted) == 8
    assert [one.shown for one in replay_matrix(record).rounds] == noted
    sentence = summarise_rounds(replay_matrix(record))[0]
    assert sentence == f"Arm {arm}: {INTERVENTIONS[arm]}."
    text, page = written(record), as_matrix_page(record)
    assert "shown" in text
    assert sentence in text
    assert page.count('data-head="shown"') == 8
    assert escape(sentence) in page.replace("&#39;", "&#x27;")


def test_an_exchange_of_the_partner_is_told_with_its_round() -> None:
    record = play_arm("swap")
    (note,) = record.notes
    sentence = summarise_rounds(replay_matrix(record))[0]
    assert f"{note.data['second']} after {note.data['first']}, from step 5 on" in sentence
    assert 'data-head="shown"' not in as_matrix_page(record)


def test_an_ordinary_episode_has_no_column_of_what_was_shown() -> None:
    record = play_arm("")
    assert 'data-head="shown"' not in as_matrix_page(record)
    assert "shown" not in written(record).split("payoffs of a round")[0]
    assert not any(one.shown for one in replay_matrix(record).rounds)
