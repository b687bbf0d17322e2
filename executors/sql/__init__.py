"""Queries as trees: parsed, checked, limited, repaired, traced."""
