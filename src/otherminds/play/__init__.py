"""The loop that plays an episode, and the record that it returns."""
