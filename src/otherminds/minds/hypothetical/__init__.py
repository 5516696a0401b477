"""Hypothetical Minds: agents that keep, test and refine hypotheses about others (Cross et al. 2025).

``hypotheses`` is the one data structure, ``steps`` are what a pipeline is made of,
``pipelines`` the agent, its ablations and its baselines as pipelines.
"""
