"""Checks whether a sentence is true of the rows. Each claim must be supported, or the sentence is not shown."""
