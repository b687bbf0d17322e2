"""The HTTP interface, and the tools that other agents call."""
