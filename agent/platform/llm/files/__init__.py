"""Files of the embedded model and of the embedding model: where they come from, and what is kept beside them."""
