"""Minds: agents that choose actions and answer questions.

``tabular`` and ``bayesian`` need no language model; ``language`` and ``hypothetical`` use one. A
mind is one file with a class registered by ``@minds.register("name")``; a prompting strategy is
one file in ``language/strategies``.
"""
