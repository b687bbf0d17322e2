"""What a sentence is held against: rows, columns, the query."""
