"""Minds: agents that choose actions and answer questions.

``tabular``, ``references``, ``bayesian`` and ``learned`` need no language model; ``language`` and ``hypothetical``
use one. A mind is a class registered by ``@minds.register("name")`` in a file of this folder or of one below; a
prompting strategy is one registered by ``@strategies.register("name")`` in ``language/strategies.py``.
"""
