"""Opens the competent stand-in: ``competent``, ``competent:accuracy=0.9&rationality=0.8&seed=3``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from otherminds.core.data import Message
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.models.competent.answers import reply
from otherminds.models.competent.forced import answered, chosen, forced
from otherminds.models.competent.parsing import Prompt
from otherminds.models.competent.situation import Ability, Situation
from otherminds.models.registry import models
from otherminds.models.scripted import ScriptedModel, favouring


@models.register("competent")
def competent(rest: str) -> ScriptedModel:
    """competent:accuracy=P&rationality=Q&insight=R&seed=N, a stand-in of known ability for minds that reason in steps.

    In repeated matrix games it answers prompting strategies too, in text and in scores;
    elsewhere it scores all alike.

    Raises:
        StudyError: an option that does not exist, twice the same, or a value it cannot have.
    """
    able = ability(rest)

    def answer(messages: Sequence[Message], decoding: Decoding) -> str:
        put = forced(messages[-1].content)
        if put is not None:
            return answered(put, able, decoding.seed)
        return reply(Situation(Prompt(messages), able, decoding.seed))

    def score(prompt: str, continuations: Sequence[str]) -> Sequence[float]:
        put, labels = forced(prompt), [text.strip() for text in continuations]
        liked = chosen(put, able) if put is not None and put.labels else None
        return favouring(labels.index(liked) if liked in labels else None, len(labels))

    return ScriptedModel(answer, score, spec=f"competent:{rest}" if rest else "competent")


def ability(text: str) -> Ability:
    """Reads ``name=value&name=value``.

    >>> ability("accuracy=0.9&seed=3")
    Ability(accuracy=0.9, rationality=1.0, insight=None, seed=3)

    Raises:
        StudyError: as :func:`competent`.
    """
    found: dict[str, str] = {}
    for one in filter(None, text.split("&")):
        name, _, value = one.partition("=")
        if name not in Ability.__struct_fields__:
            known = ", ".join(Ability.__struct_fields__)
            raise StudyError(f"the competent model has no option {name!r}; it takes {known}")
        if name in found:
            raise StudyError(f"the competent model has the option {name!r} twice; write it once")
        found[name] = value
    return Ability(
        _read("accuracy", found.get("accuracy", "1"), _share, "a number from 0 to 1"),
        _read("rationality", found.get("rationality", "1"), _share, "a number from 0 to 1"),
        _read("insight", found["insight"], _share, "a number from 0 to 1") if "insight" in found else None,
        int(_read("seed", found.get("seed", "0"), int, "a whole number")),
    )


def _read(name: str, value: str, read: Callable[[str], float], what: str) -> float:
    try:
        return read(value)
    except ValueError:
        raise StudyError(f"the option {name!r} of the competent model is {what}, not {value!r}") from None


def _share(value: str) -> float:
    share = float(value)
    if not 0 <= share <= 1:
        raise ValueError(value)
    return share
