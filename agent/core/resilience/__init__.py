"""Waiting without harm: deadlines, circuit breakers, work in threads, and the health of each part."""
