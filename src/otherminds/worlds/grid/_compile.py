"""How kernels are compiled: by numba, kept on disk where that can be written.

Numba keeps machine code beside the source and forgets it when that one file
changes, not when a file does that it takes constants or functions from: after an
edit of such a one (``_luck.py``, ``state.py``) remove ``__pycache__/*.nb?``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.extending import register_jitable


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` as machine code, made at its first call for each kind of arguments.

    Strict in floating point, so that results are those of plain Python bit for bit.
    It lets go of the interpreter while it runs: several threads can work on
    arrays of their own.
    """
    try:
        return njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:  # numba has no folder to write to, neither beside the source nor the user's own
        return njit(nogil=True, error_model="numpy")(function)


def inner(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` as a part of the compiled ones that call it, and plain Python to everybody else.

    It can make no arrays, not even in passing (``a[:] = b`` makes one, a loop does
    not). In return nobody counts who uses those that it is given: that counting,
    two locked additions for each array of each call, would take most of the time.
    """
    return register_jitable(_nrt=False, forceinline=True, error_model="numpy")(function)
