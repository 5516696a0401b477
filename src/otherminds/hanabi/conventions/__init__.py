"""Partners that play by a convention: agents of the literature, written anew from their published rules."""
