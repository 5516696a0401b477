"""Commands of an author, who is not trusted, run apart from the system: by bubblewrap, or in a container."""
