"""What every gridworld shares: actions, maps, luck, windows, paths and pictures.

A gridworld stands on flat arrays with a leading axis for B worlds. Its rules are
written twice: in plain Python, to be read, and in a compiled kernel (``_kernel``
modules, which import numba and are themselves imported only by who runs them).
"""
