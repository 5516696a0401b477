"""The scenarios of ``learning/scenarios.py``, in which learned policies are the partners; they need no training library."""

from __future__ import annotations

from fractions import Fraction

import pytest

import otherminds as om
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Independent, Scenario
from otherminds.gridworlds.learning.scenarios import KINDS, KNOWING, LEARNED, SUBSTRATES, build
from otherminds.minds.learned.files import NOTE, load_network, shipped_files
from otherminds.testing.scenarios import EpisodePromises, PopulationPromises, ProbePromises
from tests.cases import for_each


class Short(PopulationPromises, EpisodePromises, ProbePromises):
    """What partners can change; verbalizers and scaffolds are those of the substrates' own scenarios."""

    substrate = ""
    seeds = (0, 1)

    def make_scenario(self) -> Scenario:
        return build(self.substrate, steps=60)


class TestDuels(Short):
    substrate = "rws-repeated"


class TestArena(Short):
    substrate = "rws-arena"


class TestKitchen(Short):
    substrate = "cooking-asymmetric"


del Short  # a base class is no test of its own


@for_each("substrate", SUBSTRATES)
def test_the_partners_are_the_policies_of_own_populations_with_equal_weights(substrate: str) -> None:
    found = {name: load_network(path).policy for name, path in shipped_files().items()}
    own = {
        (name, policy.sha256)
        for name, policy in found.items()
        if policy.info.substrate == f"{substrate}-v1" and policy.info.partners == "own population"
    }
    members = build(substrate).population.members
    met = {(spec.params["policy"]["name"], spec.params["policy"]["sha256"]) for _, (spec, *_) in members}
    assert met == own
    assert {name.partition("-")[0] for name, _ in met} == set(KINDS)
    assert {share for share, _ in members} == {Fraction(1, len(own))}


def test_each_seat_of_the_arena_draws_a_policy_of_its_own() -> None:
    population = build("rws-arena").population
    assert isinstance(population, Independent)
    assert len(set(om.play("rws-arena-learned-v1", "random", options={"steps": 3}).partners.values())) > 1


@for_each("substrate", SUBSTRATES)
def test_no_mind_knows_these_partners(substrate: str) -> None:
    made = build(substrate)
    assert not set(KNOWING) & set(made.minds)
    assert made.caution == LEARNED
    assert made.bounds is None
    with pytest.raises(StudyError, match=f"{substrate}-learned-v1"):
        om.play(made.id, "informed", options={"steps": 3})


def test_a_record_says_which_weights_the_partner_had() -> None:
    record = om.play("rws-repeated-learned-v1", "random", options={"steps": 20})
    policy = record.spec.seats["partner_0"].params["policy"]
    assert record.partners["partner_0"].name == policy["name"]
    assert [(note.seat, note.data) for note in record.notes if note.kind == NOTE] == [("partner_0", policy)]
