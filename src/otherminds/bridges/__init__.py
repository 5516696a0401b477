"""Other frameworks, joined to this one: each an extra, each one file, none imported by anything else."""
