"""Strategies in words, each a sentence and a state machine that does what it says, and which explains a history best.

A family makes all its sentences for a setting; a sentence is parsed by looking it up among
them. The cost of a rule is its length plus what it does not explain, in bits, so that the
simplest that fits is the best."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from math import log2
from typing import Any, TypeAlias

State: TypeAlias = Hashable
Matrix: TypeAlias = tuple[tuple[float, ...], ...]
History: TypeAlias = Sequence[tuple["int | None", "int | None"]]
"""(their behaviour, own behaviour) of each encounter, oldest first; ``None`` where unknown."""

DOUBT = 1 / 32
"""The error rate that a rule assumes."""
STRIKES = (1, 2, 3)
COUNTED = 7.0
"""The bits of a sentence that counts."""
LATEST = 8
"""The latest encounter of a change of strategy."""


@dataclass(frozen=True)
class StrategySetting:
    """The behaviours by name; ``partner_payoffs[i][j]`` pays the other for its j against the own i.

    ``kind``: the own and their behaviour that help the other side at a cost, as cooperation
    does; ``None`` where there is no such pair.
    """

    own: tuple[str, ...]
    theirs: tuple[str, ...]
    partner_payoffs: Matrix | None = None
    kind: tuple[int, int] | None = None


@dataclass(frozen=True)
class StrategyRule:
    """An executable sentence.

    ``says(state)`` is their next behaviour, ``None`` if undetermined; ``after(state, theirs,
    own)`` the state after an encounter. ``settled(state)`` is for rules that learn, which have too many states to
    plan with: the rule that has learnt as in ``state`` and learns no more.
    """

    sentence: str
    bits: float
    start: State
    says: Callable[[State], int | None]
    after: Callable[[State, int | None, int | None], State]
    doubt: float = DOUBT
    settled: Callable[[State], StrategyRule] | None = None

    def state(self, history: History) -> State:
        state = self.start
        for theirs, own in history:
            state = self.after(state, theirs, own)
        return state

    def cost(self, history: History, behaviours: int) -> float:
        """Its length and its surprise at ``history``, in bits."""
        bits, state = self.bits, self.start
        right, wrong = -log2(1 - self.doubt), -log2(self.doubt / max(1, behaviours - 1))
        for theirs, own in history:
            prediction = self.says(state)
            if theirs is not None:
                bits += log2(behaviours) if prediction is None else right if prediction == theirs else wrong
            state = self.after(state, theirs, own)
        return bits


Family: TypeAlias = Callable[[StrategySetting], Iterable[StrategyRule]]
FAMILIES: list[Family] = []


def family(make: Family) -> Family:
    """Registers a family of strategies."""
    FAMILIES.append(make)
    return make


@cache
def rules(setting: StrategySetting) -> dict[str, StrategyRule]:
    """Every rule for ``setting`` by its sentence; the first of equal sentences."""
    by_sentence: dict[str, StrategyRule] = {}
    for make in FAMILIES:
        for rule in make(setting):
            by_sentence.setdefault(rule.sentence, rule)
    return by_sentence


def read(text: str, setting: StrategySetting) -> StrategyRule | None:
    """The rule whose sentence ``text`` contains, or ``None``.

    Of several it is the one that begins last, as a conclusion does, then the longest.
    """
    known = rules(setting)
    if text in known:
        return known[text]
    said = [sentence for sentence in known if sentence in text]
    return known[max(said, key=lambda sentence: (text.rfind(sentence), len(sentence)))] if said else None


def answering(
    sentence: str, bits: float, says: Callable[[int], int | None], doubt: float = DOUBT
) -> StrategyRule:
    """A rule that depends on the last own behaviour alone."""

    def said(state: State) -> int | None:
        return None if state is None else says(_whole(state))

    return StrategyRule(sentence, bits, None, said, lambda state, theirs, own: own, doubt)


def counting(
    sentence: str, bits: float, says: Callable[[int], int | None], counts: Callable[[int | None], int]
) -> StrategyRule:
    """A rule that depends on a count of own behaviours."""

    def after(state: State, theirs: int | None, own: int | None) -> State:
        return _whole(state) + counts(own)

    return StrategyRule(sentence, bits, 0, lambda state: says(_whole(state)), after)


@family
def always(setting: StrategySetting) -> Iterator[StrategyRule]:
    """One constant behaviour; an unconditionally kind one takes more bits."""
    for j, name in enumerate(setting.theirs):
        generous = setting.kind is not None and setting.kind[1] == j
        bits = 1 + log2(len(setting.theirs)) + 3 * generous
        yield StrategyRule(f"They always play {name}.", bits, None, lambda _, j=j: j, _still)


@family
def best_response(setting: StrategySetting) -> Iterator[StrategyRule]:
    """The best response to the last own play."""
    if setting.partner_payoffs is not None:
        best = tuple(_best(row) for row in setting.partner_payoffs)
        yield answering("They play what does best against my last play.", 2.5, lambda own: best[own])


@family
def copying(setting: StrategySetting) -> Iterator[StrategyRule]:
    """Tit for tat, where both sides have the same behaviours."""
    if {*setting.own} == {*setting.theirs}:
        same = tuple(setting.theirs.index(name) for name in setting.own)
        yield answering("They copy my last play.", 2.5, lambda own: same[own])
        yield answering("They copy my last play, but not always.", 5, lambda own: same[own], 4 * DOUBT)


@family
def grim(setting: StrategySetting) -> Iterator[StrategyRule]:
    """One behaviour until a number of defections, then always the other."""
    for (own, a, b), n in product(_crossings(setting), STRIKES):
        bits = (2 if setting.kind == (1 - own, a) else 6) + log2(n)
        yield counting(
            f"They play {setting.theirs[a]} until I have played {setting.own[own]} {_times(n)}, "
            f"and {setting.theirs[b]} ever after.",
            bits,
            lambda count, a=a, b=b, n=n: a if count < n else b,
            lambda played, own=own: int(played == own),
        )


@family
def corrigible(setting: StrategySetting) -> Iterator[StrategyRule]:
    """One behaviour until repaid a number of times, then tit for tat, starting with the other."""
    if {*setting.own} != {*setting.theirs}:
        return
    for (own, a, b), n in product(_crossings(setting), STRIKES):
        if setting.theirs[b] != setting.own[own]:
            continue
        bits = (4 if setting.kind == (1 - own, a) else 7) + log2(n)

        def after(state: State, theirs: int | None, played: int | None, own: int = own, n: int = n) -> State:
            count = _whole(state)
            return count + (played == own) if count < n else n + (played == own)

        yield StrategyRule(
            f"They play {setting.theirs[b]} until I have played {setting.own[own]} {_times(n)}, "
            "and copy my last play from then on.",
            bits,
            0,
            lambda state, a=a, b=b, n=n: a if state == n else b,
            after,
        )


@family
def change(setting: StrategySetting) -> Iterator[StrategyRule]:
    """A change at a fixed time."""
    pairs = list(permutations(range(len(setting.theirs)), 2))
    for (a, b), n in product(pairs, range(1, LATEST + 1)):
        yield counting(
            f"They play {setting.theirs[a]} {_times(n)} and {setting.theirs[b]} from then on.",
            2.5 + log2(len(pairs)) + log2(n),
            lambda count, a=a, b=b, n=n: a if count < n else b,
            lambda played: 1,
        )


@family
def turns(setting: StrategySetting) -> Iterator[StrategyRule]:
    """Cycles over two or all behaviours, from any start."""
    names = setting.theirs
    lengths = {2, len(names)} if 2 <= len(names) <= 4 else {2}
    for length in sorted(lengths):
        for order in permutations(range(len(names)), length):
            if order[0] != min(order):
                continue
            onward = {j: order[(at + 1) % length] for at, j in enumerate(order)}
            yield StrategyRule(
                f"They go through {', '.join(names[j] for j in order)} in turn.",
                5 + log2(len(names)),
                None,
                lambda state, onward=onward: None if state is None else onward.get(_whole(state)),
                lambda state, theirs, own, onward=onward: (
                    (None if state is None else onward.get(_whole(state))) if theirs is None else theirs
                ),
            )


@family
def stay_or_shift(setting: StrategySetting) -> Iterator[StrategyRule]:
    """Win-stay, lose-shift: repeats what pays at least the game's mean."""
    partner_payoffs, names = setting.partner_payoffs, setting.theirs
    if partner_payoffs is None or not 2 <= len(names) <= 3:
        return
    mean = sum(map(sum, partner_payoffs)) / (len(partner_payoffs) * len(names))
    for order in permutations(range(len(names))):
        if order[0] != 0:
            continue
        onward = {j: order[(at + 1) % len(order)] for at, j in enumerate(order)}

        def after(
            state: State, theirs: int | None, own: int | None, onward: dict[int, int] = onward
        ) -> State:
            if theirs is None or own is None:
                return None
            return theirs if partner_payoffs[own][theirs] >= mean else onward[theirs]

        in_turn = ", ".join(names[j] for j in order)
        sentence = f"They repeat what paid them well, and else go on to the next of {in_turn}."
        yield StrategyRule(sentence, 5, None, _last, after)


@family
def repeating(setting: StrategySetting) -> Iterator[StrategyRule]:
    """Repeats the last behaviour: fits what changes rarely."""

    def after(state: State, theirs: int | None, own: int | None) -> State:
        return state if theirs is None else theirs

    yield StrategyRule("They play again what they played last.", 7, None, _last, after, 2 * DOUBT)


@family
def best_response_to_most(setting: StrategySetting) -> Iterator[StrategyRule]:
    """Fictitious play: the best response to the own frequencies."""
    partner_payoffs = setting.partner_payoffs
    if partner_payoffs is None:
        return

    def says(state: State) -> int | None:
        counts = _counts(state)
        pays = zip(*partner_payoffs, strict=True)
        worth = [sum(n * pay for n, pay in zip(counts, column, strict=True)) for column in pays]
        return _best(worth) if any(counts) else None

    def after(state: State, theirs: int | None, own: int | None) -> State:
        return tuple(n + (i == own) for i, n in enumerate(_counts(state)))

    sentence = "They play what does best against all that I have played so far."
    yield StrategyRule(sentence, 6, (0,) * len(partner_payoffs), says, after)


@family
def mapped(setting: StrategySetting) -> Iterator[StrategyRule]:
    """Any fixed answer to each own behaviour."""
    own, theirs = setting.own, setting.theirs
    if len(theirs) ** len(own) > 64:
        return
    for answers in product(range(len(theirs)), repeat=len(own)):
        if len({*answers}) > 1:
            replies = ", ".join(f"my {own[i]} with {theirs[j]}" for i, j in enumerate(answers))
            bits = 3.5 + len(own) * log2(len(theirs))
            yield answering(f"Next time they answer {replies}.", bits, lambda i, answers=answers: answers[i])


@family
def counted(setting: StrategySetting) -> Iterator[StrategyRule]:
    """What came most often after the same behaviour of one side in one of the last two encounters: learnt by counting."""
    if len(setting.theirs) < 2:
        return
    for ago, whose, words in (
        (1, 0, "they played last"),
        (1, 1, "I played last"),
        (2, 0, "they played last but one"),
        (2, 1, "I played last but one"),
    ):
        yield _count_after(f"They do what they did most after what {words}.", ago, whose)


def _count_after(sentence: str, ago: int, whose: int) -> StrategyRule:
    """The state is the last pairs (theirs, own), and the pairs (context, behaviour) with their counts."""

    def read_context(last: tuple[tuple[int | None, int | None], ...]) -> int | None:
        return last[-ago][whose] if len(last) >= ago else None

    def says(state: State) -> int | None:
        last, table = _table(state)
        context = read_context(last)
        counts = {theirs: n for (at, theirs), n in table if at == context}
        return max(sorted(counts), key=counts.__getitem__) if context is not None and counts else None

    def shift(last: tuple[Any, ...], theirs: int | None, own: int | None) -> tuple[Any, ...]:
        return (*last, (theirs, own))[-ago:]

    def after(state: State, theirs: int | None, own: int | None) -> State:
        last, table = _table(state)
        context = read_context(last)
        if context is not None and theirs is not None:
            counts = dict(table)
            counts[context, theirs] = counts.get((context, theirs), 0) + 1
            table = tuple(sorted(counts.items()))
        return shift(last, theirs, own), table

    def settle(state: State) -> StrategyRule:
        last, table = _table(state)
        return StrategyRule(
            sentence,
            0.0,
            last,
            lambda at: says((at, table)),
            lambda at, theirs, own: shift(_table((at, ()))[0], theirs, own),
        )

    return StrategyRule(sentence, COUNTED, ((), ()), says, after, 2 * DOUBT, settle)


@family
def mostly(setting: StrategySetting) -> Iterator[StrategyRule]:
    """One behaviour more often than others: fits when nothing else does."""
    for j, name in enumerate(setting.theirs):
        bits = 4 + log2(len(setting.theirs))
        yield StrategyRule(f"They play {name} most of the time.", bits, None, lambda _, j=j: j, _still, 0.3)


def _crossings(setting: StrategySetting) -> Iterator[tuple[int, int, int]]:
    """(an own defection, their behaviour before, after), with two behaviours on each side."""
    if len(setting.own) == len(setting.theirs) == 2:
        yield from ((own, a, 1 - a) for own in (0, 1) for a in (0, 1))


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"


def _best(pays: Sequence[float]) -> int:
    return max(range(len(pays)), key=pays.__getitem__)


def _still(state: State, theirs: int | None, own: int | None) -> State:
    return state


def _last(state: State) -> int | None:
    return None if state is None else _whole(state)


def _whole(state: State) -> int:
    assert isinstance(state, int)
    return state


def _table(state: State) -> tuple[Any, Any]:
    assert isinstance(state, tuple)
    last, table = state
    return last, table


def _counts(state: State) -> tuple[int, ...]:
    assert isinstance(state, tuple)
    return state


AHEAD = 10
"""The planning horizon in encounters."""
STRONGEST = 12
"""The most boxes of one kind that an inferred inventory has."""
USUAL = 6
"""The number of boxes of a kind that is preferred among inventories that explain a reward equally."""
TRUST = 2.0
"""Bits that an earlier hypothesis gains per unit of its value."""


def kind(mine: Matrix, partner_payoffs: Matrix) -> tuple[int, int] | None:
    """The pair of behaviours that always help the other side at a cost to the player.

    >>> kind(((3, 0), (5, 1)), ((3, 5), (0, 1)))
    (0, 0)
    """
    if len(mine) != 2 or len(mine[0]) != 2:
        return None
    own = _costly(mine, partner_payoffs)
    theirs = _costly(tuple(zip(*partner_payoffs, strict=True)), tuple(zip(*mine, strict=True)))
    return None if own is None or theirs is None else (own, theirs)


def _costly(self_pays: Matrix, other_pays: Matrix) -> int | None:
    """The behaviour that always pays its player less and the other more than the alternative."""
    for b in (0, 1):
        less = all(x < y for x, y in zip(self_pays[b], self_pays[1 - b], strict=True))
        gains = all(x > y for x, y in zip(other_pays[b], other_pays[1 - b], strict=True))
        if less and gains:
            return b
    return None


def infer_class(own: Sequence[float], reward: float, mine: Matrix) -> int:
    """The class whose inventory, one of each and more of that, explains ``reward`` best."""
    kinds = range(len(mine[0]))

    def brings(j: int, count: int) -> float:
        other = [count if k == j else 1 for k in kinds]
        total = sum(own) * sum(other)
        return sum(own[i] * other[k] * mine[i][k] for i in range(len(own)) for k in kinds) / total

    guesses = [(j, count) for j in kinds for count in range(2, STRONGEST + 1)]
    # Prompts round rewards to three decimals.
    best = min(guesses, key=lambda g: (round(abs(brings(*g) - reward), 2), abs(g[1] - USUAL)))
    return best[0]


def explain_history(
    setting: StrategySetting, history: History, earlier: Iterable[tuple[float, str]]
) -> StrategyRule:
    """The rule that explains ``history`` with the fewest bits; earlier hypotheses have an advantage."""
    trusted = {text: max(0.0, value) * TRUST for value, text in earlier}
    many = len(setting.theirs)
    return min(
        rules(setting).values(), key=lambda rule: rule.cost(history, many) - trusted.get(rule.sentence, 0.0)
    )


def returns(rule: StrategyRule, history: History, mine: Matrix, expected: int | None) -> list[float]:
    """The return of each own behaviour over the horizon with optimal play against ``rule``.

    ``expected`` is the other's behaviour now, if known.
    """

    def each(state: State, expected: int | None, remaining: int) -> list[float]:
        now = range(len(mine[0])) if expected is None else (expected,)
        return [
            sum(row[j] + value(rule.after(state, j, i), remaining - 1) for j in now) / len(now)
            for i, row in enumerate(mine)
        ]

    @cache
    def value(state: State, remaining: int) -> float:
        return max(each(state, rule.says(state), remaining)) if remaining else 0.0

    state = rule.state(history)
    if rule.settled is not None:
        rule = rule.settled(state)
        state = rule.start
    return each(state, expected, AHEAD)


def best(values: Sequence[float]) -> int:
    """The index of the largest value; the first on ties."""
    return max(range(len(values)), key=lambda i: round(values[i], 9))


def estimate_payoffs(plays: Iterable[tuple[int | None, int | None, float]], own: int, theirs: int) -> Matrix:
    """Estimated payoffs: the mean reward of each pair of behaviours; of all rewards where unseen."""
    brought: dict[tuple[int, int], list[float]] = {}
    everything: list[float] = []
    for j, i, reward in plays:
        everything.append(reward)
        if i is not None and j is not None:
            brought.setdefault((i, j), []).append(reward)
    return tuple(tuple(_mean(brought.get((i, j), everything)) for j in range(theirs)) for i in range(own))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
