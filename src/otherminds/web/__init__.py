"""The local web app: people in the seats of a study, and pages of runs."""
