"""The preconditions and effects of actions as data, from which the simulator's steps and the PDDL are generated."""
