"""Wavelength, Taboo and Codenames with partners whose word associations are known (Riemer et al. 2025, appendix A)."""
