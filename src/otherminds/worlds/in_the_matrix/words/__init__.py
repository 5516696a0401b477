"""How the substrates are put into words for language minds."""
