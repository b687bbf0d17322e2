"""What is known about a database: its docs, its values, its past queries, kept in the index and found again."""
