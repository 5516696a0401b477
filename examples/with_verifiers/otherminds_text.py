"""The taskset of `otherminds.bridges.verifiers` under a name that ``vf-eval`` finds::

PYTHONPATH=examples/with_verifiers vf-eval otherminds_text --env.taskset.scenarios '["rps-mixed-v1"]' ...
"""

from otherminds.bridges.verifiers import TextEnv, TextHarness, TextTaskset

__all__ = ["TextEnv", "TextHarness", "TextTaskset"]
