"""Databricks."""
