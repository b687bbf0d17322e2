"""Plain checks: what can be told of a query and its rows without asking a model."""
