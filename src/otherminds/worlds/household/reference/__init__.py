"""The reference minds of the household: housemates without a language model, graded by how they talk."""
