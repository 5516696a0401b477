"""The one loop over a world, and the record it makes."""
