"""Prompts: templates, context, fences around data, and the search for leaks in replies."""
