"""What an episode shows: literal and functional theory of mind, regret, intervals.

Every measure is a function of a record alone: no model is called, and a record
that was read back from a file is measured as the one that was played. A measure
of one episode is one function, known by ``@measures.register("name")``;
``cells`` brings the episodes of a scenario and a mind together.
"""
