"""The mechanics: their effects, their combination, and how they are compiled into the rules."""
