"""The household's own matrix game: encounters with partners whose acts follow from what they saw."""
