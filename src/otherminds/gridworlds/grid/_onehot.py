"""Windows as vectors of zeros and ones, compiled."""

from __future__ import annotations

from otherminds.gridworlds.grid._kernel import compiled


@compiled
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
