"""Checks whether a sentence is true of the rows. Each of its claims is supported, or it is not shown."""
