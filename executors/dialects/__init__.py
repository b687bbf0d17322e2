"""The table of dialects, and the fields of its rows."""
