"""T-SQL."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.dialects.tsql import TSQL
from sqlglot.generators.tsql import TSQLGenerator
from sqlglot.parsers.tsql import TSQLParser

from executors.sql.plain.faithful import FaithfulGenerator, FaithfulParser, as_written


class PlainTSQL(TSQL):
    """T-SQL as it is written."""

    to_json_path = as_written

    class Parser(FaithfulParser, TSQLParser):
        FUNCTION_PARSERS = {
            name: TSQLParser.FUNCTION_PARSERS[name] for name in ("CAST", "TRY_CAST", "CONVERT", "TRY_CONVERT", "TRIM")
        }

    class Generator(FaithfulGenerator, TSQLGenerator):
        def literal_sql(self, expression: exp.Literal) -> str:
            """Text beyond ASCII gets its N: without, the server reads it in the database's code page."""
            text = super().literal_sql(expression)
            return text if not expression.is_string or expression.name.isascii() else f"N{text}"

        def national_sql(self, expression: exp.National, prefix: str = "N") -> str:
            return prefix + super().literal_sql(exp.Literal.string(expression.name))


PLAIN = PlainTSQL()
