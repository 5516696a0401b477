import pytest

from otherminds.core.errors import StudyError
from otherminds.models.competent.model import ability
from otherminds.models.competent.situation import Ability
from otherminds.models.registry import open_model
from tests.cases import for_each


@pytest.mark.parametrize("spec", ["competent", "competent:accuracy=0.9&rationality=0.8&seed=3"])
def test_it_opens_by_its_spec(spec):
    assert open_model(spec).spec == spec


def test_options_are_read():
    assert ability("") == Ability()
    assert ability("accuracy=0.9&rationality=0.8&seed=3") == Ability(0.9, 0.8, seed=3)
    assert ability("accuracy=0.9&insight=0.2") == Ability(0.9, insight=0.2)


def test_who_has_no_insight_set_thinks_up_strategies_as_accurately_as_it_predicts():
    assert (Ability(0.7).finds, Ability(0.7, insight=0.0).finds) == (0.7, 0.0)


@for_each(
    "options",
    [
        "accuracy=2",
        "insight=2",
        "accuracy=-0.1",
        "accuracy=x",
        "accuracy=nan",
        "seed=1.5",
        "skill=1",
        "seed=1&seed=2",
        "accuracy",
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(StudyError):
        ability(options)
