"""Commands that write, judge and evolve household tasks."""
