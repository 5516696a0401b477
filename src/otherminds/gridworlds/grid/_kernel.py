"""What the compiled kernels of all gridworlds share: the compiler, random numbers, starting places, episodes, pictures.

Numba stores machine code beside the source. It detects a change to that file, but not to a file from which it
takes constants or functions: after an edit of this file or of a ``state.py``, delete ``__pycache__/*.nb?``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numba import njit, types
from numba.core.compiler_lock import global_compiler_lock
from numba.experimental import structref
from numba.extending import register_jitable
from numpy.typing import NDArray

from otherminds.gridworlds.grid import rules
from otherminds.gridworlds.grid.pixels import TILE, WORDS, Codes, Paint

DX, DY, HEADING, TURN = (np.array(way, np.int64) for way in (rules.DX, rules.DY, rules.HEADING, rules.TURN))
GOLDEN, FIRST, SECOND = (np.uint64(x) for x in (rules.GOLDEN, rules.FIRST, rules.SECOND))
UNIT = rules.UNIT
S11, S27, S30, S31 = (np.uint64(x) for x in (11, 27, 30, 31))
X, Y, FACING = 0, 1, 2
STEP, OVER = 0, 1  # The columns of ``avatars`` and ``clock`` that every substrate has
# No C code calls a kernel. A wrapper for C would be one more copy of all that is inlined, and compiling take a sixth longer.
OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}


def compile_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` as machine code, compiled at its first call for each set of argument types.

    Floating point is strict, so results equal those of plain Python bit for bit. The
    interpreter lock is released: several threads can work on arrays of their own.
    Of several processes that need it at the same time one compiles it; the others wait, and load the result.
    """
    try:
        dispatcher: Any = njit(cache=True, nogil=True, **OPTIONS)(function)
    except RuntimeError:  # numba can write neither beside the source nor to the user's cache folder
        return njit(nogil=True, **OPTIONS)(function)
    lock = Path(dispatcher.stats.cache_path, f"{function.__module__}.{function.__name__}.lock")
    load_or_compile = dispatcher.compile

    def compile_once(signature: Any) -> Any:
        with global_compiler_lock, hold_lock(lock):
            return load_or_compile(signature)

    dispatcher.compile = compile_once
    return dispatcher


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Holds the lock of the file ``path``, for which other processes wait; none where files cannot be locked."""
    with ExitStack() as stack:
        with suppress(ImportError, OSError):
            from fcntl import LOCK_EX, lockf

            lockf(stack.enter_context(path.open("ab")), LOCK_EX)
        yield


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` inlined into the compiled ones that call it; plain Python for other callers.

    It cannot create arrays, not even temporary ones (``a[:] = b`` creates one, a loop
    does not). In return its arguments are not reference-counted: counting, two atomic
    additions for each array of each call, would take most of the time.
    """
    return register_jitable(_nrt=False, forceinline=True, **OPTIONS)(function)


@inner
def bits(luck, b):
    """64 random bits, uint64, from counter ``b`` of ``luck`` (uint64[B]): :class:`~.luck.Luck`, compiled."""
    state = luck[b] + GOLDEN
    luck[b] = state
    z = (state ^ (state >> S30)) * FIRST
    z = (z ^ (z >> S27)) * SECOND
    return z ^ (z >> S31)


@inner
def uniform(luck, b):
    """A number in [0, 1), of 53 bits."""
    return np.float64(bits(luck, b) >> S11) * UNIT


@inner
def below(luck, b, n):
    """An integer from 0 to ``n - 1``."""
    return int(uniform(luck, b) * n)


@inner
def shuffle(luck, b, order):
    """Fills ``order`` (int64[P]) with 0 to P - 1 in random order."""
    for i in range(order.size):
        order[i] = i
    for i in range(order.size - 1, 0, -1):
        j = below(luck, b, i + 1)
        order[i], order[j] = order[j], order[i]


@inner
def appear(tables, state, b, i):
    """Puts avatar ``i`` on a random free spawn point in a random orientation; False if none is free."""
    return appear_at(tables.spawns, tables.width, state, b, i)


@inner
def appear_at(spawns, width, state, b, i):
    """:func:`appear` at one of ``spawns``, int32[S, 2], on a map of that ``width``."""
    here = state.here[b]
    free = 0
    for x, y in spawns:
        free += not here[y * width + x]
    if not free:
        return False
    choice = below(state.luck, b, free)
    for x, y in spawns:
        if here[y * width + x]:
            continue
        if choice == 0:
            avatar = state.avatars[b, i]
            avatar[X], avatar[Y] = x, y
            avatar[FACING] = below(state.luck, b, 4)
            here[y * width + x] = i + 1
            break
        choice -= 1
    return True


@inner
def ends(tables, luck, b, now):
    """How the episode of world ``b`` ends in step ``now``: 0 not, 1 by chance, 2 at the maximum length."""
    if now >= tables.minimum and (now + 1) % tables.interval == 0 and uniform(luck, b) < tables.ending:
        return 1
    return 2 if now >= tables.maximum else 0


@inner
def account(episodes, state, b):
    """Adds the last step of world ``b`` to its episode; True if that ended it.

    ``episodes`` are :class:`~.learner.Episodes`. After the end of an episode
    ``seeds[b]`` is the seed of the next one.
    """
    episodes.over[b] = state.clock[b, OVER]
    for i in range(state.rewards.shape[1]):
        episodes.rewards[b, i] = state.rewards[b, i]
        episodes.returns[b, i] += state.rewards[b, i]
    if not episodes.over[b]:
        return False
    for i in range(state.rewards.shape[1]):
        episodes.last_returns[b, i] = episodes.returns[b, i]
        episodes.returns[b, i] = 0.0
    episodes.last_lengths[b] = state.clock[b, STEP]
    episodes.seeds[b] = bits(episodes.seeds, b)
    return True


class Brush(NamedTuple):
    """A :class:`~.pixels.Paint` as kernels take it; a cell is y · ``wide`` + x on the map with its margin.

    ``tiles`` uint64[P + 1, 4, codes, 8, 3]: three colours of eight pixels are three words. ``ground``
    uint16[cells]. ``gaze`` int64[4, rows, columns]: from the own cell to each cell of the window.
    """

    tiles: NDArray[np.uint64]
    ground: Codes
    gaze: NDArray[np.int64]
    margin: int
    wide: int


def brush(paint: Paint) -> Brush:
    """``paint`` as kernels take it."""
    wide = paint.ground.shape[1]
    gaze = paint.gaze.astype(np.int64)
    tiles = paint.tiles.reshape(*paint.tiles.shape[:4], TILE * 3).view(np.uint64)
    return Brush(tiles, paint.ground.ravel(), gaze[:, 0] * wide + gaze[:, 1], paint.margin, wide)


def spots(brush: Brush, places: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """The numbers of the cells at ``places``, (x, y) on the map: int64[N]."""
    return np.array([(y + brush.margin) * brush.wide + x + brush.margin for x, y in places], np.int64)


@inner
def see(brush, codes, player, avatar, out):
    """The window of ``player`` from where its row ``avatar`` stands, into ``out`` (uint64[rows, 8, columns, 3])."""
    facing = avatar[FACING]
    tiles, gaze = brush.tiles[player, facing], brush.gaze[facing]
    own = (avatar[Y] + brush.margin) * brush.wide + avatar[X] + brush.margin
    for row in range(gaze.shape[0]):
        for column in range(gaze.shape[1]):
            tile = tiles[codes[own + gaze[row, column]]]
            for line in range(TILE):
                for word in range(WORDS):
                    out[row, line, column, word] = tile[line, word]


@structref.register
class HeldType(types.StructRef):
    """The type of :class:`Held` in compiled code."""


class Held(structref.StructRefProxy):
    """Arguments for compiled code, which alone can read them."""

    def __reduce__(self) -> NoReturn:
        raise TypeError("what compiled code holds can be neither copied nor pickled: make it again")


# One call, ``structref.define_proxy``, would do the same, and add a constructor that is compiled in every process.
structref.define_boxing(HeldType, Held)
structref.define_constructor(Held, HeldType, ["parts"])
structref.define_attributes(HeldType)


@compile_kernel
def hold(parts):
    """``parts``, held. It keeps the arrays alive."""
    return Held(parts)


@compile_kernel
def end(arrays):
    """Notes how episodes ended in the last step, in ``arrays`` that are held.

    From ``over`` int32[B], ``terminations`` bool[B] (1) and ``truncations`` bool[B] (2).
    """
    over, terminations, truncations = arrays.parts
    for b in range(over.size):
        terminations[b] = over[b] == 1
        truncations[b] = over[b] == 2


@compile_kernel
def notice(turns):
    """What partners have to know before they act, for arguments that ``turns`` holds.

    ``clock`` of the state. ``seeds`` uint64[B]: of the worlds' episodes. ``again`` bool[B]: episodes that began again.
    ``known_seeds`` uint64[B] and ``steps`` int64[B]: those of the partners, and the last step in which they acted. Marks
    worlds whose partners meet a new episode in ``fresh`` (bool[B]). Returns how many these are, and the first of the other
    worlds in which the partners have not acted in the step before, or -1.
    """
    clock, seeds, again, known_seeds, steps, fresh = turns.parts
    count, wrong = 0, -1
    for b in range(fresh.size):
        now = clock[b, STEP]
        fresh[b] = now == 0 and (known_seeds[b] != seeds[b] or steps[b] > 0 or again[b])
        if fresh[b]:
            count += 1
        elif wrong < 0 and now != steps[b] + 1:
            wrong = b
    return count, wrong


@compile_kernel
def spread(windows, vectors, starts, out):
    """``windows`` one-hot, then ``vectors``, into ``out`` (float32[N, cells · C + V]).

    ``windows`` uint8[N, cells, layers], ``vectors`` float32[N, V]. ``starts`` int64[layers + 1]: where the codes of
    each layer begin among the C codes of a cell, and C.
    """
    cells, layers = windows.shape[1:]
    codes = starts[layers]
    for n in range(windows.shape[0]):
        for at in range(cells * codes):
            out[n, at] = 0.0
        for cell in range(cells):
            for layer in range(layers):
                out[n, cell * codes + starts[layer] + windows[n, cell, layer]] = 1.0
        for k in range(vectors.shape[1]):
            out[n, cells * codes + k] = vectors[n, k]
