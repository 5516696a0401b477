"""A mind that cannot play in a world is refused while a study is planned; no record blames the world for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from otherminds.core.errors import StudyError
from otherminds.core.scenario import scenario
from otherminds.minds.registry import minds, prepare_setup, strategies
from otherminds.models.registry import open_model
from otherminds.studies.file import CellEntry, StudyFile
from otherminds.studies.plan import plan
from otherminds.testing.episodes import played
from tests.cases import thinned

MODEL = "scripted:uniform"
PARAMS = {"constant": {"behaviour": "rock"}, "role": {"role": "cook"}}
"""What the minds that cannot do without parameters are given."""
WORLDS: dict[str, dict[str, Any]] = {
    "rps-single-v1": {"rounds": 4},
    "rws-repeated-0-v1": {"steps": 30},
    "rws-arena-0-v1": {"steps": 20},
    "cooking-asymmetric-0-v1": {"steps": 20},
    "household-one_shot_relay-v1": {"turns": 3},
}
"""A short scenario of every world."""
HOUSE = "household-one_shot_relay-v1"
PLAYS = {
    HOUSE: {"informed", "no_message", "random", "qa", "cot", "tool_loop"},
    "rps-single-v1": {"rmax", "hm", "lm"},
}
REFUSED = {
    HOUSE: {
        "rmax",
        "uniform",
        "bayesian",
        "bayes",
        "nash",
        "hm",
        "vmp",
        "lm",
        "oracle",
        "social_lm",
        "constant",
    },
    "cooking-asymmetric-0-v1": {"nash", "bayes", "oracle", "hypothetical_plus", "constant"},
    "rws-arena-0-v1": {"rmax", "bayes", "social_qa", "oracle"},
    "rps-single-v1": set[str](),
}


def cell(name: str, mind: str) -> CellEntry:
    options = dict(WORLDS[name])
    asks = mind in strategies or (mind in minds and getattr(minds.get(mind), "suspends", False))
    entry = {"mind": mind, "params": PARAMS.get(mind, {}), "model": MODEL if asks else ""}
    given = {"rounds": options.pop("rounds")} if "rounds" in options else {}
    return CellEntry.model_validate(
        {"scenarios": [name], "minds": [entry], "options": options, "episodes": 1, **given}
    )


@pytest.mark.parametrize("name", thinned(sorted(WORLDS), 2))
def test_every_mind_plays_or_is_refused_while_planning(name: str) -> None:
    everyone = sorted({*scenario(name, WORLDS[name]).minds, *minds, *strategies})
    plays, refused = set[str](), dict[str, str]()
    for mind in everyone:
        study = StudyFile(name="fit", cells=[cell(name, mind)])
        try:
            (spec,) = plan(study, Path()).episodes
        except StudyError as error:
            refused[mind] = str(error)
            continue
        plays.add(mind)
        record = played(prepare_setup(spec, {MODEL: open_model(MODEL)}))
        assert record.outcome.blame not in {"world", "ours"}, (mind, record.outcome)
    assert plays >= PLAYS.get(name, set())
    assert refused.keys() >= REFUSED.get(name, set())
    for mind, text in refused.items():
        assert "\n" not in text
        assert mind in text or name in text


def test_the_refusal_names_the_mind_the_scenario_the_reason_and_the_mend() -> None:
    study = StudyFile(name="fit", cells=[cell(HOUSE, "rmax")])
    with pytest.raises(
        StudyError, match=rf"'rmax' does not fit seat 'agent_0' of '{HOUSE}'.*behaviours.*choose"
    ):
        plan(study, Path())
    study = StudyFile(name="fit", cells=[cell(HOUSE, "hm")])
    with pytest.raises(
        StudyError, match=rf"'hm@{MODEL}' does not fit.*no scaffold.*use a prompting strategy"
    ):
        plan(study, Path())
