"""What a query does, in words, read from its syntax tree."""
