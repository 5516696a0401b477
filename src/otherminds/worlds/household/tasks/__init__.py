"""Task files: their form, what is wrong with one, the public release's, and the twelve that are shipped."""
