"""A sentence in claims: which numbers, names and words belong together."""
