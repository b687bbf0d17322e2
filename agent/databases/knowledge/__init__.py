"""Knowledge about a database: its docs, values and past queries, stored in the index and retrieved."""
