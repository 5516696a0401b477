"""Partners that reward and punish: tit-for-tat with its variants, grim, corrigible.

Behaviour 0 is the kind one, a partner's last one the unkind one, by the convention of
:mod:`otherminds.games`. They make no sense in games of pure rivals, and are not there.
"""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.games.predictors.predictor import Predictor, Setting, State
from otherminds.games.predictors.registry import predictors
from otherminds.games.predictors.words import choice, mostly, times

BITS = 2.0
STRIKES = 4
"""More of them than this are not believed in."""
NOISE = 0.15
FORGIVENESS = 1 / 3
"""How often a generous partner lets an unkindness pass: Nowak & Sigmund 1992, for the usual payoffs."""
RARE = 2.0
"""The bits that it takes to say that a partner is noisy, or generous."""


@predictors.register("tit_for_tat")
def tit_for_tat(setting: Setting) -> Iterator[Predictor]:
    """Kind, until it has met ``n`` unkind behaviours in a row; kind again after a kind one.

    With one strike also noisy, or generous. Axelrod 1984; Nowak & Sigmund 1992.
    """
    if not setting.social:
        return
    unkind = setting.theirs - 1

    def made(strikes: int, noise: float, forgiving: float, name: str, says: str, bits: float) -> Predictor:
        def output(row: State) -> tuple[float, ...]:
            if row < strikes:
                return mostly(0, setting.theirs, noise)
            return mostly(unkind, setting.theirs, noise or forgiving)

        def after(row: State, theirs: int, own: int) -> State:
            return min(strikes, row + 1) if own else 0

        return Predictor(name, f"{says}.", bits, 0, output, after)

    kind, hard = setting.named(0), setting.named(unkind)
    for n in range(1, STRIKES):
        says = f"They play {kind}, and {hard} after anything else was met {times(n)} in a row"
        yield made(n, 0.0, 0.0, f"tit for {n} tats" if n > 1 else "tit for tat", says, BITS + n - 1)
    says = f"They play {kind} after {setting.mine(0)} and {hard} after anything else"
    yield made(1, NOISE, 0.0, "tit for tat with slips", f"{says}, most of the time", BITS + RARE)
    yield made(1, 0.0, FORGIVENESS, "generous tit for tat", f"{says}, but forgive at times", BITS + RARE)


@predictors.register("grim")
def grim(setting: Setting) -> Iterator[Predictor]:
    """Kind, until it has met ``n`` unkind behaviours; then unkind for ever. Friedman 1971."""
    if not setting.social:
        return
    unkind = setting.theirs - 1
    for n in range(1, STRIKES + 1):
        yield Predictor(
            f"grim after {n}",
            f"They play {setting.named(0)} until anything but {setting.mine(0)} was met {times(n)}, "
            f"then {setting.named(unkind)} for ever.",
            BITS + n - 1,
            0,
            lambda crossed, n=n: mostly(unkind if crossed == n else 0, setting.theirs, 0.0),
            lambda crossed, theirs, own, n=n: min(n, crossed + (own != 0)),
        )


@predictors.register("corrigible")
def corrigible(setting: Setting) -> Iterator[Predictor]:
    """Unkind, until it has met ``n`` unkind behaviours; then tit-for-tat, beginning kindly. Also with slips."""
    if not setting.social:
        return
    unkind = setting.theirs - 1

    def made(n: int, noise: float) -> Predictor:
        def output(state: State) -> tuple[float, ...]:
            if state < n:
                return mostly(unkind, setting.theirs, 0.0)
            return mostly(0 if state == n else unkind, setting.theirs, noise)

        def after(state: State, theirs: int, own: int) -> State:
            return state + (own != 0) if state < n else n + (own != 0)

        slips = " with slips" if noise else ""
        return Predictor(
            f"corrigible after {n}{slips}",
            f"They play {setting.named(unkind)} until they were paid back {times(n)}; "
            f"from then on they do to you as you did to them{', most of the time' if noise else ''}.",
            BITS + choice(STRIKES) + (RARE if noise else 0.0),
            0,
            output,
            after,
        )

    for n in range(1, STRIKES + 1):
        yield made(n, 0.0)
        yield made(n, NOISE)
