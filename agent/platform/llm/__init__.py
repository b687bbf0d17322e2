"""Chat models: the protocol, and each provider behind it."""
