"""Chat models around other chat models: a budget, a circuit breaker, kept replies."""
