"""Real database servers for tests and benchmarks: each is started in a folder of its own, and stopped."""
