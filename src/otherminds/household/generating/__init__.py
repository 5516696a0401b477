"""The generator of household tasks: drafts by pattern, candidates with their proofs, and pools of them."""
