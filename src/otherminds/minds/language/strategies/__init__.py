"""Prompting strategies, one file each (Riemer et al. 2025, sections 4.1 and 4.2)."""
