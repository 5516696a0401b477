"""How kernels are compiled: by numba, kept on disk where that can be written.

Numba keeps machine code beside the source and forgets it when that one file
changes, not when a file does that it takes constants or functions from: after an
edit of such a one (``_luck.py``, ``state.py``) remove ``__pycache__/*.nb?``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` as machine code, made at its first call for each kind of arguments.

    Strict in floating point, so that results are those of plain Python bit for bit.
    It lets go of the interpreter while it runs: several threads can work on
    arrays of their own.
    """
    try:
        return njit(cache=True, nogil=True, forceinline=True, error_model="numpy")(function)
    except RuntimeError:  # numba has no folder to write to, neither beside the source nor the user's own
        return njit(nogil=True, forceinline=True, error_model="numpy")(function)
