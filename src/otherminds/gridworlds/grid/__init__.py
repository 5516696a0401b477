"""What all gridworlds share: actions, maps, random numbers, windows, paths, pictures, scenarios.

The state of a gridworld is flat arrays with a leading axis for B worlds, and its rules are compiled
functions of them in a ``_kernel`` module. A world alone is a batch of one. Modules whose
names begin with ``_`` import numba, and only the code that runs them imports them.
"""
