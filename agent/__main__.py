"""`python -m agent`."""

from agent.cli.main import app

app()
