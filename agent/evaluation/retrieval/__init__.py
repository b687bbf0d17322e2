"""Measures how much of what a gold query needs is found by retrieval."""
