"""How much of what a language model said was of no use, and how often a mind had to do without."""

from __future__ import annotations

from otherminds.core.data import Invalid
from otherminds.core.record import Record
from otherminds.core.thinking import FALLBACK, THINKING, UNUSABLE
from otherminds.measures.hypothesis_tracks import NO_CALLS
from otherminds.measures.registry import Inapplicable, Unknown, measures, ratios
from otherminds.measures.seats import ego, under_test

MOST = 0.2
"""Above this share of fallbacks an episode is marked wherever a number of it is shown."""
PLAN = "plan"
"""The step of the requests by which a mind carries a choice out."""


@ratios.register("unusable_replies")
def unusable_replies(record: Record) -> tuple[float, float] | Unknown:
    """Share of model calls (0 to 1) whose reply could not be read.

    Minds that reason in steps note each such reply. Of others a re-ask tells that the reply
    before was unusable, and an invalid decision or answer that the last one was.
    """
    team = under_test(record)
    calls = [call for call in record.calls if call.seat in team]
    if not calls:
        return Inapplicable(NO_CALLS)
    kinds = [note.kind for note in record.notes if note.seat in team]
    if {THINKING, UNUSABLE, FALLBACK} & set(kinds):
        return float(kinds.count(UNUSABLE)), float(len(calls))
    put = [question.seat in team for question in record.questions]
    invalid = sum(choice.seat in team and isinstance(choice.made, Invalid) for choice in record.choices)
    invalid += sum(put[asked.question] and asked.invalid is not None for asked in record.asked)
    return float(min(len(calls), sum(call.attempt > 0 for call in calls) + invalid)), float(len(calls))


@ratios.register("fallbacks_an_encounter")
def fallbacks_an_encounter(record: Record) -> tuple[float, float] | Unknown:
    """How often in an encounter nothing usable came in the end, and a declared fallback was taken."""
    mine, team = ego(record), under_test(record)
    if not any(call.seat in team for call in record.calls):
        return Inapplicable(NO_CALLS)
    taken = sum(note.seat in team and note.kind == FALLBACK for note in record.notes)
    return float(taken), float(len(record.met.get(mine, ())))


@measures.register("fallback_share")
def fallback_share(record: Record) -> float | Unknown:
    """Share (0 to 1) of requests to the model that ended in a declared fallback.

    A request is what is asked in one step of the episode for one purpose, with its re-asks; it ends in
    a usable reply or in a fallback. The share is taken of all requests of the seats under test, and of
    their requests for a plan alone; the larger one counts, so that many usable predictions do not
    hide plans that could not be read. Minds that declare no fallbacks have a share of 0.
    """
    team = under_test(record)
    requests = {(call.seat, call.step, call.purpose) for call in record.calls if call.seat in team}
    if not requests:
        return Inapplicable(NO_CALLS)
    fallen = {(n.seat, n.step, n.data["purpose"]) for n in record.notes if n.kind == FALLBACK} & requests
    plans = {request for request in requests if request[2].partition(":")[0] == PLAN}
    return max(len(fallen & some) / len(some) for some in (requests, plans) if some)


def marked(record: Record) -> bool:
    """Whether its share of fallbacks exceeds :data:`MOST`: what it earned says little of its model."""
    share = fallback_share(record)
    return isinstance(share, float) and share > MOST
