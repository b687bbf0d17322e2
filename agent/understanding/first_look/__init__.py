"""A first look at a database: its tables and keys, and sample questions, each tried before it is shown."""
