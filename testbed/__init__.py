"""Real database servers for tests and benchmarks, each started in its own folder and stopped."""
