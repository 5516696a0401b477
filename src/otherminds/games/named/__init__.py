"""Games with names, one file each."""
