"""Files of the embedded model and the embedding model: their sources, and their caches."""
