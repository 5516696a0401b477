"""Partner families, one file each: a short pure function that gives an automaton.

Every function takes the game as its partner's opponent sees it (the partner sits
in the column seat), the number of rounds, and parameters of its own.
"""
