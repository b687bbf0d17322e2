"""One condition of a row filter: parsed by the dialect's grammar, with values inserted as literals."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError, UnsupportedError

from executors.base import Schema, Table
from executors.dialects.table import DIALECTS
from executors.errors import SqlRefused
from executors.guard.nodes import NodeCheck
from executors.guard.row_security.row_filter import FilterInvalid, FilterValue, RowFilter, Values
from executors.sql import grammar
from executors.sql.names.existence import NameCheck
from executors.sql.parameters import literal


def value_problems(row_filter: RowFilter, dialect: str) -> tuple[str, ...]:
    """Problems that can be found before the tables are known: invalid conditions, and names without a value."""
    problems: list[str] = []
    for text in row_filter.conditions:
        try:
            condition = RowCondition(text, dialect)
            for name, values in row_filter.principals.items():
                if values is not None:
                    condition.check_values(values, of=name)
        except FilterInvalid as error:
            problems.append(f"row_filter: {error}")
    return tuple(dict.fromkeys(problems))


_NAME = "filter_name"  # key of the `:name` in the meta of the literal that replaces it
_MANY = "filter_many"  # key of whether the value may be a list
_NUMBERS_FOR_BOOLEANS = frozenset({"sqlserver", "oracle"})  # these have no TRUE to compare a column with


class RowCondition:
    """A condition with `:names`, in a dialect of `DIALECTS`.
    Raises FilterInvalid: the text is not a condition, or contains something that no query may."""

    def __init__(self, text: str, dialect: str) -> None:
        self.text, self._dialect = " ".join(text.split()), dialect
        self._holder = exp.Paren(this=_parse(text, dialect))
        self._mark_places()
        try:
            NodeCheck(DIALECTS[dialect]).run(self._holder)
        except SqlRefused as error:
            raise self._invalid(error.message) from error

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the condition names outside of its subqueries, as written. They are the filtered table's."""
        outside = self._holder.walk(prune=lambda node: isinstance(node, exp.Query))
        return tuple(dict.fromkeys(node.name for node in outside if isinstance(node, exp.Column)))

    @property
    def reads_tables(self) -> bool:
        """Whether the condition contains queries."""
        return self._holder.find(exp.Query) is not None

    def check_values(self, values: Values, *, of: str) -> None:
        """Check the values of a principal.
        Raises FilterInvalid: a value is missing, or is a list in a place for a single value."""
        for place in _places(self._holder):
            name = place.meta[_NAME]
            if name not in values:
                raise self._invalid(f"{of!r} has no value for :{name} in `principals`")
            if isinstance(values[name], tuple) and not place.meta.get(_MANY):
                raise self._invalid(f":{name} is a list for {of!r}, which takes one value; write `IN :{name}`")

    def fit(self, table: Table, schema: Schema) -> RowCondition:
        """The condition with its names in the schema's spelling. Its subqueries may read every table.
        Raises FilterInvalid: it names a table or a column that does not exist."""
        new = object.__new__(RowCondition)
        new.text, new._dialect = self.text, self._dialect
        query = exp.select("1").from_(exact(table, schema)).where(self._holder.this.copy())
        try:
            NameCheck(schema, self.text).run(query)
        except SqlRefused as error:
            raise self._invalid(f"{error.message} It was checked against {table.name}") from error
        new._holder = exp.Paren(this=query.args["where"].this)
        return new

    def bind(self, values: Values) -> exp.Expr:
        """A copy of the condition's tree, in parentheses, with the values inserted."""
        tree = self._holder.copy()
        for place in _places(tree):
            value = values[place.meta[_NAME]]
            if place.meta.get(_MANY):
                many = value if isinstance(value, tuple) else (value,)
                # Neither IN (NULL) nor NOT IN (NULL) is ever true, so a principal without values sees no rows.
                place.parent.set("expressions", [self._literal(one) for one in many] or [exp.Null()])  # type: ignore[union-attr]
            else:
                place.replace(self._literal(value))
        return tree

    def _literal(self, value: FilterValue) -> exp.Expr:
        if isinstance(value, tuple):
            raise self._invalid("one value is needed here, not a list")
        if isinstance(value, bool) and self._dialect in _NUMBERS_FOR_BOOLEANS:
            return exp.Literal.number(int(value))
        if isinstance(value, str) and self._dialect == "sqlserver" and not value.isascii():
            return exp.National(this=value)  # else characters outside the code page are replaced
        return literal(value)

    def _mark_places(self) -> None:
        """Replace each `:name` by a marked literal, so that all code that reads trees can read this one."""
        for node in list(self._holder.find_all(exp.Placeholder, exp.Parameter, exp.SessionParameter)):
            name = node.name if node.this else ""
            if not name or isinstance(node, exp.SessionParameter):
                raise self._invalid("a value is written `:name`")
            place = exp.Literal.string("")
            place.meta[_NAME] = name
            inside = node.parent
            if isinstance(inside, exp.In) and (node.arg_key == "field" or inside.expressions == [node]):
                place.meta[_MANY] = True
                inside.set("field", None)
                inside.set("expressions", [place])
            else:
                node.replace(place)

    def _invalid(self, why: str) -> FilterInvalid:
        return FilterInvalid(f"{self.text!r} cannot be used: {why.rstrip('.')}")


def exact(table: Table, schema: Schema) -> exp.Table:
    """A table by its fully qualified name, so that it cannot mean another one."""
    return exp.table_(table.parts[-1], db=table.namespace or schema.namespace or None, quoted=True)


def _parse(text: str, dialect: str) -> exp.Expr:
    name, shown = DIALECTS[dialect].sqlglot, " ".join(text.split())
    try:
        trees = grammar.parse(grammar.tokenize(text, name), text, name)
        for tree in trees:
            grammar.write(tree, name)
    except (TokenError, ParseError, UnsupportedError, RecursionError) as error:
        raise FilterInvalid(f"{shown!r} cannot be used: this is not SQL of {DIALECTS[dialect].title}") from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Condition) or isinstance(trees[0], exp.Query | exp.Literal):
        raise FilterInvalid(f"{shown!r} cannot be used: write a condition, as in WHERE")
    return trees[0]


def _places(tree: exp.Expr) -> list[exp.Literal]:
    return [node for node in tree.find_all(exp.Literal) if _NAME in node.meta]
