"""Hypothetical Minds: agents that keep, test and refine hypotheses about others (Cross et al. 2025).

``hypotheses`` is the one data structure, ``working`` the state of an episode, ``steps``
are what a pipeline is made of, ``pipelines`` the agent, its ablations and its baselines as
pipelines; ``mind`` runs one, ``agents`` are their names. ``prompting``, ``forms`` and
``reading`` put a step's question to the model: what it tells, what it asks for, what came.
"""
