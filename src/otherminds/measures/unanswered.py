"""Replies of models that say nothing: empty, refused, removed by a content filter, or cut before an answer.

An episode can be scored although its model said nothing, where a world falls back to an action of its own. So these
are counted beside the outcomes of episodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from otherminds.core.record import Call, Record

READ = ("strict", "lenient")


class ReplyCounts(Struct, frozen=True):
    """Numbers of replies: of all that were asked for, of those that say nothing, by the cause, and of other options.

    Scored continuations are no replies. A reply that was cut counts as ``cut`` if it is empty or no reader found
    an answer in it; one that is complete counts as ``empty`` if it has neither text nor a tool call. ``other`` are the replies that say
    something, but choose what is none of the options.

    >>> (ReplyCounts(2, empty=1) + ReplyCounts(1, empty=1, cut=0)).silent
    False
    """

    all: int = 0
    empty: int = 0
    refused: int = 0
    filtered: int = 0
    cut: int = 0
    other: int = 0

    def __add__(self, other: ReplyCounts) -> ReplyCounts:
        return ReplyCounts(
            self.all + other.all,
            self.empty + other.empty,
            self.refused + other.refused,
            self.filtered + other.filtered,
            self.cut + other.cut,
            self.other + other.other,
        )

    @property
    def silent(self) -> bool:
        """Whether there were replies, and none of them said anything."""
        return 0 < self.all == self.empty + self.refused + self.filtered + self.cut


def reply_counts(record: Record) -> dict[str, ReplyCounts]:
    """The replies of each model in a record, by the model's name."""
    found: dict[str, ReplyCounts] = {}
    for call in record.calls:
        if not call.continuations:
            model = record.spec.seats[call.seat].model
            found[model] = found.get(model, ReplyCounts()) + _counted(call)
    return found


def added(counts: Iterable[Mapping[str, ReplyCounts]]) -> dict[str, ReplyCounts]:
    """The sums of ``counts`` of several records, by model."""
    found: dict[str, ReplyCounts] = {}
    for one in counts:
        for model, count in one.items():
            found[model] = found.get(model, ReplyCounts()) + count
    return found


def _counted(call: Call) -> ReplyCounts:
    blank = not call.reply.strip() and not call.tools
    if call.read in READ:
        return ReplyCounts(1)
    if call.finish == "refusal":
        return ReplyCounts(1, refused=1)
    if call.finish == "filter":
        return ReplyCounts(1, filtered=1)
    if call.finish == "length" and (blank or call.read == "none"):
        return ReplyCounts(1, cut=1)
    return ReplyCounts(1, empty=int(blank), other=int(call.read == "other"))
