"""MySQL and MariaDB."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.dialects.mysql import MySQL
from sqlglot.errors import ParseError
from sqlglot.generators.mysql import MySQLGenerator
from sqlglot.parsers.mysql import MySQLParser
from sqlglot.tokenizer_core import Token, TokenType

from executors.sql.grammar import RUN_COMMENT
from executors.sql.plain.clauses import CLAUSES, Phrase
from executors.sql.plain.faithful import (
    KEYWORD_ARGUMENTS,
    WRITTEN,
    FaithfulGenerator,
    FaithfulParser,
    as_written,
    side_by_side,
    tables_selected,
)

_CONDITIONS = (exp.Predicate, exp.And, exp.Or, exp.Xor, exp.Not)
_EXECUTABLE = ("!", "M!")  # /*! ... */ and /*M! ... */: comments that the server runs


class PlainMySQL(MySQL):
    """MySQL, kept as written, except `||`: it means OR, but authors mean concatenation, so it is mostly refused."""

    to_json_path = as_written

    class Tokenizer(MySQL.Tokenizer):
        KEYWORDS = {**MySQL.Tokenizer.KEYWORDS, "DISTINCTROW": TokenType.DISTINCT}

    def tokenize(self, sql: str, dialect: Any = None) -> list[Token]:
        tokens = tables_selected(super().tokenize(sql, dialect))
        for token in tokens:
            for comment in token.comments:
                if comment.startswith(_EXECUTABLE):
                    raise ParseError.new(RUN_COMMENT, start_context=f"/*{comment[:40].rstrip()}", highlight="")
        return tokens

    class Parser(FaithfulParser, MySQLParser):
        FUNCTION_PARSERS = {
            **{name: MySQLParser.FUNCTION_PARSERS[name] for name in (*KEYWORD_ARGUMENTS, "CONVERT", "MATCH")},
            **CLAUSES,
        }
        NO_PAREN_FUNCTION_PARSERS = {
            name: parser for name, parser in MySQLParser.NO_PAREN_FUNCTION_PARSERS.items() if name != "IF"
        }
        LAMBDAS = {}
        FUNC_TOKENS = MySQLParser.FUNC_TOKENS - {TokenType.VALUES}  # VALUES (1), (2) is a query
        PRIMARY_PARSERS = {
            **MySQLParser.PRIMARY_PARSERS,
            TokenType.STRING: lambda self, token: self.text(token),
        }
        DISJUNCTION = {kind: node for kind, node in MySQLParser.DISJUNCTION.items() if kind is not TokenType.DPIPE}
        JOINS_HAVE_EQUAL_PRECEDENCE = False
        _grouping = False
        OPERATION_MODIFIERS = MySQLParser.OPERATION_MODIFIERS | {"SQL_CACHE"}

        def _parse_unary(self) -> exp.Expr | None:
            """Parse `!a + b` as `(NOT a) + b`, because the sign binds tighter than the word."""
            if self._curr is None or self._curr.token_type is not TokenType.NOT or self._curr.text != "!":
                return super()._parse_unary()
            self._advance()
            denied = self._parse_unary()
            return self.expression(exp.Paren(this=exp.Not(this=denied))) if denied is not None else None

        def _parse_primary(self) -> exp.Expr | None:
            return side_by_side(super()._parse_primary())

        def _parse_group(self, skip_group_by_token: bool = False) -> exp.Group | None:
            """Parse GROUP BY a DESC. It also orders the rows if there is no ORDER BY."""
            self._grouping = True
            try:
                group: exp.Group | None = super()._parse_group(skip_group_by_token=skip_group_by_token)
            finally:
                self._grouping = False
            if group is not None and any(isinstance(item, exp.Ordered) for item in group.expressions):
                items = list(group.expressions)
                ordered = [
                    it if isinstance(it, exp.Ordered) else exp.Ordered(this=it, nulls_first=True) for it in items
                ]
                group.meta["order"] = exp.Order(expressions=[it.copy() for it in ordered])
                group.set("expressions", [it.this for it in ordered])
            return group

        def _parse_csv(self, parse_method: Any, sep: TokenType = TokenType.COMMA) -> list[Any]:
            if not self._grouping:
                return super()._parse_csv(parse_method, sep)

            def item() -> exp.Expr | None:
                self._grouping = False
                found: exp.Expr | None = parse_method()
                self._grouping = True
                if found is not None and (self._match(TokenType.ASC) or self._match(TokenType.DESC)):
                    desc = self._prev.token_type is TokenType.DESC
                    return exp.Ordered(this=found, desc=desc, nulls_first=not desc)
                return found

            return super()._parse_csv(item, sep)

        def _parse_query_modifiers(self, this: Any) -> Any:
            this = super()._parse_query_modifiers(this)
            group = this.args.get("group") if isinstance(this, exp.Query) else None
            order = group.meta.pop("order", None) if group is not None else None
            if order is not None and not this.args.get("order"):
                this.set("order", order)
            return this

        def _parse_disjunction(self) -> exp.Expr | None:
            """Parse `||` as OR if that is obvious, as with a condition on one side. Else refuse it."""
            this = super()._parse_disjunction()
            while this is not None and self._match(TokenType.DPIPE):
                right = self._parse_conjunction()
                if not _is_or(this, right):
                    self.raise_error("|| is OR here, and no condition; to join text write CONCAT(a, b)", self._prev)
                this = self.expression(exp.Or(this=this, expression=right))
            return this

        def text(self, token: Token) -> exp.Expr:
            """A string that keeps whether it was in double quotes, as other dialects write names."""
            literal = exp.Literal.string(token.text)
            literal.meta["double"] = self.sql[token.start : token.start + 1] == '"'
            return self.expression(literal, token)

        def _parse_lambda(self, alias: bool = False) -> exp.Expr | None:
            """Parse an argument. `x SEPARATOR ', '` of GROUP_CONCAT is kept as a pair."""
            found = super()._parse_lambda(alias=alias)
            if found is not None and self._match(TokenType.SEPARATOR):
                pair = self.expression(exp.Kwarg(this=found, expression=self._parse_string()))
                limit = self._parse_number() if self._match(TokenType.LIMIT) else None  # MariaDB's
                return pair if limit is None else self.expression(Phrase(expressions=[pair, exp.var("LIMIT"), limit]))
            return found

    class Generator(FaithfulGenerator, MySQLGenerator):
        # Syntax that MySQL lacks is refused, because a model repairs it better than a rewrite.
        TRANSFORMS = {
            kind: how
            for kind, how in MySQLGenerator.TRANSFORMS.items()
            if kind not in {exp.Select, exp.RegexpLike, exp.JSONExtractScalar}
        }

        def values_sql(self, expression: exp.Values, values_as_table: bool = True) -> str:  # noqa: ARG002
            """Generate the rows as written: ROW(1, 2) in MySQL, (1, 2) in MariaDB."""
            rows = [_one_row(item) for item in expression.expressions]
            written = f"VALUES {', '.join(self.sql(row) for row in rows)}"
            alias = self.sql(expression, "alias")
            return f"({written}) AS {alias}" if alias else written

        def version_sql(self, expression: exp.Version) -> str:
            kind, when = expression.text("kind"), expression.expression
            between = {"BETWEEN": " AND ", "FROM": " TO "}.get(kind)
            ends = [self.sql(end) for end in when.expressions] if isinstance(when, exp.Tuple) else [self.sql(when)]
            return f"FOR SYSTEM_TIME {kind} {(between or ', ').join(ends)}".rstrip()

        def join_sql(self, expression: exp.Join, join_op: str | None = None) -> str:
            if expression.side == "FULL":
                self.unsupported("There is no FULL JOIN; FULL would be taken for an alias")
            return str(super().join_sql(expression, join_op))

        def kwarg_sql(self, expression: exp.Kwarg) -> str:
            return f"{self.sql(expression, 'this')} SEPARATOR {self.sql(expression, 'expression')}"

        def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
            if WRITTEN in expression.to.meta:
                return f"CAST({self.sql(expression, 'this')} AS {self.sql(expression, 'to')})"
            return str(super().cast_sql(expression, safe_prefix))

        def regexplike_sql(self, expression: exp.RegexpLike) -> str:
            return self.binary(expression, "REGEXP")

        def jsonextractscalar_sql(self, expression: exp.JSONExtractScalar) -> str:
            path = exp.Anonymous(this="JSON_EXTRACT", expressions=[expression.this, expression.expression])
            return self.func("JSON_UNQUOTE", path)  # the long form of ->>, which MariaDB lacks


def _is_or(left: exp.Expr, right: exp.Expr | None) -> bool:
    """Whether `left || right` is certainly OR: there is a condition on one side, or numbers and booleans on both."""
    sides = [left.unnest(), *([right.unnest()] if right is not None else [])]
    plain = [isinstance(it, exp.Boolean) or (isinstance(it, exp.Literal) and it.is_number) for it in sides]
    return any(isinstance(it, _CONDITIONS) for it in sides) or all(plain)


def _one_row(item: exp.Expr) -> exp.Expr:
    """The call `ROW(1, 2)`, without the tuple in which sqlglot puts it. Other rows are returned unchanged."""
    first = item.expressions[0] if isinstance(item, exp.Tuple) and len(item.expressions) == 1 else None
    return first if isinstance(first, exp.Anonymous) and first.name.upper() == "ROW" else item


PLAIN = PlainMySQL()
