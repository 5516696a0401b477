"""Scenes: a house as data (rooms, doors, furniture, objects, spawns), with the tables that the simulator uses."""
