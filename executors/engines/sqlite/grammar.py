"""SQLite."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.sqlite import SQLite
from sqlglot.generators.sqlite import SQLiteGenerator
from sqlglot.parsers.sqlite import SQLiteParser

from executors.sql.plain.faithful import WRITTEN, FaithfulGenerator, FaithfulParser, as_written


class PlainSQLite(SQLite):
    """SQLite, kept as written."""

    to_json_path = as_written

    class Parser(FaithfulParser, SQLiteParser):
        FUNCTION_PARSERS = {name: SQLiteParser.FUNCTION_PARSERS[name] for name in ("CAST",)}
        # A comma stays a comma, because CROSS JOIN would prevent SQLite from reordering the tables.
        JOINS_HAVE_EQUAL_PRECEDENCE = False

    class Generator(FaithfulGenerator, SQLiteGenerator):
        def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
            if WRITTEN in expression.to.meta:
                return f"CAST({self.sql(expression, 'this')} AS {self.sql(expression, 'to')})"
            return str(super().cast_sql(expression, safe_prefix))


PLAIN = PlainSQLite()
