"""The compiled kernel is the plain rules, bit for bit: every array, every step; and windows show what lies in the cells."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.gridworlds.commons import rules as columns
from otherminds.gridworlds.commons import views
from otherminds.gridworlds.commons.rules import (
    CLEAN_UP,
    COIN,
    COINS,
    DIRT,
    HARVEST,
    SUBSTRATES,
    ZAPPING,
    Beam,
    Rules,
    State,
    empty,
)
from otherminds.gridworlds.commons.tables import tables
from otherminds.gridworlds.commons.world import engine, make_substrate
from otherminds.gridworlds.grid.rules import View
from otherminds.gridworlds.grid.world import KernelEngine
from tests.cases import for_each
from tests.gridworlds.commons.plain import Plain
from tests.gridworlds.grid.plain_engine import cut

SMALL_COINS = replace(COINS, name="few", smallest=4, rates=(0.1,), minimum=20, interval=5, maximum=50)
PATCH = replace(
    HARVEST,
    name="patch",
    drawing="WWWWWWWW\nWQAA APW\nWAQAAAPW\nWPAA PPW\nWPPPA PW\nWWWWWWWW",
    players=6,
    rates=(0.0, 0.1, 0.3),
    zap=Beam(2, 1),
    respawn=2,
    minimum=20,
    interval=5,
    maximum=50,
)
BROOK = replace(
    CLEAN_UP,
    name="brook",
    drawing="WWWWWWWW\nWHFHFHHW\nWP P SPW\nW^T^TTPW\nWBBBBPPW\nWWWWWWWW",
    players=5,
    rates=(0.5,),
    fouling=0.8,
    delay=3,
    zap=Beam(3, 2),
    cleaner=Beam(2, 1),
    respawn=3,
    minimum=20,
    interval=5,
    maximum=50,
)


def compare(rules: Rules, seed: int, steps: int) -> Counter[str]:
    """Plays both with random actions, to the end or for ``steps``. Counts what happened."""
    ours, plain, written = engine(rules), Plain(rules), empty(rules, 1)
    rng = np.random.default_rng(seed)
    ours.reset(seed)
    plain.reset(seed)
    happened: Counter[str] = Counter()
    for t in range(steps):
        plain.write(written)
        for name, x, y in zip(State._fields, ours.state, written, strict=True):
            np.testing.assert_array_equal(x, y, err_msg=f"{rules.name}, seed {seed}, step {t}: {name}")
        check_windows(rules, ours)
        if plain.over:
            happened["by chance" if plain.over == 1 else "at length"] += 1
            break
        # Walking and firing make more happen than turning.
        actions = rng.choice([1, 1, 1, *range(len(rules.actions)), len(rules.actions) - 1], rules.players)
        ours.step(actions.tolist())
        plain.step(actions.tolist())
        for avatar in plain.avatars:
            happened["taken twice"] += avatar.reward >= 2
            happened["removed"] += not avatar.alive
            happened["cleaned"] += bool(avatar.did & columns.CLEANED)
            happened["harmed"] += bool(avatar.did & columns.HARMED)
            happened["taken"] += bool(avatar.did & columns.ATE)
    return happened


def check_windows(rules: Rules, ours: KernelEngine) -> None:
    """A window has what lies in its cells, and nothing else where a beam zaps."""
    state = ours.state
    width, height = rules.size
    sights = ours.observe()
    things = state.things[0].reshape(height, width)
    beams = state.beam[0].reshape(height, width)
    shown = np.stack([np.where(beams & ZAPPING, 0, things), np.where(beams & ZAPPING, 1, beams)], axis=2)
    for window, avatar in zip(sights.windows, state.avatars[0], strict=True):
        x, y, facing, alive = avatar[:4].tolist()
        seen = cut(rules.view, shown.astype(np.uint8), (x, y, facing)) if alive else 0 * window[..., :2]
        np.testing.assert_array_equal(window[..., [views.THING, views.BEAM]], seen)
        assert bool(window[rules.view.forward, rules.view.left, views.AVATAR]) == bool(
            alive and not beams[y, x] & ZAPPING
        )


@for_each("name", SUBSTRATES)
def test_kernel_and_plain_rules_agree_on_the_shipped_substrates(name: str) -> None:
    compare(SUBSTRATES[name], 1, 60)


@pytest.mark.slow
@for_each("name", SUBSTRATES)
def test_kernel_and_plain_rules_agree_on_whole_episodes(name: str) -> None:
    for seed in range(10):
        compare(SUBSTRATES[name], seed, SUBSTRATES[name].maximum + 1)


@pytest.mark.parametrize("rules", [SMALL_COINS, PATCH, BROOK], ids=lambda rules: rules.name)
def test_kernel_and_plain_rules_agree_where_much_happens_at_once(rules: Rules) -> None:
    happened = sum((compare(rules, seed, 60) for seed in range(12)), Counter[str]())
    wanted = {"taken", "by chance", "at length"}
    wanted |= {"harmed"} if rules is SMALL_COINS else {"removed"}
    if rules is BROOK:
        wanted |= {"cleaned", "taken twice"}
    assert wanted <= {kind for kind, count in happened.items() if count}


@st.composite
def substrates(draw: st.DrawFn) -> Rules:
    """Small substrates of all laws."""
    base = draw(st.sampled_from([SMALL_COINS, PATCH, BROOK]))
    reach = st.integers(0, 3)
    view = View(draw(reach), draw(reach), draw(reach), draw(reach))
    ends = {
        "minimum": draw(st.integers(1, 30)),
        "interval": draw(st.integers(1, 9)),
        "ending": draw(st.floats(0, 1)),
    }
    if base is SMALL_COINS:
        return replace(
            base, view=view, rates=(draw(st.floats(0, 1)),), smallest=draw(st.integers(4, 15)), **ends
        )
    rates = tuple(draw(st.lists(st.floats(0, 1), min_size=1, max_size=4)))
    players = draw(st.integers(1, 5))
    beams = {"zap": Beam(draw(st.integers(1, 4)), draw(st.integers(1, 3))), "respawn": draw(reach)}
    if base is PATCH:
        return replace(base, view=view, rates=rates, players=players, **beams, **ends)
    cleaner = Beam(draw(st.integers(1, 4)), draw(st.integers(1, 3)))
    fouls = {"fouling": draw(st.floats(0, 1)), "depletion": draw(st.floats(0.1, 1)), "delay": draw(reach)}
    return replace(
        base, view=view, rates=rates[:1], players=players, cleaner=cleaner, **fouls, **beams, **ends
    )


@given(substrates(), st.integers(0, 2**64 - 1))
def test_kernel_and_plain_rules_agree_under_any_rules(rules: Rules, seed: int) -> None:
    compare(rules, seed, 40)


@pytest.mark.parametrize("rules", [SMALL_COINS, PATCH, BROOK], ids=lambda rules: rules.name)
def test_a_batch_goes_as_its_worlds_alone_and_begins_anew(rules: Rules) -> None:
    batch = make_substrate(rules).batch(3, threads=2, rgb=True)
    assert batch.rgb is not None
    batch.reset(5)
    alone = [engine(rules) for _ in range(3)]
    for b, world in enumerate(alone):
        world.reset(int(batch.seeds[b]))
    rng, ended = np.random.default_rng(0), 0
    for _ in range(120):
        actions = rng.integers(len(rules.actions), size=(3, rules.players))
        batch.step(actions)
        for b, world in enumerate(alone):
            sights = world.play(actions[b].tolist())
            np.testing.assert_array_equal(batch.rewards[b], world.state.rewards[0])
            if batch.terminations[b] or batch.truncations[b]:
                np.testing.assert_array_equal(batch.final_windows[b], sights.windows)
                world.reset(int(batch.seeds[b]))
                sights, ended = world.observe(), ended + 1
            np.testing.assert_array_equal(batch.windows[b], sights.windows)
            np.testing.assert_array_equal(batch.vectors[b], sights.vectors.astype(np.float32))
            np.testing.assert_array_equal(batch.rgb[b], world.pixels())
    assert ended


@pytest.mark.parametrize("rules", [SMALL_COINS, PATCH, BROOK], ids=lambda rules: rules.name)
def test_compiled_windows_are_cut_from_the_plain_picture_of_the_map(rules: Rules) -> None:
    """But for the own avatar, which has a picture of its own."""
    ours = engine(rules)
    ours.reset(2)
    rng = np.random.default_rng(2)
    paint = views.mix_palette(rules).paint
    for _ in range(20):
        ours.step(rng.integers(len(rules.actions), size=rules.players).tolist())
        codes = views.encode_map(rules, ours.state, 0)
        for picture, avatar in zip(ours.pixels(), ours.state.avatars[0], strict=True):
            x, y, facing, alive = avatar[:4].tolist()
            down, right = paint.gaze[facing] + paint.margin
            tiles = paint.tiles[0, facing][codes[y + down, x + right]]
            whole = tiles.swapaxes(1, 2).reshape(picture.shape) if alive else 0 * picture
            own = np.s_[rules.view.forward * 8 :, rules.view.left * 8 :]
            same = picture == whole
            same[own][:8, :8] = True
            assert same.all()


def test_what_grows_is_what_the_rules_name() -> None:
    """Coins have the colours of both players; dirt lies on banks alone."""
    coins = engine(SMALL_COINS)
    coins.reset(3)
    for _ in range(30):
        coins.step([0, 0])
    grown = set(coins.state.things[0][coins.state.things[0] >= COIN].tolist())
    assert grown == {COIN + colour for colour in coins.state.avatars[0, :, columns.COLOUR].tolist()}
    brook = engine(BROOK)
    brook.reset(3)
    for _ in range(30):
        brook.step([0] * BROOK.players)
    dirty = np.flatnonzero(brook.state.things[0] == DIRT)
    assert set(dirty.tolist()) <= set(tables(BROOK).banks.tolist())
    assert len(dirty) == brook.state.clock[0, columns.DIRTY]
