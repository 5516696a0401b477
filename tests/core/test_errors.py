import pytest

from otherminds.core import errors
from otherminds.core.errors import OtherMindsError
from tests.cases import for_each

BLAMES = {
    "ProviderError": "provider",
    "TransientError": "provider",
    "ReplyError": "reply",
    "WorldError": "world",
    "TaskError": "task",
    "StudyError": "study",
    "UnknownNameError": "study",
    "InternalError": "ours",
}


@for_each(("name", "blame"), BLAMES.items())
def test_each_error_names_whose_fault_it_is(name: str, blame: str) -> None:
    kind = getattr(errors, name)
    with pytest.raises(OtherMindsError, match="what is wrong") as caught:
        raise kind("what is wrong")
    assert caught.value.blame == blame
    assert kind.__doc__


def test_every_error_of_the_module_is_known_here() -> None:
    found = {
        name
        for name, thing in vars(errors).items()
        if isinstance(thing, type) and issubclass(thing, OtherMindsError) and thing is not OtherMindsError
    }
    assert found == set(BLAMES)


def test_no_error_catches_another_but_its_own_kind() -> None:
    kinds = [getattr(errors, name) for name in BLAMES]
    inside = {(a.__name__, b.__name__) for a in kinds for b in kinds if a is not b and issubclass(a, b)}
    assert inside == {("TransientError", "ProviderError"), ("UnknownNameError", "StudyError")}


def test_a_service_may_say_how_long_to_wait() -> None:
    assert errors.TransientError("busy", 2.5).after == 2.5
    assert errors.TransientError("busy").after is None
