"""Task files: their form, their check, conversion from and to the public release, and the twelve shipped tasks."""
