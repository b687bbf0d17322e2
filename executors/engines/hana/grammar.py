"""SAP HANA."""

from __future__ import annotations

from executors.sql.hana import Hana
from executors.sql.plain.clauses import CLAUSES
from executors.sql.plain.faithful import FaithfulGenerator, FaithfulParser, as_written
from executors.sql.plain.literals import TypedLiteralGenerator, TypedLiteralParser


class PlainHana(Hana):
    """SAP HANA as it is written."""

    to_json_path = as_written

    class Parser(TypedLiteralParser, FaithfulParser, Hana.Parser):
        FUNCTION_PARSERS = {**Hana.Parser.FUNCTION_PARSERS, **CLAUSES}

    class Generator(TypedLiteralGenerator, FaithfulGenerator, Hana.Generator):
        pass


PLAIN = PlainHana()
