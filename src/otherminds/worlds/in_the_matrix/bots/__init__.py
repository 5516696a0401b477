"""The scripted background bots: what they follow, what they know, and the legs they walk on."""
