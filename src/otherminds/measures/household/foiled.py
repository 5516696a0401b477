"""Literal theory of mind with foils: a probe passes only together with a foil whose true answer differs.

Hence a constant answer does not pass. Reports of others are judged by the log of observations and messages. If the log
cannot determine a report, or if no foil differs, the probe is left out and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal as OneOf
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.record import Asked, Record
from otherminds.epistemic.household_facts import Trial
from otherminds.measures.household.trace import Trace, trace
from otherminds.measures.literal import right
from otherminds.measures.registry import Accuracy, Ratio, Unknown, literals, ratios
from otherminds.measures.seats import under_test

NO_PROBES = "no literal probe was put: the goal has no K, or the study does not ask"
LEFT_OUT: dict[str, str] = {
    "unread": "it depends on a message that was not read",
    "outdated": "somebody saw or was told what is no longer so, or was never known",
    "no_foil": "no foil has another true answer",
}
"""The reasons for leaving out a probe, by name."""
NO_ROOM = (
    "no room above the best constant answerer: who takes others to believe what it does is right everywhere"
)

Why: TypeAlias = OneOf["", "unread", "outdated", "no_foil"]


class Pair(Struct, frozen=True):
    """A probe of ``seat`` with its foil. ``passed``: both were answered correctly; ``own``: an agent that attributes its own
    knowledge to all others would answer both correctly. ``chance`` (0 to 1) is the probability of passing at random.
    ``truths`` are the indices of the two true answers among the options. ``why`` is the reason for leaving it out.
    """

    name: str
    seat: str
    passed: bool = False
    own: bool = False
    chance: float = 0.0
    truths: tuple[int, int] = (0, 0)
    why: Why = ""


def asked_tests(record: Record) -> tuple[Trace, dict[str, Asked], dict[str, Trial]] | Unknown:
    """The facts, all answers by the id of their question, and the tests of the seats under test, by chain of the goal."""
    seen = trace(record)
    if isinstance(seen, Unknown):
        return seen
    mine = under_test(record)
    asked = {record.questions[one.question].id: one for one in record.asked}
    put = {question.id for question in record.questions if question.id in asked and question.seat in mine}
    tests = {name: test for name, test in seen.tests.items() if test.probe in put}
    return (seen, asked, tests) if tests else Unknown(NO_PROBES)


def pairs(record: Record) -> list[Pair] | Unknown:
    """All probes asked of the seats under test, in the order of the goal."""
    found = asked_tests(record)
    if isinstance(found, Unknown):
        return found
    seen, asked, tests = found
    return [_pair(record, seen, asked, name) for name in tests]


def literal_of_task(record: Record) -> tuple[float, float] | Unknown:
    """(won, winnable) of one episode; L of a task is the ratio of their sums over its episodes.

    With A the share of passed pairs and A₀ that of the best uninformed strategy, L = (A − A₀) / (1 − A₀). The uninformed
    strategies are: a constant answer, attributing one's own knowledge to all others, and random answers. Unknown, with
    the reason, if nothing was asked, all was left out, or A₀ is 1; such an episode is not part of the sums.
    """
    found = pairs(record)
    return found if isinstance(found, Unknown) else won(found)


def won(found: Sequence[Pair]) -> tuple[float, float] | Unknown:
    """:func:`literal_of_task` for some pairs, such as those of one seat."""
    kept = [pair for pair in found if not pair.why]
    if not kept:
        reasons = dict.fromkeys(LEFT_OUT[pair.why] for pair in found)
        return Unknown(f"every probe is left out: {'; '.join(reasons)}")
    base = _blind(kept)
    if len(kept) - base <= 0:
        return Unknown(NO_ROOM)
    return sum(pair.passed for pair in kept) - base, len(kept) - base


@literals.register("foils")
def with_foils(record: Record) -> Accuracy | Unknown:
    """The terms of L in one episode, as shares of all probes.

    The upper reference passes all probes that are not left out, so that an episode without such probes changes no mean.
    """
    found = pairs(record)
    if isinstance(found, Unknown):
        return found
    kept = [pair for pair in found if not pair.why]
    number = len(found)
    blind = _blind(kept) if kept else 0.0
    return Accuracy(sum(pair.passed for pair in kept) / number, blind / number, len(kept) / number)


@ratios.register("literal_entitled")
def literal_entitled(record: Record) -> tuple[float, float] | Unknown:
    """The share of probes (0 to 1) that pass with their foil, by the log."""
    found = pairs(record)
    if isinstance(found, Unknown):
        return found
    kept = [pair for pair in found if not pair.why]
    return float(sum(pair.passed for pair in kept)), float(len(kept))


def _left_out(why: str) -> Ratio:
    def share(record: Record) -> tuple[float, float] | Unknown:
        found = pairs(record)
        if isinstance(found, Unknown):
            return found
        return float(sum(pair.why == why for pair in found)), float(len(found))

    return share


for _why in LEFT_OUT:
    ratios.add(f"probes_{_why}", _left_out(_why))


def _blind(kept: Sequence[Pair]) -> float:
    """The number of pairs that the best uninformed strategy passes."""
    constant = max(sum(pair.truths == (k, k) for pair in kept) for k in range(3))
    return max(constant, sum(pair.own for pair in kept), sum(pair.chance for pair in kept))


def _pair(record: Record, seen: Trace, asked: dict[str, Asked], name: str) -> Pair:
    test = seen.tests[name]
    truth = seen.questions[test.probe].truth
    seat = record.questions[asked[test.probe].question].seat
    if truth in ("unread", "outdated"):
        return Pair(name, seat, why="unread" if truth == "unread" else "outdated")
    unfit = (truth, "unread", "outdated")
    fit = [foil for foil in asked if foil in test.foils and seen.questions[foil].truth not in unfit]
    if not fit:
        unread = any(seen.questions[foil].truth == "unread" for foil in test.foils)
        return Pair(name, seat, why="unread" if unread else "no_foil")
    # Prefer a foil that the asked agent can know and that its own knowledge answers wrongly; of these, the first asked.
    foil = min(fit, key=lambda one: (not seen.questions[one].fair, _own_right(seen, one)))
    both = (test.probe, foil)
    questions = [record.questions[asked[one].question] for one in both]
    answers = [asked[one] for one in both]
    return Pair(
        name=name,
        seat=seat,
        passed=all(map(right, answers)),
        own=all(_own_right(seen, one) for one in both),
        chance=questions[0].chance * questions[1].chance,
        truths=(questions[0].options.index(answers[0].truth), questions[1].options.index(answers[1].truth)),
    )


def _own_right(seen: Trace, question: str) -> bool:
    """Whether the asked agent's own knowledge is the true answer; true if the log cannot determine it."""
    found = seen.questions[question]
    return found.own in (found.truth, "unread", "outdated")
