"""The reference minds of the household: agents without a language model, ordered by how they communicate."""
