"""Arithmetic as people write it: parsed, computed exactly, corrected."""
