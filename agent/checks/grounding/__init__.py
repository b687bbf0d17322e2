"""Is what a sentence says true of the rows? It is taken apart into claims; each is supported, or it is not shown."""
