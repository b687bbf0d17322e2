"""What the service remembers between requests: one store, several places to keep it."""
