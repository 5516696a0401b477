"""Repeated matrix games of two seats: any bimatrix game, for a fixed number of rounds.

``world`` holds the rules, ``names`` the action names of Riemer et al. 2025, ``verbalizer`` the words,
``scenarios`` the partners, ``published.csv`` the rows of the paper's tables,
``reports`` what reports show of them.
"""
