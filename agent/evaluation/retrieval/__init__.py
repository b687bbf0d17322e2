"""Measures how much of what a gold query needs retrieval finds."""
