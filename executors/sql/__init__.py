"""Queries as trees: read, checked, limited, repaired, traced."""
