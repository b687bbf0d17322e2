"""CSV, TSV, Parquet, JSON and Excel files, read by DuckDB."""
