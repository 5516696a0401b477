"""The reference minds of the household: planning housemates without a language model, graded by how they talk."""
