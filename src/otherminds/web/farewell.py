"""What a person is told at the end of an episode: what it earned, what others would have, and what it knew."""

from __future__ import annotations

from otherminds.core.record import Record
from otherminds.measures.registry import ego, under_test


def describe_episode(record: Record) -> str:
    """The end of an episode in a few sentences, without a verdict: one episode allows none."""
    seat = ego(record)
    steps = len(record.rewards)
    if record.outcome.status != "scored":
        return f"The episode ended after {steps} steps and is not scored: {record.outcome.reason or record.outcome.status}."
    encounters = len(record.met.get(seat, ()))
    # In a game of rounds, each of them is an encounter and has the same number of steps.
    unit = "round" if encounters and steps % encounters == 0 else "step"
    count = encounters if unit == "round" else steps
    place = record.seats.index(seat)
    last = sum(rewards[place] for rewards in record.rewards[-(steps // count) :])
    sentences = [
        f"The last {unit} earned you {last:g}.",
        f"You earned {record.total(seat):g} in {count} {unit}{'s' * (count != 1)}.",
    ]
    bounds = record.bounds
    if bounds is not None and bounds.best is not None and bounds.blind is not None:
        sentences.append(
            f"On average over the partners that you could have met, the best plan that ignores its partner earns {bounds.blind:.3g}, "
            f"and a player who knows its partner earns {bounds.best:.3g}."
        )
    if bounds is not None and bounds.informed is not None:
        sentences.append(
            f"Against the partner that you met, a player who knows it earns {bounds.informed:.3g} on average."
        )
    answers = [
        answer for answer in record.asked if record.questions[answer.question].seat in under_test(record)
    ]
    checked = [answer for answer in answers if answer.truth is not None]
    if checked:
        right = sum(answer.invalid is None and answer.answer == answer.truth for answer in checked)
        sentences.append(f"You answered {right} of {len(checked)} questions right.")
    names = sorted({partner.name for partner in record.partners.values()})
    if names:
        sentences.append(
            f"{'Your partner was' if len(names) == 1 else 'Your partners were'} {', '.join(names)}."
        )
    sentences.append("One episode says little: a verdict takes at least six distinct ones.")
    return " ".join(sentences)
