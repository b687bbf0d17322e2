"""Splits a sentence into claims: which numbers, names and words belong together."""
