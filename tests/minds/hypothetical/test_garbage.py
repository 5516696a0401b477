"""Whatever a model replies at whatever step: no crash, no hang, the declared fallback, and a note of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Ended, Invalid, SkillChoice
from otherminds.core.errors import ProviderError
from tests.cases import depth, for_each
from tests.minds.hypothetical import fakes

GARBAGE = {
    "empty": "",
    "prose": "I think they play rock, so I should play paper next.",
    "half a dictionary": "{'they_played': 'ROCK', 'they_play': 'RO",
    "wrong keys": "{'answer': 'ROCK'}",
    "wrong types": "{'they_played': 3, 'strategy': ['x'], 'they_play': None, 'i_play': {}, 'seek': 'player 2', "
    "'my_strategy': 1.5, 'match': 'yes', 'plan': 'go(1)', 'feedback': True, 'outcome': 'fine'}",
    "empty values": "{'they_played': '', 'strategy': '', 'they_play': '', 'i_play': '', 'seek': [], "
    "'my_strategy': ' ', 'match': None, 'plan': [], 'feedback': '', 'outcome': ''}",
    "impossible values": "{'they_played': 'WELL', 'strategy': None, 'they_play': ['WELL'], 'i_play': 'WELL', "
    "'seek': ['nobody'], 'my_strategy': [], 'match': 1, 'plan': ['fly(1)'], 'feedback': 0, 'outcome': 'good'}",
    "100 kB": "{'they_play': " + "x" * 100_000,
    "a plan of 1,500 calls": "{'plan': [" + "'go(1)', " * 1_500 + "]}",
    "10,000 brackets": "{'plan': " + "[" * 10_000 + "]" * 10_000 + "}",
    "control characters": "{'they_play': '\x00\x1b[31mROCK\u2028', 'plan': ['\x00'], 'match': '\x00'}",
    "not a number": "{'they_played': NaN, 'they_play': NaN, 'i_play': inf, 'match': NaN, 'plan': [NaN], "
    "'strategy': NaN, 'my_strategy': NaN, 'feedback': NaN, 'outcome': NaN}",
}
STEPS = {
    "infer": ("hm", "hidden", "they_played", "what they did stays unknown; no value moves"),
    "hypothesise": ("hm", "hidden", "strategy", "no new hypothesis; the old ones stay"),
    "predict": ("hm", "hidden", "they_play", "the last target stays"),
    "predict apart": ("hm", "apart", "they_play", "it predicts nothing this time"),
    "choose": ("hm", "apart", "i_play", "the last target stays"),
    "choose a strategy": ("hm", "cooking", "my_strategy", "the last target stays"),
    "judge": ("hm", "cooking", "match", "the prediction is not scored"),
    "plan": ("hm", "mapped", "plan", "rest for 10 steps"),
    "reflect": ("hm", "cooking", "feedback", "no feedback"),
    "think": ("vmp", "hidden", "strategy", "no hypothesis; the last target stays"),
    "devise": ("he_hr", "told", "my_strategy", "no new strategy; the old ones stay"),
    "play": ("he_hr", "told", "i_play", None),
    "counterfactual": ("he_hr", "told", "outcome", "its value does not move"),
    "decide": ("react", "told", "i_play", "the last choice stays"),
    "reflect on a round": ("reflexion_agent", "told", "feedback", "no feedback"),
    "strategise": ("plan_react", "told", "my_strategy", "the last target stays"),
}


LAST_RESORT = "rock, the first behaviour"
"""What a note says that tells of a choice without a plan for which there is no target at all."""


def live(seat: Any, encounters: int = 4) -> None:
    """A short life: every decision is a legal one."""
    manner = seat.scaffold.manner
    for n in range(encounters):
        ended = Ended(n % 2 == 0, "it was so", SkillChoice("go")) if n else None
        for made in (
            seat.step(ended=ended),
            seat.meet(("rock", "paper") if manner.judged else "rock", reward=1.0),
        ):
            legal = made.name in seat.brief.skills if isinstance(made, SkillChoice) else made in range(3)
            assert legal or isinstance(made, Invalid)
    seat.hear(last=True)


LONG = ("100 kB", "a plan of 1,500 calls", "10,000 brackets")
SPREAD = [
    (step, name)
    for nth, step in enumerate(STEPS)
    for name in GARBAGE
    if name not in LONG or LONG[nth % len(LONG)] == name
]
"""All short replies at every step; each long one at every third."""


@for_each(("step", "name"), SPREAD, every=2)
def test_garbage_at_one_step(step: str, name: str) -> None:
    garbage = GARBAGE[name]
    mind, manner, key, kept = STEPS[step]
    model = fakes.Model()
    seat = fakes.Seat(mind, fakes.MANNERS[manner], model, tries=2)
    seat.step()
    numbers = iter(range(100))
    model.said["strategy"] = model.said["my_strategy"] = lambda prompt: f"idea {next(numbers)}"
    model.raw = {key: garbage}
    live(seat)
    unusable = seat.notes("unusable")
    kept_instead = [note["kept"] for note in seat.notes("fallback")]
    given_up = [words for words in kept_instead if words != LAST_RESORT]
    assert given_up, "nothing usable came, and that was not noted"
    assert kept is None or kept in given_up
    assert Counter(note["attempt"] for note in unusable) == {0: len(given_up), 1: len(given_up)}


MINDS = ("hm", "vmp", "mmp", "mmp_he", "he_hr", "react", "reflexion_agent", "plan_react")


@pytest.mark.parametrize("every", depth(2, 1))
@for_each(
    ("nth", "mind", "garbage"),
    [
        (nth, mind, garbage)
        for nth, mind in enumerate(MINDS)
        for garbage in GARBAGE.values()
        if len(garbage) < 1000
    ],
)
def test_garbage_at_every_step(nth: int, mind: str, garbage: str, every: int) -> None:
    """Every reply with every mind; in every run with half of the manners, which the minds take in turn."""
    for manner in [*fakes.MANNERS.values()][nth % every :: every]:
        model = fakes.Model(raw={"everything": garbage})
        seat = fakes.Seat(mind, manner, model, tries=2)
        live(seat, 6)
        for note in seat.notes("thinking"):
            assert note["came"] in (None, "rock")
        assert len(seat.notes("unusable")) == len(model.prompts)
        assert len(seat.notes("fallback")) >= len(model.prompts) / 2


def test_without_a_plan_to_make_the_first_behaviour_is_the_last_resort() -> None:
    seat = fakes.Seat("hm", fakes.TOLD, fakes.Model(raw={"everything": ""}))
    assert seat.step() == 0
    assert seat.notes("fallback")[-1]["kept"] == LAST_RESORT


@for_each("manner", ["mapped", "cooking"])
@for_each("mind", ["hm", "vmp", "he_hr", "react", "reflexion_agent", "plan_react"])
def test_no_skill_is_begun_that_no_plan_called(mind: str, manner: str) -> None:
    """Where nothing can be read the agent rests, whatever target it has."""
    for raw in ({"everything": ""}, {"plan": "I go there."}):
        seat = fakes.Seat(mind, fakes.MANNERS[manner], fakes.Model(raw=raw))
        made = [seat.step() for _ in range(5)]
        made += [seat.meet(("rock", "paper"), reward=1.0) for _ in range(5)]
        assert all(isinstance(one, Invalid) for one in made)
        assert {note["kept"] for note in seat.notes("fallback") if note["purpose"] == "plan"} == {
            "rest for 10 steps"
        }


def test_a_reask_says_why_and_has_a_seed_of_its_own() -> None:
    model = fakes.Model(raw={"they_play": "{'they_play': 'ROCK'}"})
    seat = fakes.Seat("hm", fakes.TOLD, model, tries=3)
    seat.step()
    first, second, third = model.prompts[:3]
    reason = "Your last reply could not be used: no dictionary with 'they_play' and 'i_play'"
    assert reason not in first
    assert reason in second.splitlines()
    assert reason in third.splitlines()
    assert len({decoding.seed for decoding in model.decodings[:3]}) == 3
    assert [call.attempt for call in seat.context.calls[:3]] == [0, 1, 2]


def test_a_reply_that_is_usable_at_last_is_used() -> None:
    replies = iter(["", "what?", "{'they_play': 'ROCK', 'i_play': 'PAPER'}"])

    class Slow(fakes.Model):
        async def generate(self, messages: Any, decoding: Any) -> Any:
            reply = await super().generate(messages, decoding)
            return type(reply)(next(replies))

    seat = fakes.Seat("hm", fakes.TOLD, Slow())
    assert seat.step() == 1
    assert [note["attempt"] for note in seat.notes("unusable")] == [0, 1]
    assert not seat.notes("fallback")


def test_a_failing_service_is_not_taken_for_a_bad_reply() -> None:
    class Down(fakes.Model):
        async def generate(self, messages: Any, decoding: Any) -> Any:
            raise ProviderError("the service is down")

    for mind in ("hm", "vmp", "he_hr", "plan_react", "react"):
        seat = fakes.Seat(mind, fakes.MAPPED, Down())
        with pytest.raises(ProviderError):
            seat.step()
        assert not seat.notes("unusable")
        assert not seat.notes("fallback")


@given(st.data())
def test_any_reply_at_all(data: st.DataObject) -> None:
    values = st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats()
        | st.text(max_size=12)
        | st.sampled_from(["ROCK", "go(1)"]),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=5,
    )
    mind = data.draw(st.sampled_from(["hm", "vmp", "he_hr", "plan_react", "reflexion_agent"]))
    manner = data.draw(st.sampled_from(sorted(fakes.MANNERS)))

    class Fuzzed(fakes.Model):
        async def generate(self, messages: Any, decoding: Any) -> Any:
            reply = await super().generate(messages, decoding)
            form = fakes.shape(messages[-1].content)
            if data.draw(st.booleans()):
                return type(reply)(repr({key: data.draw(values) for key in form}))
            return reply if data.draw(st.booleans()) else type(reply)(data.draw(st.text(max_size=40)))

    live(fakes.Seat(mind, fakes.MANNERS[manner], Fuzzed(), tries=2), 3)
