"""`DATE '2024-01-31'` stays that: a cast of the text would depend on the session's date format."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp

_WORD = "literal"  # where the type's word is kept, in the cast's `meta`


def _keep_word(word: str) -> Any:
    def read(parser: Any, this: exp.Expr, data_type: exp.DataType) -> exp.Expr:
        cast: exp.Expr = parser.expression(exp.Cast(this=this, to=data_type))
        cast.meta[_WORD] = word
        return cast

    return read


class TypedLiteralParser:
    """Mixed into a dialect's parser."""

    TYPE_LITERAL_PARSERS: ClassVar[dict[exp.DType, Any]] = {
        exp.DType.DATE: _keep_word("DATE"),
        exp.DType.TIME: _keep_word("TIME"),
        exp.DType.TIMESTAMP: _keep_word("TIMESTAMP"),
        exp.DType.TIMESTAMPTZ: _keep_word("TIMESTAMP"),
    }


class TypedLiteralGenerator:
    """Mixed into a dialect's generator."""

    def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:
        word = expression.meta.get(_WORD)
        if word:
            return f"{word} {self.sql(expression, 'this')}"  # type: ignore[attr-defined]
        return str(super().cast_sql(expression, safe_prefix))  # type: ignore[misc]
