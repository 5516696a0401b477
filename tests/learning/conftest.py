"""Tests of learners need the extra ``learn``."""

from importlib.util import find_spec

collect_ignore_glob = (
    [] if find_spec("jax") and find_spec("optax") and find_spec("safetensors") else ["test_*.py"]
)
