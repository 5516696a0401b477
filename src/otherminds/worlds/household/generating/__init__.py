"""Household tasks generated without a language model: drafts, wording, and the structure that tells tasks apart."""
