"""A first look at a database: its tables and keys, and questions that it answers, each tried before it is shown."""
