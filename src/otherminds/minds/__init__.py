"""Who decides. ``tabular`` needs no language model; ``language`` puts one to work.

A mind is one source file: a class known by ``@minds.register("name")``. A
prompting strategy is one source file in ``language/strategies``.
"""
