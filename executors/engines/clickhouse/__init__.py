"""ClickHouse."""
