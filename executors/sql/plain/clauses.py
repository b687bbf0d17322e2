"""Calls with keywords between their arguments: SQL's functions for JSON and XML, JSON_TABLE, LISTAGG.

`JSON_VALUE(doc, '$.price' RETURNING numeric NULL ON ERROR)` is an ordinary call by name whose last argument is a
phrase: an expression and words of the lists below, in their order. A word that is on no list does not parse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType


class Phrase(exp.Expression):
    """Parts that are generated one after the other, with spaces between them."""

    arg_types = {"expressions": True}


# {type}, {value}, {name}, {text} and {names} stand for a type, an expression, a name, a text, and `value AS name, ...`.
_JSON_CLAUSES = (
    *("FORMAT JSON ENCODING UTF8", "FORMAT JSON", "RETURNING SIGNED", "RETURNING UNSIGNED", "RETURNING {type}"),
    *("CHARACTER SET {name}", "PASSING {names}", "STRICT", "PRETTY", "ASCII"),
    *(f"{wrap} {how}WRAPPER" for wrap in ("WITH", "WITHOUT") for how in ("ARRAY ", "")),
    *(f"WITH {when} {how}WRAPPER" for when in ("CONDITIONAL", "UNCONDITIONAL") for how in ("ARRAY ", "")),
    *(f"{keep} QUOTES{where}" for keep in ("KEEP", "OMIT") for where in (" ON SCALAR STRING", "")),
    *(f"{which} UNIQUE{keys}" for which in ("WITH", "WITHOUT") for keys in (" KEYS", "")),
    *("ALLOW SCALARS", "DISALLOW SCALARS", "ABSENT ON NULL"),
    *(
        f"{what} ON {when}"
        for what in ("NULL", "ERROR", "EMPTY ARRAY", "EMPTY OBJECT", "EMPTY", "TRUE", "FALSE", "UNKNOWN")
        for when in ("NULL", "EMPTY", "ERROR", "MISMATCH")
    ),
    *("DEFAULT {value} ON EMPTY", "DEFAULT {value} ON ERROR"),
)
_COLUMN_CLAUSES = ("EXISTS PATH {text}", "PATH {text}", *_JSON_CLAUSES)
_OVERFLOW = (
    *("ON OVERFLOW TRUNCATE {text} WITH COUNT", "ON OVERFLOW TRUNCATE {text} WITHOUT COUNT"),
    *("ON OVERFLOW TRUNCATE {text}", "ON OVERFLOW TRUNCATE", "ON OVERFLOW ERROR"),
)

_REGEXPR = (
    *("FLAG {text}", "IN {value}", "WITH {value}", "FROM {value}"),
    *("OCCURRENCE ALL", "OCCURRENCE {value}", "GROUP {value}"),
)
_CONVERSION = ("DEFAULT {value} ON CONVERSION ERROR", "AS {type}", "USING {text}")

_WRITTEN_TYPE = re.compile(r"[A-Z_][A-Z0-9_ ]*(\( ?\d+( BYTE| CHAR)?( ?, ?\d+)? ?\)[A-Z ]*)?(\[ ?\d* ?\] ?)*")


class ClauseParser:
    """A mixin for a dialect's parser. Its `FUNCTION_PARSERS` must include `CLAUSES`."""

    def json_call(self: Any, name: str) -> exp.Expr:
        """The arguments of a JSON function, each with its clauses; pairs as `key : value` and `key VALUE value`."""
        arguments = self._parse_csv(self._json_argument)
        trailing = self._read_clauses(_JSON_CLAUSES)  # for a call without arguments: JSON_ARRAY(RETURNING json)
        return exp.Anonymous(this=name, expressions=[*arguments, *_phrase(trailing)])

    def listagg(self: Any) -> exp.Expr:
        """Parse LISTAGG(col, '; ' ON OVERFLOW TRUNCATE '...')."""
        arguments = self._parse_csv(self._parse_lambda)
        if items := self._read_clauses(_OVERFLOW):
            arguments[-1:] = _phrase([*arguments[-1:], *items])
        return exp.Anonymous(this="LISTAGG", expressions=arguments)

    def parse_worded_call(self: Any, name: str, clauses: tuple[str, ...], before: tuple[str, ...] = ()) -> exp.Expr:
        """Parse arguments with words before and after them: SUBSTR_REGEXPR('[0-9]+' IN phone OCCURRENCE 2)."""

        def argument() -> exp.Expr | None:
            words = [exp.var(word) for word in before if self._match_text_seq(word)]
            found = self._parse_bitwise()
            return _phrase([*words, found, *self._read_clauses(clauses)])[0] if found is not None else None

        return exp.Anonymous(this=name, expressions=self._parse_csv(argument))

    def xml_call(self: Any, name: str) -> exp.Expr:
        """Parse XMLELEMENT(NAME item, XMLATTRIBUTES(id AS "key"), value), and others whose values may have names."""
        named: list[exp.Expr] = []
        if name == "XMLELEMENT":
            word = [exp.var("NAME")] if self._match_text_seq("NAME") else []
            named = _phrase([*word, self._parse_id_var()])
            self._match(TokenType.COMMA)
        values = self._parse_csv(lambda: self._parse_alias(self._parse_lambda(), explicit=True))
        return exp.Anonymous(this=name, expressions=[*named, *values])

    def json_table(self: Any) -> exp.Expr:
        """Parse JSON_TABLE(doc, '$.path' COLUMNS (name type PATH '$.key', NESTED PATH '$.path' COLUMNS (...)) ...)."""
        document = [self._parse_disjunction(), *self._read_clauses(_JSON_CLAUSES)]
        path: list[exp.Expr] = []
        if self._match(TokenType.COMMA):
            path = [*self._path(), *self._read_clauses(_JSON_CLAUSES)]
        end = [*self._json_columns(), *self._read_clauses(_JSON_CLAUSES)]
        arguments = [*_phrase(document), *_phrase([*path, *end])] if path else _phrase([*document, *end])
        return exp.Anonymous(this="JSON_TABLE", expressions=arguments)

    def _json_argument(self: Any) -> exp.Expr | None:
        after = self._next.token_type if self._next else None
        has_key = self._curr and self._curr.text.upper() == "KEY" and after in (TokenType.STRING, TokenType.VAR)
        items: list[exp.Expr] = [exp.var("KEY")] if has_key and self._match_text_seq("KEY") else []
        if (found := self._parse_lambda()) is None:
            return None
        items.append(found)
        for sign in ("VALUE", ":"):
            if self._match_text_seq(sign):
                items += [exp.var(sign), self._parse_disjunction()]
        items += self._read_clauses(_JSON_CLAUSES)
        return _phrase(items)[0]

    def _json_columns(self: Any) -> list[exp.Expr]:
        if not self._match_text_seq("COLUMNS"):
            self.raise_error("Expected COLUMNS")
        columns = self._parse_wrapped_csv(self._json_column)
        return [exp.var("COLUMNS"), exp.Tuple(expressions=columns)]

    def _json_column(self: Any) -> exp.Expr:
        if self._match_text_seq("NESTED"):
            words = ["NESTED", *(["PATH"] if self._match_text_seq("PATH") else [])]
            return _phrase([*map(exp.var, words), *self._path(), *self._json_columns()])[0]
        name = self._parse_id_var()
        if self._match_text_seq("FOR", "ORDINALITY"):
            return _phrase([name, exp.var("FOR ORDINALITY")])[0]
        named = self._curr and self._curr.text.upper() in ("PATH", "EXISTS", "FORMAT")  # no type before it
        return _phrase([name, *([] if named else [self._parse_written_type()]), *self._read_clauses(_COLUMN_CLAUSES)])[
            0
        ]

    def _path(self: Any) -> list[exp.Expr]:
        """Parse `'$.path'`, optionally with a name."""
        path: exp.Expr | None = self._parse_string()
        if path is None:
            self.raise_error("Expected a path")
        return [*([path] if path else []), *self._read_clauses(("AS {name}",))]

    def _read_clauses(self: Any, clauses: tuple[str, ...]) -> list[exp.Expr]:
        """Parse all of these clauses that come next, in the order of the text."""
        found: list[exp.Expr] = []
        while one := next(filter(None, map(self._clause, clauses)), None):
            found += one
        return found

    def _clause(self: Any, clause: str) -> list[exp.Expr]:
        """Parse one clause. Return its parts, or an empty list if something else comes next."""
        index, parts = self._index, list[exp.Expr]()
        for word in clause.split():
            part = self._hole(word) if word[0] == "{" else exp.var(word) if self._match_text_seq(word) else None
            if part is None:
                self._retreat(index)
                return []
            parts.append(part)
        return parts

    def _hole(self: Any, word: str) -> exp.Expr | None:
        read = {
            "{type}": self._parse_written_type,
            "{value}": self._parse_unary,
            "{name}": self._parse_id_var,
            "{text}": self._parse_string,
            "{names}": self._parse_passed,
        }
        found: exp.Expr | None = read[word]()
        return found

    def _parse_passed(self: Any) -> exp.Expr | None:
        """Parse `value AS name, ...`. The commas become parts of the phrase."""
        items: list[exp.Expr] = []
        while True:
            items.append(self._parse_alias(self._parse_disjunction(), explicit=True))
            if not self._match(TokenType.COMMA):
                return _phrase(items)[0]
            items.append(exp.var(","))

    def _parse_written_type(self: Any) -> exp.Expr | None:
        """Parse a type. Keep its words if they are plain, unless it may be the name of a table or of a user's type."""
        start = self._index
        data_type: exp.Expr | None = self._parse_types()
        words: list[Token] = self._tokens[start : self._index]
        text = " ".join(word.text.upper() for word in words)
        if data_type is None or not _WRITTEN_TYPE.fullmatch(text) or any(it.token_type in _QUOTED for it in words):
            return data_type
        if type(data_type) is not exp.DataType or any(it.this == _NAMED for it in data_type.find_all(exp.DataType)):
            return data_type
        return exp.var(re.sub(r" ?([(,)\[\]]) ?", r"\1", text))


_QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)
_NAMED = exp.DataType.Type.USERDEFINED


def _phrase(parts: list[exp.Expr]) -> list[exp.Expr]:
    """The parts as one node. Empty if there are none."""
    return [Phrase(expressions=parts)] if len(parts) > 1 else parts


_JSON_NAMES = (
    *("JSON_VALUE", "JSON_QUERY", "JSON_EXISTS", "JSON_SERIALIZE", "JSON_SCALAR", "JSON_ARRAY", "JSON_OBJECT"),
    *("JSON_ARRAYAGG", "JSON_OBJECTAGG"),
)
_XML_NAMES = ("XMLELEMENT", "XMLATTRIBUTES", "XMLFOREST")
_REGEXPR_NAMES = ("SUBSTR_REGEXPR", "SUBSTRING_REGEXPR", "REPLACE_REGEXPR", "OCCURRENCES_REGEXPR", "LOCATE_REGEXPR")


def _readers(names: Iterable[str], read: Callable[..., exp.Expr], *more: Any) -> dict[str, Any]:
    """The function that parses each call, by name. Args: read: takes the parser, the name, and `more`."""

    def reader(name: str) -> Any:
        return lambda parser: read(parser, name, *more)

    return {name: reader(name) for name in names}


CLAUSES: dict[str, Any] = {
    **_readers(_JSON_NAMES, ClauseParser.json_call),
    "JSON_TABLE": ClauseParser.json_table,
}
XML = _readers(_XML_NAMES, ClauseParser.xml_call)
LISTAGG: dict[str, Any] = {"LISTAGG": ClauseParser.listagg}
REGEXPR = _readers(_REGEXPR_NAMES, ClauseParser.parse_worded_call, _REGEXPR, ("START", "AFTER"))


def conversions(*names: str) -> dict[str, Any]:
    """Readers of calls whose argument may have a type, or a default for values that cannot be converted."""
    return _readers(names, ClauseParser.parse_worded_call, _CONVERSION)
