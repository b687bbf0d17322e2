"""The closed vocabulary of sentences about rows, by language."""
