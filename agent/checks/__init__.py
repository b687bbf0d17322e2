"""What holds queries and sentences against schema, data and rows."""
