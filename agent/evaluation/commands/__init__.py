"""The evaluations that the command line runs."""
