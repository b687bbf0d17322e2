"""Queries as trees: read, checked, capped, mended, traced."""
