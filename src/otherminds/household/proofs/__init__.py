"""Proofs about tasks: a task as an epistemic problem, and the verdicts of its verification."""
