"""Minds without a language model: the yardsticks and the references."""
