"""Strategy families, one file each: a rule written once as a :class:`~otherminds.games.automata.Machine`.

A file registers the partners that follow the rule (functions of the game, with the partner in the
column seat, of the number of rounds and of parameters of their own, that return an automaton), the
predictors that suppose it (what a mind believes possible, each with a sentence and a description
length), or both.
"""
