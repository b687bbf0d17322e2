"""The commands of `python -m agent`, by what they are for; `agent.cli.main` puts them together."""
