"""PostgreSQL."""

from __future__ import annotations

from sqlglot.dialects.postgres import Postgres
from sqlglot.generators.postgres import PostgresGenerator
from sqlglot.parser import build_json_extract, build_json_extract_scalar
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokenizer_core import TokenType

from executors.sql.plain.faithful import KEYWORD_ARGUMENTS, FaithfulGenerator, FaithfulParser, as_written


class PlainPostgres(Postgres):
    """PostgreSQL as it is written."""

    to_json_path = as_written

    class Parser(FaithfulParser, PostgresParser):
        FUNCTION_PARSERS = {name: PostgresParser.FUNCTION_PARSERS[name] for name in KEYWORD_ARGUMENTS}
        JSON_OPERATORS = {
            **PostgresParser.JSON_OPERATORS,
            TokenType.ARROW: build_json_extract,
            TokenType.DARROW: build_json_extract_scalar,
        }

    class Generator(FaithfulGenerator, PostgresGenerator):
        pass


PLAIN = PlainPostgres()
