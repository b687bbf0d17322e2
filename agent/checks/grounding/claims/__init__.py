"""Splits a sentence into claims: the numbers, names and words that belong together."""
