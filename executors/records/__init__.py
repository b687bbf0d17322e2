"""The rows behind an aggregate, derived from its query's syntax tree."""
