"""Checks of queries and sentences against schema, data and rows."""
