"""Rows as files: CSV, Parquet, Arrow."""
