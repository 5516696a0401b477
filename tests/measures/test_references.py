"""F by reference minds: what informed and blind got on the same seeds, never on others."""

from __future__ import annotations

import pytest
from msgspec import structs

from otherminds.core.data import Encounter, Partner, Question
from otherminds.core.record import Asked, Bounds, EpisodeSpec, Record, SeatSpec
from otherminds.measures.cells import tabulate
from tests.cases import for_each

SCENARIO = "grid-0-v1"


def record(
    mind: str, seed: int, reward: float, partner: str = "rock", label: str = "", steps: int = 1
) -> Record:
    return Record(
        spec=EpisodeSpec(
            SCENARIO, {"ego": SeatSpec(mind, label=label), "partner_0": SeatSpec(partner)}, seed
        ),
        seats=("ego", "partner_0"),
        drawn={},
        game=None,
        partners={"partner_0": Partner(partner)},
        bounds=Bounds(None, None, None, "mixture", reason="play informed and blind in the same study"),
        actions=[(0, 0)] * steps,
        rewards=[(reward, 0.0)] + [(0.0, 0.0)] * (steps - 1),
        met={"ego": (Encounter(0, {"ego": ("a",), "partner_0": ("b",)}, reward),), "partner_0": ()},
    )


def cells(records: list[Record]) -> dict[str, float | None]:
    planned: dict[tuple[str, str], int] = {}
    for one in records:
        key = (one.spec.title, one.spec.seats["ego"].title)
        planned[key] = planned.get(key, 0) + 1
    return {cell.mind: cell.functional.mean for cell in tabulate(planned, records)}


def references(
    informed: tuple[float, ...] = (18.0, 22.0, 20.0, 19.0, 21.0),
    blind: tuple[float, ...] = (2.0, -2.0, 0.0, 1.0, -1.0),
) -> list[Record]:
    return [
        record(mind, seed, reward)
        for mind, rewards in (("informed", informed), ("blind", blind))
        for seed, reward in enumerate(rewards)
    ]


def test_f_is_the_ratio_of_means_over_the_same_seeds() -> None:
    found = cells([*references(), record("mine", 0, 6.0), record("mine", 1, 14.0)])
    assert found["mine"] == pytest.approx((6 + 14 - 0) / (18 + 22 - 0))
    assert found["informed"] == pytest.approx(1.0)
    assert found["blind"] == pytest.approx(0.0)


def test_without_a_reference_on_a_seed_f_is_null_with_its_reason() -> None:
    records = [*references(), record("mine", 7, 6.0)]
    planned = {(SCENARIO, mind): 5 for mind in ("informed", "blind")} | {(SCENARIO, "mine"): 1}
    cell = next(cell for cell in tabulate(planned, records) if cell.mind == "mine")
    assert cell.functional.mean is None
    assert cell.functional.reason == "play informed and blind in the same study"


def test_references_of_other_partners_do_not_count() -> None:
    found = cells([*references(), record("mine", 0, 6.0, partner="paper")])
    assert found["mine"] is None


def test_a_reference_mind_under_a_label_is_one_all_the_same() -> None:
    records = [
        *(record("informed", k, 8.0, label="knows") for k in range(5)),
        *(record("blind", k, 4.0, label="knows nothing") for k in range(5)),
        record("mine", 0, 5.0),
    ]
    assert cells(records)["mine"] == pytest.approx(0.25)


@for_each(
    ("informed", "blind"),
    [
        ((5.0,) * 6, (5.0,) * 6),
        ((30.0, -20.0, 10.0, 4.0, 9.0), (2.0, 0.0, 9.0, 3.0, 4.0)),
        ((1.0,) * 5, (3.0,) * 5),
        ((9.0,) * 4, (1.0,) * 4),
    ],
)
def test_f_is_null_where_chance_may_have_made_the_difference_between_the_references(
    informed: tuple[float, ...], blind: tuple[float, ...]
) -> None:
    records = [*references(informed, blind), *(record("mine", k, 6.0) for k in range(len(informed)))]
    planned = {(SCENARIO, mind): len(informed) for mind in ("informed", "blind", "mine")}
    for cell in tabulate(planned, records):
        assert cell.functional.mean is None
        few = "at least 5 of the same seeds"
        assert (few if len(informed) < 5 else "does not surely win more") in cell.functional.reason


def test_longer_episodes_are_no_better_play() -> None:
    found = cells([*references(), record("mine", 0, 60.0, steps=10), record("mine", 1, 14.0)])
    assert found["mine"] == pytest.approx((6 + 14) / 40)


def foretold(mind: str, seed: int, truth: str, said: str) -> Record:
    """An episode in which one question was put for each letter."""
    question = Question("next:partner_0", "ego", "before", "", ("a", "b"), 0.5, about="partner_0")
    asked = tuple(Asked(k, 0, one, true) for k, (one, true) in enumerate(zip(said, truth, strict=True)))
    return structs.replace(record(mind, seed, 1.0), questions=(question,), asked=asked)


def literal(informed: tuple[str, ...]) -> dict[str, tuple[float | None, str]]:
    """L of three minds where the partner does a, a, b; ``informed`` says these letters, one text a seed."""
    seeds = range(len(informed))
    records = [
        *(foretold("informed", k, "aab", informed[k]) for k in seeds),
        *(foretold("right", k, "aab", "aab") for k in seeds),
        *(foretold("usual", k, "aab", "aaa") for k in seeds),
    ]
    planned = {(SCENARIO, mind): len(informed) for mind in ("informed", "right", "usual")}
    return {cell.mind: (cell.literal.mean, cell.literal.reason) for cell in tabulate(planned, records)}


def test_the_estimated_ends_of_l_are_the_usual_behaviour_and_informed() -> None:
    found = literal(("aab", "aab", "aab", "aab", "aaa"))
    assert found["informed"][0] == pytest.approx(1)
    assert found["usual"][0] == pytest.approx(0)
    assert found["right"][0] == pytest.approx(5 / 4)


def test_l_is_null_where_informed_may_know_nothing_more() -> None:
    for informed in (("aaa",) * 5, ("aab", "aaa", "aaa", "aaa", "aaa"), ("bbb",) * 5, ("aab",)):
        for mean, reason in literal(informed).values():
            assert mean is None
            assert "does not surely predict better" in reason
