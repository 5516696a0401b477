"""Hanabi: two to five players who see all hands but their own, convention partners, and the two-step game *tiny Hanabi*."""
