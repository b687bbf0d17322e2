"""Saved queries as tiles: run again on a schedule, with alerts by webhook."""
