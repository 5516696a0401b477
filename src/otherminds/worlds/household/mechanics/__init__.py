"""The mechanics: what each changes, what several leave an agent, and how they are folded into the rules."""
