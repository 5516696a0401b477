"""Counts tokens and costs of models, and enforces a budget."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Protocol

from msgspec.structs import replace

from otherminds.core.errors import OtherMindsError, StudyError
from otherminds.core.model import Model, Price, Usage, cost
from otherminds.models.billing import sent_texts
from otherminds.models.registry import identity
from otherminds.models.wrapper import ModelRequest, Reply, Wrapper, bill


class BudgetSpentError(OtherMindsError):
    """The user's limit is reached; with a higher limit the run continues."""

    blame = "study"


class Account(Protocol):
    """Keeps what is spent where it outlasts the process, so that a later run of the study knows."""

    def reserve(self, model: str, most: Usage) -> int:
        """Keeps that a request of ``model`` may cost ``most``; it counts as spent until it is paid. Returns its number."""
        ...

    def pay(self, model: str, usage: Usage, reservation: int | None = None) -> None:
        """Keeps what a request has cost, in place of its ``reservation``."""
        ...


class Budget:
    """The budget and the expenses of a run, shared by its models; some of these are estimated.

    ``max_cost`` is in US dollars, by ``prices`` (by model identity); ``max_tokens`` counts
    prompt and completion tokens, cached ones included. ``max_seconds`` counts from now, in wall-clock time.
    ``None`` is no limit.
    """

    def __init__(
        self,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        prices: Mapping[str, Price] | None = None,
        max_seconds: float | None = None,
    ) -> None:
        self.max_cost = max_cost
        self.max_tokens = max_tokens
        self.prices = prices or {}
        self.max_seconds = max_seconds
        self._start = monotonic()
        self.cost = self.estimated_cost = 0.0
        self.tokens = self.estimated_tokens = 0
        self.account: Account | None = None
        self.guard: Callable[[], None] | None = None
        """Called before every call; raises where no more may be made, whatever is left."""

    def price(self, model: str) -> Price | None:
        """The price of ``model``, if known.

        Raises:
            StudyError: it is unknown, and the cost is limited.
        """
        price = self.prices.get(model)
        if price is None and self.max_cost is not None:
            raise StudyError(
                f"a limit of the cost needs the price of {model!r}: add a table [{model!r}] with input and output "
                "(US dollars for a million tokens) to the file of --prices; 0 for a model of your own"
            )
        return price

    def reserve(self, model: str, most: Usage) -> int | None:
        """Reserves the most that a call of this run may cost, before it is made; no limit counts it yet."""
        return None if self.account is None else self.account.reserve(model, most.possible)

    def pay(self, model: str, usage: Usage, reservation: int | None = None) -> None:
        """Counts a call of this run, in place of its ``reservation``."""
        self.add(model, usage)
        if self.account is not None:
            self.account.pay(model, usage, reservation)

    def add(self, model: str, usage: Usage) -> None:
        usage = usage.possible
        self.tokens += usage.prompt + usage.completion
        self.estimated_tokens += usage.estimated_prompt + usage.estimated_completion
        price = self.price(model)
        if price is not None:
            self.cost += cost(usage, price)
            self.estimated_cost += cost(usage.estimated, price)

    def check(self) -> None:
        """Checks that another call is allowed.

        Raises:
            BudgetSpentError: a limit is reached.
            RunStoppedError: the folder of the run is not there any more.
        """
        if self.guard is not None:
            self.guard()
        if self.max_cost is not None and self.cost >= self.max_cost:
            raise BudgetSpentError(f"{self.cost:.4f} US dollars are spent, of {self.max_cost:g} allowed")
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            raise BudgetSpentError(f"{self.tokens:,} tokens are spent, of {self.max_tokens:,} allowed")
        if self.max_seconds is not None and monotonic() - self._start >= self.max_seconds:
            raise BudgetSpentError("the time allowed is over")


class Metered(Wrapper):
    """Counts every request into ``budget``, and sends none once that is spent.

    A model on a server has each request counted that it sends, whether or not a reply is read; a call may take several.
    Of other models each call is counted that is answered. The check precedes the request, so each running episode may exceed the limit
    by one request.
    """

    def __init__(self, inner: Model, budget: Budget) -> None:
        super().__init__(inner)
        self.budget = budget
        self.name = identity(inner.spec)
        budget.price(self.name)
        self._billed = bill(inner, self)

    def check(self) -> None:
        """See :meth:`Budget.check`."""
        self.budget.check()

    def reserve(self, most: Usage) -> int | None:
        """See :meth:`Budget.reserve`."""
        return self.budget.reserve(self.name, most)

    def pay(self, usage: Usage, reservation: int | None) -> None:
        """Counts a request of this model."""
        self.budget.pay(self.name, usage, reservation)

    async def around(
        self, request: ModelRequest, kind: type[Reply], call: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        self.check()
        if self._billed:
            return await call()
        texts = [*(message.content for message in request.messages), *request.continuations]
        reservation = self.reserve(
            sent_texts(texts, request.decoding.max_tokens if request.decoding else 0).unanswered()
        )
        charge = Usage()
        try:
            reply = await call()
            charge = reply.usage.possible
            return replace(reply, usage=charge)
        finally:
            self.pay(charge, reservation)
