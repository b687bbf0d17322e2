"""The commands of `python -m agent`, grouped by purpose; `agent.cli.main` combines them."""
