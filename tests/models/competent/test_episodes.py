"""The competent model through the whole pipeline: the right hypothesis is validated, and it pays."""

import pytest

from otherminds.core.data import FALLBACK, THINKING, UNUSABLE
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.minds.registry import minds
from otherminds.models.registry import open_model
from otherminds.testing.episodes import played
from tests.cases import for_each, thinned

RIGHT = {
    "rock_margin_0": "They always play rock.",
    "paper_margin_0": "They always play paper.",
    "scissors_margin_0": "They always play scissors.",
    "resp2prev_margin_0": "They play what does best against my last play.",
    "flip_p2r_0": "They play paper 2 times and rock from then on.",
    "flip_r2s_1": "They play rock once and scissors from then on.",
}


def episode(mind: str, name: str, seed: int, options: dict):
    built = scenario(name, options)
    return played(Setup(built, {"ego": Participant(minds.make(mind, {}), open_model("competent"))}, seed))


@pytest.mark.parametrize(
    ("which", "seed"), thinned([("0", 0), ("1", 0), ("3", 0), ("4", 1), ("6", 0), ("7", 0), ("8", 0)], 4)
)
def test_the_right_hypothesis_is_validated_and_pays(which, seed):
    record = episode("hm", f"rws-repeated-{which}-v1", seed, {"steps": 1000})
    met = record.met["ego"]
    thinking = [note.data for note in record.notes if note.kind == THINKING]
    first = next(data["encounter"] for data in thinking if data["validated"] is not None)
    last = thinking[-1]
    text = next(one["text"] for one in last["thoughts"] if one["id"] == last["validated"])
    assert text == RIGHT[record.partners["partner_0"].name]
    after = [encounter.reward for encounter in met[first:]]
    assert len(after) > 3
    assert sum(after) / len(after) > 2
    assert not any(note.kind in (UNUSABLE, FALLBACK) for note in record.notes)


@for_each("mind", ["vmp", "mmp", "mmp_he", "he_hr", "react", "reflexion_agent", "plan_react"])
@for_each(
    ("name", "options"),
    [
        ("rws-repeated-6-v1", {"steps": 120}),
        ("pd-repeated-5-v1", {"steps": 100}),
        ("cooking-asymmetric-1-v1", {"steps": 60}),
        ("ipd-tit_for_tat-v1", {"rounds": 6}),
    ],
)
def test_every_pipeline_is_answered_in_the_form_it_asks_for(mind, name, options):
    record = episode(mind, name, 0, options)
    assert record.outcome.status == "scored"
    assert not any(note.kind == UNUSABLE for note in record.notes)
