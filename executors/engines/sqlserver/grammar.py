"""T-SQL."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp
from sqlglot.dialects.tsql import TSQL
from sqlglot.generators.tsql import TSQLGenerator
from sqlglot.parsers.tsql import TSQLParser
from sqlglot.tokenizer_core import Token, TokenType

from executors.sql.plain.clauses import CLAUSES, conversions
from executors.sql.plain.faithful import FaithfulGenerator, FaithfulParser, as_written, signs_joined

_MONEY = re.compile(r"\$\d+")
_KEYWORD_ARGUMENTS = ("CAST", "TRY_CAST", "CONVERT", "TRY_CONVERT", "TRIM", "OPENJSON")
_WORDED = CLAUSES | conversions("PARSE", "TRY_PARSE")


class PlainTSQL(TSQL):
    """T-SQL, kept as written."""

    to_json_path = as_written

    def tokenize(self, sql: str, dialect: Any = None) -> list[Token]:
        return self._money_cast(signs_joined(super().tokenize(sql, dialect)))

    def _money_cast(self, tokens: list[Token]) -> list[Token]:
        """Rewrite `$10.50`, a number of type money, as a CAST. sqlglot would read it as a name."""
        found: list[Token] = []
        rest = iter(range(len(tokens)))
        for at in rest:
            token = tokens[at]
            if token.token_type is not TokenType.VAR or not _MONEY.fullmatch(token.text):
                found.append(token)
                continue
            digits, last = token.text[1:], token
            fraction = [one for one in tokens[at + 1 : at + 3] if one.start <= token.end + 2]
            if [one.token_type for one in fraction] == [TokenType.DOT, TokenType.NUMBER]:
                digits, last = f"{digits}.{fraction[1].text}", fraction[1]
                next(rest), next(rest)
            for made in super().tokenize(f"CAST({digits} AS MONEY)"):
                one = Token(made.token_type, made.text, line=token.line, col=token.col, start=token.start, end=last.end)
                found.append(one)
        return found

    class Parser(FaithfulParser, TSQLParser):
        FUNCTION_PARSERS = {name: TSQLParser.FUNCTION_PARSERS[name] for name in _KEYWORD_ARGUMENTS} | _WORDED

        def _parse_parameter(self) -> Any:
            """Parse `@name` as a parameter, and `@@name` as a server variable."""
            if self._match(TokenType.PARAMETER):
                return self.expression(exp.SessionParameter(this=self._parse_var(any_token=True)))
            return super()._parse_parameter()

        def _parse_table_hints(self) -> list[exp.Expr] | None:
            """Parse WITH (NOLOCK, INDEX = (ix)). Only the names are kept, because hints are removed later anyway."""
            if not self._match_pair(TokenType.WITH, TokenType.L_PAREN):
                return None
            names: list[exp.Expr] = []
            while self._curr and not self._match(TokenType.R_PAREN):
                if self._match(TokenType.L_PAREN):
                    self._skip_group()
                elif self._match(TokenType.EQ):
                    if not self._match(TokenType.L_PAREN, advance=False):
                        self._advance()  # INDEX = ix
                elif not self._match(TokenType.COMMA):
                    names.append(exp.var(self._curr.text))
                    self._advance()
            if self._prev.token_type is not TokenType.R_PAREN:
                self.raise_error("Expected )")
            return [self.expression(exp.WithTableHint(expressions=names))]

        def _skip_group(self) -> None:
            depth = 1
            while self._curr and depth:
                depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(self._curr.token_type, 0)
                self._advance()

    class Generator(FaithfulGenerator, TSQLGenerator):
        def literal_sql(self, expression: exp.Literal) -> str:
            """Generate the prefix N for text beyond ASCII. Without it, the server uses the database's code page."""
            text = super().literal_sql(expression)
            return text if not expression.is_string or expression.name.isascii() else f"N{text}"

        def national_sql(self, expression: exp.National, prefix: str = "N") -> str:
            return prefix + super().literal_sql(exp.Literal.string(expression.name))


PLAIN = PlainTSQL()
