"""Rules for acting: what a member of a cheap team does about the goals that it knows."""
