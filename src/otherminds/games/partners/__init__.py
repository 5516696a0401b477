"""Strategy families, one file each: a rule written once as a :class:`~otherminds.games.automata.Machine`.

A file registers partners that follow the rule (functions of the game, the number of rounds and their
own parameters that return an automaton for the column seat), predictors that assume it (each with a
sentence and a description length), or both.
"""
