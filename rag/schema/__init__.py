"""The schema as the model reads it."""
