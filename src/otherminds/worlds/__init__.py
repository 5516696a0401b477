"""What happens: one folder a world. Worlds know nothing of minds or models."""
