"""Explains a query in words, from its syntax tree."""
