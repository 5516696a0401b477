"""Counts tokens and costs of models, and enforces a budget."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from time import monotonic

from otherminds.core.errors import OtherMindsError, StudyError
from otherminds.core.model import Model, Price, Usage, cost
from otherminds.models.registry import identity
from otherminds.models.wrapper import ModelRequest, Reply, Wrapper


class BudgetSpentError(OtherMindsError):
    """The user's limit is reached; with a higher limit the run continues."""

    blame = "study"


class Budget:
    """The budget and the expenses of a run, shared by its models.

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
        self.cost = 0.0
        self.tokens = 0
        self.keep: Callable[[str, Usage], None] | None = None
        """Called with every paid call, so that a later run of the study knows."""

    def price(self, model: str) -> Price | None:
        """The price of ``model``, if known.

        Raises:
            StudyError: it is unknown, and the cost is limited.
        """
        found = self.prices.get(model)
        if found is None and self.max_cost is not None:
            raise StudyError(
                f"a limit of the cost needs the price of {model!r}: add a table [{model!r}] with input and output "
                "(US dollars for a million tokens) to the file of --prices; 0 for a model of your own"
            )
        return found

    def pay(self, model: str, usage: Usage) -> None:
        """Counts a call of this run."""
        self.add(model, usage)
        if self.keep is not None:
            self.keep(model, usage)

    def add(self, model: str, usage: Usage) -> None:
        self.tokens += usage.prompt + usage.completion
        price = self.price(model)
        if price is not None:
            self.cost += cost(usage, price)

    def check(self) -> None:
        """Checks that another call is allowed.

        Raises:
            BudgetSpentError: a limit is reached.
        """
        if self.max_cost is not None and self.cost >= self.max_cost:
            raise BudgetSpentError(f"{self.cost:.4f} US dollars are spent, of {self.max_cost:g} allowed")
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            raise BudgetSpentError(f"{self.tokens:,} tokens are spent, of {self.max_tokens:,} allowed")
        if self.max_seconds is not None and monotonic() - self._start >= self.max_seconds:
            raise BudgetSpentError("the time allowed is over")


class Metered(Wrapper):
    """Counts every call into ``budget``, and makes none once that is spent.

    The check precedes the call, so each running episode may exceed the limit by one call.
    """

    def __init__(self, inner: Model, budget: Budget) -> None:
        super().__init__(inner)
        self.budget = budget
        self.name = identity(inner.spec)
        budget.price(self.name)

    async def around(
        self, request: ModelRequest, kind: type[Reply], call: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        self.budget.check()
        reply = await call()
        self.budget.pay(self.name, reply.usage)
        return reply
