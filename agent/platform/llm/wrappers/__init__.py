"""Chat models that wrap other chat models: a budget, a circuit breaker, cached replies."""
