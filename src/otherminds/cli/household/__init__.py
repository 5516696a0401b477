"""What the commands of household tasks do, imported when one is called."""
