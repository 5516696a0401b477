"""The text interface of the substrates."""
