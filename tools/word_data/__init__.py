"""The words of word games and their associations, from public sources."""
