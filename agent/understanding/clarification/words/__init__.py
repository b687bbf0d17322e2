"""Words of six languages that a clarification looks for."""
