"""The evidence for a sentence: rows, columns, the query."""
