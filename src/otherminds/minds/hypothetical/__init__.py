"""Hypothetical Minds: agents that keep, test and refine hypotheses about others (Cross et al. 2025).

``mind`` has the agent, its ablations and its baselines as pipelines of steps; ``steps`` has the steps,
``working`` the state of an episode; ``prompting`` and ``forms`` ask the model. ``plus`` is
``hypothetical_plus``.
"""
