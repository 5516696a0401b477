"""New material for the household: houses are made here, and tasks in them."""
