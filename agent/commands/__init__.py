"""The commands of `python -m agent`, by what they are for; `agent.cli` puts them together."""
