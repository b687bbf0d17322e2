"""The speaker: values, conditions and queries inside expressions, each in words."""

from __future__ import annotations

from sqlglot import exp

from agent.present.explain.conditions import say_condition
from agent.present.explain.say import Say
from agent.present.explain.select import noun, rows_noun
from agent.present.explain.values import say_value


class Speaker(Say):
    """Says every part of one SELECT; a query inside of it is said by a speaker of its own."""

    def value(self, node: exp.Expr) -> str:
        return say_value(node, self)

    def condition(self, node: exp.Expr) -> str:
        return say_condition(node, self)

    def noun(self, node: exp.Expr) -> str | None:
        return noun(node, self)

    def rows_noun(self, node: exp.Expr) -> str | None:
        return rows_noun(node, self)
