"""Replies of models that say nothing: empty, refused, removed by a content filter, or cut before an answer.

An episode can be scored although its model said nothing, where a world falls back to an action of its own. So these
are counted beside the outcomes of episodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.record import Call, Record

READ = ("strict", "lenient")
UNREAD = ("none", "other")


class ReplyCounts(Struct, frozen=True):
    """Numbers of replies: of all that were asked for, of those that say nothing, by the cause, and of other options.

    ``read`` and ``unread`` are those replies to questions in which a reader found an answer, and in which none did;
    ``first`` is the first of the unread ones that has words. Scored continuations are no replies; ``scores`` counts
    them. A reply that was cut counts as ``cut`` if it is empty or no reader found
    an answer in it; one that is complete counts as ``empty`` if it has neither text nor a tool call. ``other`` are the replies that
    say something, but choose what is none of the options; they are unread, too.

    >>> (ReplyCounts(2, empty=1) + ReplyCounts(1, empty=1, cut=0)).silent
    False
    """

    all: int = 0
    empty: int = 0
    refused: int = 0
    filtered: int = 0
    cut: int = 0
    read: int = 0
    unread: int = 0
    scores: int = 0
    first: str = ""
    other: int = 0

    def __add__(self, other: ReplyCounts) -> ReplyCounts:
        return ReplyCounts(
            self.all + other.all,
            self.empty + other.empty,
            self.refused + other.refused,
            self.filtered + other.filtered,
            self.cut + other.cut,
            self.read + other.read,
            self.unread + other.unread,
            self.scores + other.scores,
            self.first or other.first,
            self.other + other.other,
        )

    @property
    def silent(self) -> bool:
        """Whether there were replies, and none of them said anything."""
        return 0 < self.all == self.empty + self.refused + self.filtered + self.cut

    @property
    def unscored(self) -> bool:
        """Whether there were replies, and nothing that the model said could be scored."""
        return self.silent or (not self.read and not self.scores and self.unread > 0)


def reply_counts(record: Record) -> dict[str, ReplyCounts]:
    """The replies of each model in a record, by the model's name."""
    by_model: dict[str, ReplyCounts] = {}
    for call in record.calls:
        model = record.spec.seats[call.seat].model
        by_model[model] = by_model.get(model, ReplyCounts()) + _count_reply(call)
    return by_model


def add_counts(counts: Iterable[Mapping[str, ReplyCounts]]) -> dict[str, ReplyCounts]:
    """The sums of ``counts`` of several records, by model."""
    totals: dict[str, ReplyCounts] = {}
    for by_model in counts:
        for model, count in by_model.items():
            totals[model] = totals.get(model, ReplyCounts()) + count
    return totals


def _count_reply(call: Call) -> ReplyCounts:
    if call.continuations:
        return ReplyCounts(scores=1)
    if call.read in READ:
        return ReplyCounts(1, read=1)
    words = call.reply.strip() or " ".join(f"{name}({arguments})" for name, arguments in call.tools)
    lost = ReplyCounts(1, unread=int(call.read in UNREAD), first=words if call.read in UNREAD else "")
    if call.finish == "refusal":
        return replace(lost, refused=1)
    if call.finish == "filter":
        return replace(lost, filtered=1)
    if call.finish == "length" and (not words or call.read == "none"):
        return replace(lost, cut=1)
    return replace(lost, empty=int(not words), other=int(call.read == "other"))
