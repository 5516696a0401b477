"""Makes the data that the houses come from out of what their makers published; see README.md."""
