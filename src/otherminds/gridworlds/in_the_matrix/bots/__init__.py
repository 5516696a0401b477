"""The scripted background bots: policies, and the puppets that carry them out."""
