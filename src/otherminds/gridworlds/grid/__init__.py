"""What all gridworlds share: actions, maps, random numbers, windows, paths, pictures, scenarios.

The state of a gridworld is flat arrays with a leading axis for B worlds. Its rules exist
twice: in plain Python for reading, and in a compiled ``_kernel`` module. Modules whose
names begin with ``_`` import numba, and only the code that runs them imports them.
"""
