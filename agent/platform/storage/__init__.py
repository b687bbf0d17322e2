"""The state store: one interface, several places to store it."""
