"""Hide and seek, a world of another package: `otherminds run` plays it once it is installed."""
