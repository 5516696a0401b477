"""Arguments of kernels that are taken apart once.

Numba takes apart every array of every argument at each call, which costs 0.1 µs an array: for a world alone
three times what its rules cost. :func:`hold` takes a tuple of arguments apart and keeps it in a structure of
compiled code; kernels take the structure in place of the tuple.
"""

from __future__ import annotations

from typing import NoReturn

from numba import types
from numba.experimental import structref

from otherminds.gridworlds.grid._kernel import compiled


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


@compiled
def hold(parts):
    """``parts``, held. It keeps the arrays alive."""
    return Held(parts)
