"""What happens before an encounter: balanced designs, and what the partner sees, hears and thinks."""

from collections import Counter
from random import Random

import pytest

from otherminds.household.acted_beliefs.contexts import (
    COURSES,
    DESIGNS,
    EGO,
    PARTNER,
    THIRD,
    Context,
    PartnerView,
    describe_look,
    draw_contexts,
    list_arrangements,
    list_contexts,
    list_movers,
)
from otherminds.household.acted_beliefs.played import PLACES, THING, play_context
from otherminds.household.acted_beliefs.words import tell_context
from tests.cases import for_each

A, B, C = 0, 1, 2
VIEWS = {
    # course: where it last saw the thing, what it was last told, and its three orders of belief
    "still together": PartnerView(A, None, (A, A, A)),
    "still away": PartnerView(A, None, (A, A, A)),
    "moved together": PartnerView(B, None, (B, B, B)),
    "moved away": PartnerView(A, None, (A, A, A)),
    "moved away, again": PartnerView(A, None, (A, A, A)),
    "moved away, looked in": PartnerView(B, None, (B, B, B)),
    "moved without ego": PartnerView(B, None, (B, A, A)),
    "told of ego": PartnerView(A, None, (A, C, A)),
    "told of ego, looked in": PartnerView(B, None, (B, B, B)),
    "told of ego, both away": PartnerView(B, None, (B, C, A)),
    "still without ego": PartnerView(A, None, (A, A, A)),
    "still, both away": PartnerView(A, None, (A, A, A)),
    "moved, both away": PartnerView(A, None, (A, A, A)),
    "moved, both away, again": PartnerView(A, None, (A, A, A)),
    "moved, both away, looked in": PartnerView(B, None, (B, A, A)),
    "still, told of ego": PartnerView(A, None, (A, C, A)),
    "told of ego's old view": PartnerView(A, None, (A, A, A)),
    "told of ego's old view, looked in": PartnerView(B, None, (B, B, B)),
    "told of ego's new view": PartnerView(A, None, (A, B, A)),
    "told of ego's new view without ego": PartnerView(B, None, (B, B, A)),
    "misled to the old place": PartnerView(A, A, (A, A, A)),
    "misled to the old place together": PartnerView(B, A, (A, B, B)),
    "misled to the old place, both away": PartnerView(B, A, (B, A, A)),
    "still, misled": PartnerView(A, B, (B, A, A)),
    "ego misled to the old place": PartnerView(A, None, (A, A, A)),
    "ego misled to the old place together": PartnerView(B, None, (B, B, B)),
    "still, ego misled": PartnerView(A, None, (A, A, A)),
    "misled": PartnerView(A, C, (C, A, A)),
    "misled, looked in": PartnerView(B, C, (B, B, B)),
    "told by ego": PartnerView(A, B, (B, B, B)),
    "ego misled": PartnerView(A, None, (A, A, A)),
    "ego misled together": PartnerView(B, None, (B, B, B)),
    "ego told": PartnerView(A, None, (A, A, A)),
}


def list_whole(design: str) -> tuple[Context, ...]:
    """The contexts of both halves."""
    return tuple(context for early in (True, False) for context in list_contexts(design, 3, early=early))


def test_every_course_has_its_expected_view() -> None:
    assert VIEWS.keys() == COURSES.keys()


@for_each("course", VIEWS)
def test_what_the_partner_sees_hears_and_thinks(course: str) -> None:
    for mover in list_movers(COURSES[course]):
        assert Context(course, (A, B, C), mover, 3).view == VIEWS[course]


def test_views_move_with_the_places() -> None:
    context = Context("told of ego, both away", (3, 0, 2), THIRD, 4)
    assert context.view == PartnerView(0, None, (0, 2, 3))
    assert (context.start, context.now) == (3, 0)


@for_each("design", DESIGNS)
def test_the_house_shows_each_agent_what_the_context_says(design: str) -> None:
    for context in list_whole(design):
        last = play_context(context)[-1]
        assert last.thing == last.beliefs[EGO] == PLACES[context.now]
        assert last.beliefs[PARTNER] == PLACES[context.view.sighting]


@for_each("design", DESIGNS)
def test_messages_arrive_as_the_context_says(design: str) -> None:
    for context in list_whole(design):
        received = [message.text for turn in play_context(context) for message in turn.messages[PARTNER]]
        about_thing = [text for text in received if text.startswith(THING)]
        heard = context.view.message
        assert about_thing == ([] if heard is None else [f"{THING} is on {PLACES[heard]}."])
        sent = COURSES[context.course].sayings
        assert len(received) == sum(saying.hearer == PARTNER for saying in sent)


@for_each("design", DESIGNS)
def test_the_first_half_has_every_course_equally_often(design: str) -> None:
    for seed in range(20):
        half = draw_contexts(Random(seed), design, 3, 24)[:12]
        assert Counter(context.course for context in half) == dict.fromkeys(DESIGNS[design].first, 2)


@for_each("design", DESIGNS)
def test_the_second_half_has_other_courses(design: str) -> None:
    """None is one of the first half, so that what a partner did in a course cannot be looked up."""
    assert not {*DESIGNS[design].first} & {*DESIGNS[design].second}


@for_each("design", DESIGNS)
def test_in_the_second_half_a_look_tells_no_more_than_its_own_course(design: str) -> None:
    """The looks of an episode are fixed; each course has its share whatever courses with the same look came before."""
    courses = DESIGNS[design].second
    looks = Counter(describe_look(COURSES[name]) for name in courses)
    pairs, totals = Counter[tuple[str, str]](), Counter[str]()
    for seed in range(2000):
        names = [context.course for context in draw_contexts(Random(seed), design, 3, 12)[6:]]
        assert Counter(describe_look(COURSES[name]) for name in names) == looks
        for i, name in enumerate(names):
            for later in names[i + 1 :]:
                if describe_look(COURSES[later]) == describe_look(COURSES[name]):
                    pairs[name, later] += 1
                    totals[name] += 1
    for (name, _), count in pairs.items():
        expected = totals[name] / looks[describe_look(COURSES[name])]
        assert count == pytest.approx(expected, rel=0.2)


@for_each("size", (3, 4))
def test_places_movers_and_targets_are_uniform(size: int) -> None:
    rng, counts = Random(0), Counter[object]()
    episodes = 1500
    for _ in range(episodes):
        for context in draw_contexts(rng, "first", size, 12, aims=True):
            counts[context.places] += 1
            counts[f"target {context.target}"] += 1
            if len(list_movers(COURSES[context.course])) > 1:
                counts[context.mover] += 1
    arrangements = list_arrangements(size)
    assert len(arrangements) == {3: 6, 4: 24}[size]
    for arrangement in arrangements:
        assert counts[arrangement] == pytest.approx(episodes * 12 / len(arrangements), rel=0.15)
    for target in range(size):
        assert counts[f"target {target}"] == pytest.approx(episodes * 12 / size, rel=0.1)
    assert counts[EGO] == pytest.approx(counts[THIRD], rel=0.1)


def test_contexts_know_their_half() -> None:
    assert [context.early for context in draw_contexts(Random(3), "second", 3, 13)] == [True] * 6 + [
        False
    ] * 7


@for_each("design", DESIGNS)
def test_ego_is_told_enough_to_know_what_the_partner_thinks(design: str) -> None:
    """Two contexts that ego is told of in the same words leave the partner with the same thoughts, and the thing in the same place."""
    accounts: dict[str, tuple[PartnerView, int]] = {}
    for context in list_whole(design):
        account = "\n".join(tell_context(context, EGO))
        assert accounts.setdefault(account, (context.view, context.now)) == (context.view, context.now), (
            account
        )


@for_each("design", DESIGNS)
def test_the_partner_is_told_only_what_changes_its_thoughts(design: str) -> None:
    """The partner's own account does not tell where the thing is if it did not see that, nor what ego was told."""
    for context in list_whole(design):
        account = "\n".join(tell_context(context, PARTNER))
        if context.now not in (context.view.sighting, *context.view.thinks):
            assert PLACES[context.now] not in account
        assert "While you were away" not in account
