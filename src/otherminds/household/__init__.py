"""The household: agents with private knowledge share a house, its furniture and its objects (EnactToM, Juneja et al. 2026)."""
