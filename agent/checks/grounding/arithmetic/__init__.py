"""Arithmetic as people write it: read, computed exactly, put right."""
