"""Pools of proved tasks: on disk, packed into one file, and the shipped splits."""
