"""Wavelength, Taboo and Codenames with partners whose word associations are known matrices."""
