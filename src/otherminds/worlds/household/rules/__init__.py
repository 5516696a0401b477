"""What actions need and do, written down once, as data: the simulator's steps and the PDDL are made from it."""
