"""Differences between MySQL 8 and MariaDB: translates statements on their way there, and errors on their way back."""

from __future__ import annotations

import re
from dataclasses import dataclass

VERSION = "8.0.40"
MODES = (
    "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,"
    "NO_ENGINE_SUBSTITUTION"
)
SYNTAX, UNKNOWN_VARIABLE, TOO_DEEP, OUT_OF_TIME = 1064, 1193, 3636, 3024
INCOMPLETE = 1931  # the warning of MariaDB, which stops a recursion without an error

# Quoted text and comments; text in `/*!` runs on both servers, so it is no comment.
_QUOTED = re.compile(
    r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|`(?:[^`]|``)*`|/\*(?!!).*?\*/|\#[^\n]*|--(?=\s|$)[^\n]*""", re.DOTALL
)
# Words with which only MariaDB can do something: MySQL stops reading there.
_UNREADABLE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^\s*(?:INSERT|DELETE|REPLACE)\b.*?\b(RETURNING\b.*)",
        r"^\s*(?:CREATE(?:\s+OR\s+REPLACE)?|DROP|ALTER)\s+(SEQUENCE\b.*)",
        r"^\s*CREATE\s+(OR\s+REPLACE\s+TABLE\b.*)",
        r"^\s*CREATE\s+TABLE\b.*?\b((?:UUID|INET[46])\b.*)",
        r"^\s*SET\s+(STATEMENT\b.*)",
        r"^\s*EXECUTE\s+(IMMEDIATE\b.*)",
        r"^\s*BEGIN\s+(NOT\b.*)",
        r"\b(?:MEDIAN|PERCENTILE_(?:CONT|DISC))\s*\([^()]*\)\s*((?:OVER|WITHIN)\b.*)",
        r"\b(?:NEXT|PREVIOUS)\s+VALUE\s+(FOR\b.*)",
    )
)
_ONLY_MARIADB = re.compile(
    r"(?:@@(?:\w+\.)?|^\s*SET\s+(?:\w+\s+)?)(max_statement_time|max_recursive_iterations|tx_read_only|tx_isolation)\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\s*SET\s+(?:(?:SESSION|LOCAL)\s+|@@(?:SESSION\.|LOCAL\.)?)?max_execution_time\s*:?=\s*(\d+)\s*;?\s*",
    re.IGNORECASE,
)
_NAMES = {
    "transaction_read_only": "tx_read_only",
    "transaction_isolation": "tx_isolation",
    "cte_max_recursion_depth": "max_recursive_iterations",
}
_VARIABLE = re.compile(r"@@((?:SESSION|LOCAL|GLOBAL)\.)?(\w+)", re.IGNORECASE)
_DEPTH = re.compile(r"(\bSET\s+(?:SESSION\s+|LOCAL\s+)?)cte_max_recursion_depth\b", re.IGNORECASE)
_READS = re.compile(r"[\s(]*(?:SELECT|WITH|TABLE|VALUES)\b", re.IGNORECASE)
_CLAUSES = {
    "SELECT": "field list",
    "WHERE": "where clause",
    "ON": "on clause",
    "GROUP BY": "group statement",
    "ORDER BY": "order clause",
    "HAVING": "having clause",
}
_UNGROUPED = (
    "Expression #1 of SELECT list is not in GROUP BY clause and contains nonaggregated column '{column}' which is not "
    "functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by"
)
_PLACE = re.compile(rf" in '?({'|'.join(_CLAUSES)})'?(?= is ambiguous$|$)")


class Refused(Exception):
    """An error of MySQL. Args: its number, its SQLSTATE, its text."""


@dataclass
class Limits:
    """Of one session. Shape: `max_execution_time` in milliseconds, 0: none."""

    max_execution_time: int = 0

    def seconds(self, sql: str) -> float:
        """How long MariaDB may take for a statement: MySQL limits queries alone. 0: any time."""
        return self.max_execution_time / 1000 if _READS.match(_bare(sql)) else 0


def translate(sql: str, limits: Limits) -> str:
    """The statement as MariaDB takes it. Raises Refused where MySQL has no such thing.

    Args:
        limits: of the session; a statement that sets one is noted there.
    """
    bare = _bare(sql)
    if found := next((match for pattern in _UNREADABLE if (match := pattern.search(bare))), None):
        raise Refused(SYNTAX, "42000", _syntax(sql[found.start(1) :][:80], sql.count("\n", 0, found.start(1)) + 1))
    if found := _ONLY_MARIADB.search(bare):
        raise Refused(UNKNOWN_VARIABLE, "HY000", f"Unknown system variable '{found[1]}'")
    if found := _LIMIT.fullmatch(bare):
        limits.max_execution_time = int(found[1])
        return "DO 0"
    sql = re.sub(r"/\*M!", "/* M!", sql)
    parts, end = [], 0
    for quoted in _QUOTED.finditer(sql):
        parts += [_renamed(sql[end : quoted.start()], limits), quoted[0]]
        end = quoted.end()
    return "".join((*parts, _renamed(sql[end:], limits)))


def error_of(code: int, state: str, text: str) -> tuple[int, str, str]:
    """A MariaDB error in MySQL's form: number, SQLSTATE, text."""
    if code == 1969:
        return OUT_OF_TIME, "HY000", "Query execution was interrupted, maximum statement execution time exceeded"
    if code == 1055 and (found := re.fullmatch(r"'(.+)' isn't in GROUP BY", text)):
        return code, state, _UNGROUPED.format(column=found[1])
    if code in {1052, 1054}:
        return code, state, _PLACE.sub(lambda found: f" in '{_CLAUSES[found[1]]}'", text)
    return code, state, text.replace("MariaDB server version", "MySQL server version")


def _bare(sql: str) -> str:
    """The statement with blanks in place of quoted text and line ends, so that positions stay the same."""
    return re.sub(r"\s", " ", _QUOTED.sub(lambda quoted: " " * len(quoted[0]), sql))


def _renamed(sql: str, limits: Limits) -> str:
    def name(found: re.Match[str]) -> str:
        scope, variable = found[1] or "", found[2].lower()
        if variable == "max_execution_time":
            return str(0 if scope.upper() == "GLOBAL." else limits.max_execution_time)
        return f"@@{scope}{_NAMES.get(variable, found[2])}"

    return _DEPTH.sub(r"\1max_recursive_iterations", _VARIABLE.sub(name, sql))


def _syntax(near: str, line: int) -> str:
    return (
        "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the "
        f"right syntax to use near '{near}' at line {line}"
    )
