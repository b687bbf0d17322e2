"""`python -m agent doctor`: does everything that a deployment is made of work, and what to do where it does not."""
