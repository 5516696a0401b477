"""The authored pool: a pool of tasks that knows who wrote each task, from what, at what cost, and who solves it."""
