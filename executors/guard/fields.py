"""Names after a dot that are calls.

In PostgreSQL `(value).name` is `name(value)` if the value has no such field, and `x.name` is `name(x)` if `x` is a
function in FROM that returns single values: `('/etc/passwd'::text).pg_read_file`. In Oracle `package.name` calls
without parentheses. None of these look like calls, so such names are compared with the lists of functions here.
"""

from __future__ import annotations

import re

from sqlglot import exp

from executors.dialects.row import words
from executors.dialects.table import Dialect
from executors.errors import Because, ErrorKind, SqlRefused
from executors.guard.refusals import build_function_refusal

# Fields of what PostgreSQL's own functions and its extensions' give; none is the name of a function that harms.
_FIELDS = words(
    "key value ordinality f1 f2 f3 f4 f5 f6 f7 f8 f9 column1 column2 column3 lexeme positions weights alias",
    "description token dictionaries dictionary lexemes tokid geom path valid reason location",
    "center radius i j message detail hint",
)
# An operator is a function of its schema; those of others than these are anybody's.
_OPERATOR = re.compile(r'(?:OPERATOR\(\s*(?:"?(?:pg_catalog|public)"?\s*\.\s*)?)?[-+*/<>=~!@#%^&|`?]+\s*\)?')
_ROWS = words("json_table xmltable")  # give rows, never single values
_SAMPLES = words("bernoulli system reservoir block")


class FieldCheck:
    """The names behind a dot, in one tree.

    Args:
        dialect: that it is written in.
        own: functions of the database's own that may be called, in lower case.
        columns: of the database's tables, in lower case: they are the fields of whole rows.
    """

    def __init__(self, dialect: Dialect, own: frozenset[str], columns: frozenset[str]) -> None:
        self._dialect, self._known = dialect, own | columns

    def run(self, root: exp.Expr) -> None:
        """Refuse what may be a call that is on no list. What is no query does not tell its sources, and is left out.

        Raises:
            SqlRefused: FUNCTION_NOT_FOUND.
        """
        if not isinstance(root, exp.Query):
            return
        if self._dialect.kin == "postgresql":
            self._run_postgres(root)
        elif self._dialect.kin == "oracle":
            sources = set(map(_name, root.find_all(exp.Table, exp.TableAlias)))
            for column in root.find_all(exp.Column):
                before = [part.name.lower() for part in column.parts[:-1]]
                if before and sources.isdisjoint(before):
                    raise build_function_refusal(".".join(part.name for part in column.parts), self._dialect)

    def _run_postgres(self, root: exp.Expr) -> None:
        for dot in root.find_all(exp.Dot):
            if isinstance(dot.expression, exp.Identifier):
                self._check(dot.expression)
        plain, makers = _sources(root)
        for column in root.find_all(exp.Column):
            before = column.table.lower()
            if not before or isinstance(column.this, exp.Star) or (before in plain and before not in makers):
                continue
            if _fold_name(column.this) not in makers.get(before, ()):
                self._check(column.this)
        for operator in root.find_all(exp.Operator):
            written = str(operator.args["operator"])
            if not _OPERATOR.fullmatch(written):
                raise build_function_refusal(written, self._dialect)
        for sample in root.find_all(exp.TableSample):
            if (method := sample.text("method").lower()) and method not in _SAMPLES:
                raise build_function_refusal(method, self._dialect)

    def _check(self, name: exp.Expr) -> None:
        field = name.name.lower()
        if field in _FIELDS or field in self._known or self._dialect.may_call(field, in_from=False):
            return
        refused = build_function_refusal(name.name, self._dialect)
        if refused.because is not Because.FUNCTION:
            raise refused
        message = f"What stands behind a dot may be a function, and {name.name[:80]} is not known."
        hint = "Name the columns of a function in FROM: FROM f(1) AS x(a, b). Fields may be listed under `functions`."
        raise SqlRefused(ErrorKind.FUNCTION_NOT_FOUND, message, hint, because=Because.FUNCTION)


def _sources(root: exp.Expr) -> tuple[set[str], dict[str, set[str]]]:
    """Names in FROM that stand for rows, and those that stand for what a function gives, with their columns' names."""
    plain: set[str] = set()
    makers: dict[str, set[str]] = {}
    for node in root.find_all(exp.Table, exp.Subquery, exp.CTE, exp.Values, exp.Lateral, exp.Unnest):
        name, alias = _name(node), node.args.get("alias")
        held = node.this if isinstance(node, exp.Table | exp.Lateral) else node
        if isinstance(held, exp.Func) and held.name.lower() not in _ROWS:
            named = alias.columns if isinstance(alias, exp.TableAlias) else []
            columns = {_fold_name(it.this if isinstance(it, exp.ColumnDef) else it) for it in named}
            if isinstance(offset := node.args.get("offset"), exp.Identifier):
                columns.add(_fold_name(offset))  # of WITH ORDINALITY
            columns = columns or {_fold_name(alias.this) if isinstance(alias, exp.TableAlias) else name}
            makers[name] = columns & makers.get(name, columns)  # another one of that name may have others
        else:
            plain.add(name)
    return plain, makers


def _fold_name(name: exp.Expr) -> str:
    """What PostgreSQL looks up for a name."""
    return name.name if name.args.get("quoted") else name.name.lower()


def _name(node: exp.Expr) -> str:
    """What a source goes by, in lower case; empty where it has no name."""
    return (node.alias or (node.name if isinstance(node, exp.Table | exp.TableAlias) else "")).lower()
