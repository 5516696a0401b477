"""What a scripted author imitates."""

from __future__ import annotations

import random
from collections import Counter

from otherminds.household.authoring.results import Assignment
from otherminds.household.authoring.scripted.models import Traits, recombine_traits, traits_of
from otherminds.household.generating.properties import LINKS, checked
from otherminds.household.pool.store import load_split


def test_the_bottleneck_separates_hard_tasks():
    found = {
        name: Counter(traits_of(pooled.task).bottleneck for pooled in load_split(name).values())
        for name in ("standard", "hard")
    }
    assert found["hard"] == {True: 150}
    assert found["standard"] == {False: 146, True: 4}, (
        "goals that are not worth a message make four look alike"
    )


def test_what_is_recombined_can_be_generated_and_is_what_is_assigned():
    shown = [traits_of(pooled.task) for pooled in load_split("hard").values()]
    for seed in range(300):
        draw = random.Random(seed)
        assignment = Assignment(draw.choice(("cooperative", "mixed")), draw.choice((1, 2, 3)), seed)
        wanted = checked(recombine_traits(draw, draw.sample(shown, 4), assignment))
        assert (wanted.category, wanted.depth) == (assignment.category, assignment.depth)


def test_traits_are_inherited():
    parent = Traits("relay", 3, True, "", True)
    children = [
        recombine_traits(random.Random(seed), [parent] * 4, Assignment("cooperative", 2, seed))
        for seed in range(300)
    ]
    share = sum(one.hard is True and one.pattern == "relay" for one in children) / len(children)
    assert share > 0.7
    assert any(one.hard is None for one in children)
    assert all(LINKS in one.mechanics for one in children if one.hard)
