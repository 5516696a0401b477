"""Minds without a language model: baselines and references."""
