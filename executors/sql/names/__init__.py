"""Names in a query, compared with the schema."""
