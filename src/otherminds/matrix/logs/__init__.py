"""Scores of logs that exist: repeated matrix games that others have recorded.

``episodes`` reads the files, ``explanations`` finds the automata that explain each partner's play (its search is compiled:
``_search``), ``ends`` bounds what could have been earned against them, ``player_scores`` puts players in a table, and
``command`` is ``otherminds score``.
"""
