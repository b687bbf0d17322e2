"""`python -m agent`."""

from agent.cli import app

app()
