"""Settings and what follows from them: model profiles, prices, limits."""
