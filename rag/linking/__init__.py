"""Schema linking: tables, columns and stored values that a question is about."""
