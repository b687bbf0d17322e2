"""PostgreSQL."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import TokenError
from sqlglot.generators.postgres import PostgresGenerator
from sqlglot.parser import build_json_extract, build_json_extract_scalar
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokenizer_core import Token, TokenType

from executors.dialects.row import words
from executors.sql.plain.clauses import CLAUSES, XML
from executors.sql.plain.faithful import (
    KEYWORD_ARGUMENTS,
    FaithfulGenerator,
    FaithfulParser,
    as_written,
    side_by_side,
    tables_selected,
)

# Operators that sqlglot does not know, splits, or misreads: of ranges, addresses, geometry and text, and of pg_trgm,
# pgvector, PostGIS, ltree and full text search. All have the precedence of "any other operator".
_OTHER_OPERATORS = words(
    "<% %> <<% %>> <<-> <->> <<<-> <->>> <#> <=> <+> <~> &&& &<| |&> <<| |>> |=| ~= ~== <<#>> @@@ <^ >^ <<= >>= << >>",
    "~<~ ~<=~ ~>=~ ~>~",
)
# Operators that OPERATOR(schema.<) may name.
_OPERATORS = _OTHER_OPERATORS | words(
    "+ - * / % ^ = <> != < <= > >= || ~ ~* !~ !~* ~~ ~~* !~~ !~~* & | # && &< &> <-> -|- @> <@ @@ @ ? ?| ?& -> ->> #>",
    "#>> #- @? ^@ <<->>",
)
_QUALIFIED = re.compile(r"(?:[A-Za-z_]\w*\.)?(?P<symbol>[^\w\s.]+)")


_OF_AN_ARRAY = {"ALL": exp.All, "SOME": exp.Any}


class PlainPostgres(Postgres):
    """PostgreSQL, kept as written, except that ORDER BY a USING < is generated as ASC, and USING > as DESC."""

    to_json_path = as_written

    class Tokenizer(Postgres.Tokenizer):
        KEYWORDS = {**Postgres.Tokenizer.KEYWORDS, **dict.fromkeys(_OTHER_OPERATORS, TokenType.OPERATOR)}

    def tokenize(self, sql: str, dialect: Any = None) -> list[Token]:
        return tables_selected(repair_tokens(super().tokenize(sql, dialect)))

    class Parser(FaithfulParser, PostgresParser):
        FUNCTION_PARSERS = {name: PostgresParser.FUNCTION_PARSERS[name] for name in KEYWORD_ARGUMENTS} | CLAUSES | XML
        JSON_OPERATORS = {
            **PostgresParser.JSON_OPERATORS,
            TokenType.ARROW: build_json_extract,
            TokenType.DARROW: build_json_extract_scalar,
        }
        RANGE_PARSERS = {
            **PostgresParser.RANGE_PARSERS,
            TokenType.OPERATOR: lambda self, this: self.other_operator(this),
            TokenType.PARAMETER: lambda self, this: self.other_operator(this),  # `a @ b`: a is contained in b
        }

        def other_operator(self, this: exp.Expr | None) -> exp.Expr:
            """Parse `a <-> b` and `a OPERATOR(schema.<->) b`."""
            written = self._prev.text
            if written.upper() == "OPERATOR":
                start = self._index
                self._match_l_paren()
                while self._curr and not self._match(TokenType.R_PAREN):
                    self._advance()
                inside = self._tokens[start + 1 : self._index - 1]
                quoted = any(token.token_type in (TokenType.STRING, TokenType.IDENTIFIER) for token in inside)
                name = "".join(token.text for token in inside)
                found = _QUALIFIED.fullmatch(name)
                if quoted or found is None or found["symbol"] not in _OPERATORS:
                    self.raise_error("No operator that is known")
                written = f"OPERATOR({name})"
            return self.expression(exp.Operator(this=this, operator=written, expression=self._parse_bitwise()))

        def _parse_unary(self) -> exp.Expr | None:
            """Parse `@ -5` as the absolute value, and `@name` as a parameter."""
            at, following = self._curr, self._next
            if at is None or following is None or at.token_type is not TokenType.PARAMETER:
                return super()._parse_unary()
            if following.start == at.end + 1 and following.token_type is not TokenType.L_PAREN:
                return super()._parse_unary()
            self._advance()
            return self.expression(exp.Abs(this=self._parse_unary()))

        def _parse_primary(self) -> exp.Expr | None:
            return side_by_side(super()._parse_primary())

        def _parse_function(self, *args: Any, **options: Any) -> exp.Expr | None:
            """Parse `> ALL (array)` and `= SOME (array)` as comparisons, like `= ANY (array)`, and not as calls."""
            found = super()._parse_function(*args, **options)
            if isinstance(found, exp.Anonymous) and len(found.expressions) == 1:
                kind = _OF_AN_ARRAY.get(found.name.upper())
                if kind is not None:
                    return self.expression(kind(this=exp.Paren(this=found.expressions[0])))
            return found

    class Generator(FaithfulGenerator, PostgresGenerator):
        TRANSFORMS = {
            **PostgresGenerator.TRANSFORMS,
            exp.Operator: lambda self, it: f"{self.sql(it, 'this')} {it.args['operator']} {self.sql(it, 'expression')}",
        }

        def placeholder_sql(self, expression: exp.Placeholder) -> str:
            return f":{expression.name}" if expression.this else "?"

        def parameter_sql(self, expression: exp.Parameter) -> str:
            return f"{'$' if expression.name.isdigit() else '@'}{self.sql(expression, 'this')}"

        def unicodestring_sql(self, expression: exp.UnicodeString) -> str:
            """Generate the string unchanged. The server interprets its escapes."""
            text = self.sql(exp.Literal.string(expression.name))
            escape = expression.args.get("escape")
            return f"U&{text}" + (f" UESCAPE {self.sql(escape)}" if escape else "")


PLAIN = PlainPostgres()


_SORTS = {"<": (TokenType.ASC, "ASC"), ">": (TokenType.DESC, "DESC")}


def repair_tokens(tokens: list[Token]) -> list[Token]:
    """Rewrite the tokens of forms that sqlglot does not parse.

    `ORDER BY a USING <` (or `USING OPERATOR(pg_catalog.<)`) becomes `a ASC`; a sign follows USING nowhere else.
    `U&"d\\0061t"` becomes the name "dat". `substring(a SIMILAR b ESCAPE c)` becomes `substring(a FROM b FOR c)`.

    Raises:
        TokenError: a name has an invalid escape.
    """
    tokens = _similar(tokens)
    found: list[Token] = []
    index = 0
    while index < len(tokens):
        read = _order(tokens, index) or _name(tokens, index) or (tokens[index], 1)
        found.append(read[0])
        index += read[1]
    return found


def _similar(tokens: list[Token]) -> list[Token]:
    found = list(tokens)
    opened: list[int] = []
    for index, token in enumerate(tokens):
        kind = token.token_type
        if kind is TokenType.L_PAREN:
            opened.append(index)
        elif kind is TokenType.R_PAREN and opened:
            opened.pop()
        elif kind is TokenType.VAR and token.text.lower() == "similar" and opened and opened[-1]:
            end = _escape(tokens, index)
            if end and tokens[opened[-1] - 1].text.lower() == "substring":
                found[index] = _instead(tokens, index, 1, TokenType.FROM, "FROM")[0]
                found[end] = _instead(tokens, end, 1, TokenType.FOR, "FOR")[0]
    return found


def _escape(tokens: list[Token], start: int) -> int:
    """Position of ESCAPE before the parenthesis closes. 0 if there is none."""
    depth = 0
    for index in range(start + 1, len(tokens)):
        kind = tokens[index].token_type
        depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
        if depth < 0:
            return 0
        if depth == 0 and kind is TokenType.ESCAPE:
            return index
    return 0


def _order(tokens: list[Token], index: int) -> tuple[Token, int] | None:
    if tokens[index].token_type is not TokenType.USING:
        return None
    words = [token.text.lower() for token in tokens[index + 1 : index + 7]]
    for sign, (kind, text) in _SORTS.items():
        for spelled in ([sign], ["operator", "(", "pg_catalog", ".", sign, ")"]):
            if words[: len(spelled)] == spelled:
                return _instead(tokens, index, len(spelled) + 1, kind, text)
    return None


def _name(tokens: list[Token], index: int) -> tuple[Token, int] | None:
    three = tokens[index : index + 3]
    joined = all(a.end + 1 == b.start for a, b in pairwise(three))
    if [token.text.upper() for token in three[:2]] != ["U", "&"] or not joined:
        return None
    if len(three) < 3 or three[2].token_type is not TokenType.IDENTIFIER:
        return None
    escape, length = "\\", 3
    behind = tokens[index + 3 : index + 5]
    if len(behind) == 2 and behind[0].text.upper() == "UESCAPE" and behind[1].token_type is TokenType.STRING:
        escape, length = behind[1].text, 5
    return _instead(tokens, index, length, TokenType.IDENTIFIER, _decode(three[2].text, escape))


def _decode(text: str, escape: str) -> str:
    if len(escape) != 1:
        raise TokenError("UESCAPE wants one character")
    sign = re.escape(escape)
    written = re.compile(rf"{sign}(?:({sign})|([0-9A-Fa-f]{{4}})|\+([0-9A-Fa-f]{{6}}))")
    try:
        return written.sub(lambda it: it[1] or chr(int(it[2] or it[3], 16)), text)
    except (ValueError, OverflowError) as error:
        raise TokenError("No such letter") from error


def _instead(tokens: list[Token], index: int, length: int, kind: TokenType, text: str) -> tuple[Token, int]:
    first, last = tokens[index], tokens[index + length - 1]
    return Token(kind, text, line=first.line, col=first.col, start=first.start, end=last.end), length
