"""A schema as the model reads it."""
