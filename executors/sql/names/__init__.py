"""Names in a query, held against the schema."""
