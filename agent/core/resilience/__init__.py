"""Waiting without harm: deadlines, circuit breakers, tasks, work in threads, and the health of each part."""
