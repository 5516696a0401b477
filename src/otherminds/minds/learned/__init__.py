"""Minds that play trained weights with numpy alone; training needs more (``docs/learned.md``)."""
