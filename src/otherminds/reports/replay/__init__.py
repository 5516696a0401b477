"""An episode in a world with a map, played again and shown: as a page, as a film."""
