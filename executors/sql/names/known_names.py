"""Schema names that a query failed to quote: with blanks, signs, a leading digit, capitals, or a reserved word.

Such a query does not parse (`SUM(Brutto Betrag)`), or parses as something else (`SELECT Brutto Betrag`, a column and
its alias). So this works on the text, outside of strings, comments and quoted names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from executors.base import Schema
from executors.dialects.table import DIALECTS
from executors.sql.tree import tree_to_change

_BRACKETS = frozenset({"tsql", "sqlite"})  # sqlglot's names of those that quote with them; elsewhere they are lists
_CLOSED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|--[^\n]*|/\*.*?\*/"
# Around a reserved word that is a name: what may stand before it, and what may follow.
_BEFORE = (
    r"(?:(?<=[.,(=<>+*/-])|(?<=\bfrom)|(?<=\bjoin)|(?<=\bselect)|(?<=\bdistinct)|(?<=\bby)|(?<=\bwhere)|(?<=\band)"
    r"|(?<=\bor)|(?<=\bon)|(?<=\bhaving))(?P<gap>\s*)"
)
_AFTER = r"(?=\s*(?:[.,)=<>!+*/;-]|$)|\s+(?!by\b)\w)"


def quote_names(sql: str, schema: Schema) -> str | None:
    """A query that cannot be parsed, or names what is not there, with the names of its schema in quotes where the
    dialect wants them; None where that repairs nothing."""
    dialect = DIALECTS[schema.dialect]
    names = [*(part for table in schema.tables for part in table.parts)]
    names += [column.name for table in schema.tables for column in table.columns]
    wanting = sorted({it for it in names if dialect.quote_name(it) != it}, key=lambda it: (-len(it), it))
    odd = [it for it in wanting if not dialect.is_reserved(it)]
    reserved = [it for it in wanting if dialect.is_reserved(it)]
    brackets = dialect.sqlglot in _BRACKETS
    repaired = _outside(sql, lambda text: _with_quotes(text, odd, dialect.quote_name), brackets=brackets)
    if repaired != sql and tree_to_change(repaired, dialect.sqlglot) is not None:
        return repaired
    repaired = _outside(repaired, lambda text: _quote_reserved(text, reserved, dialect.quote_name), brackets=brackets)
    return repaired if repaired != sql and tree_to_change(repaired, dialect.sqlglot) is not None else None


def _outside(sql: str, change: Callable[[str], str], *, brackets: bool) -> str:
    """A query changed between its strings, comments and quoted names."""
    closed = re.compile(_CLOSED + (r"|\[[^\]]*\]" if brackets else ""), re.DOTALL)
    parts: list[str] = []
    end = 0
    for match in closed.finditer(sql):
        parts += [change(sql[end : match.start()]), match[0]]
        end = match.end()
    return "".join([*parts, change(sql[end:])])


def _with_quotes(text: str, names: Iterable[str], quoted: Callable[[str], str]) -> str:
    """The names in quotes, the longest first; what was written in the same letters comes before another case."""
    names = list(names)
    if not names:
        return text
    spelled: dict[str, str] = {}
    for name in names:
        spelled.setdefault(_fold(name), name)
    exact = set(names)
    found = re.compile(
        r"(?<![\w.$])(?:" + "|".join(_pattern(it) for it in names) + r")(?![\w$])"
        r"|(?<=\w\.)(?:" + "|".join(_pattern(it) for it in names) + r")(?![\w$])",
        re.IGNORECASE,
    )

    def put(match: re.Match[str]) -> str:
        written = " ".join(match[0].split())
        return quoted(written if written in exact else spelled[_fold(match[0])])

    return found.sub(put, text)


def _quote_reserved(text: str, names: Iterable[str], quoted: Callable[[str], str]) -> str:
    """Reserved words in quotes where a name is due, and neither a clause nor a function begins."""
    for name in names:
        due = re.compile(rf"{_BEFORE}(?<![\w$]){re.escape(name)}(?![\w$]){_AFTER}", re.IGNORECASE)
        text = due.sub(lambda match, name=name: f"{match['gap']}{quoted(name)}", text)  # type: ignore[misc]
    return text


def _pattern(name: str) -> str:
    return r"\s+".join(re.escape(part) for part in name.split(" ") if part) or re.escape(name)


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
