"""The cases of the rules on groups that a query forgot. See `rule_cases`."""

from __future__ import annotations

from rule_shop import Case

from executors.errors import ErrorKind

READS = "FROM readers AS r JOIN loans AS l ON l.reader_id = r.id"


def _grouped(sql: str, having: str, why: str, *, key: str = "r.id", reads: str = READS, where: str = "") -> Case:
    column = key.rpartition(".")[2]
    rows = f"SELECT {key} {reads}{f' WHERE {where}' if where else ''} GROUP BY {key} HAVING {having}"
    return Case(sql, f"SELECT COUNT({column}) FROM ({rows}) AS counted", why, error=ErrorKind.GROUPING)


def _left(sql: str, why: str, error: ErrorKind = ErrorKind.GROUPING) -> Case:
    return Case(sql, None, why, error=error)


COUNTED = f"SELECT COUNT(DISTINCT r.id) {READS} WHERE"
GROUP_CASES: dict[str, tuple[Case, ...]] = {
    "aggregates_in_where": (
        _grouped(f"{COUNTED} COUNT(l.id) >= 8", "COUNT(l.id) >= 8", "readers with eight loans"),
        _grouped(f"{COUNTED} SUM(l.fee) > 20", "SUM(l.fee) > 20", "by a sum"),
        _grouped(f"{COUNTED} 3 < COUNT(*)", "3 < COUNT(*)", "the other way round"),
        _grouped(
            f"{COUNTED} COUNT(*) = 1 AND r.since > 2000", "COUNT(*) = 1", "beside a row's", where="r.since > 2000"
        ),
        _grouped(f"{COUNTED} COUNT(*) > 1 AND SUM(l.fee) > 9", "COUNT(*) > 1 AND SUM(l.fee) > 9", "two of them"),
        _grouped(f"{COUNTED} (COUNT(*) > 1 OR SUM(l.fee) > 9)", "(COUNT(*) > 1 OR SUM(l.fee) > 9)", "either"),
        _grouped(f"{COUNTED} COUNT(*) BETWEEN 2 AND 4", "COUNT(*) BETWEEN 2 AND 4", "between"),
        _grouped(f"{COUNTED} NOT COUNT(*) > 3", "NOT COUNT(*) > 3", "denied"),
        _grouped(f"{COUNTED} MAX(l.fee) - MIN(l.fee) > 5", "MAX(l.fee) - MIN(l.fee) > 5", "of two aggregates"),
        _grouped(
            "SELECT COUNT(DISTINCT reader_id) FROM loans WHERE COUNT(*) > 1",
            "COUNT(*) > 1",
            "no join",
            key="reader_id",
            reads="FROM loans",
        ),
        Case(
            f"SELECT COUNT(DISTINCT r.id) AS n {READS} WHERE COUNT(*) > 1",
            f"SELECT COUNT(id) AS n FROM (SELECT r.id {READS} GROUP BY r.id HAVING COUNT(*) > 1) AS counted",
            "the name of the number stays",
            dialect="duckdb",
            error=ErrorKind.GROUPING,
        ),
        _grouped(f"{COUNTED} r.id < COUNT(*)", "r.id < COUNT(*)", "the key beside it"),
        _left(f"{COUNTED} l.fee > AVG(l.fee)", "rows above the mean of all"),
        _left(f"{COUNTED} l.fee = MIN(l.fee)", "rows with the least of all"),
        _left(f"{COUNTED} COUNT(*) > 1 AND (SUM(l.fee) > 9 OR r.since > 2000)", "a row's beside an aggregate"),
        _left(f"{COUNTED} l.id > COUNT(*)", "another key"),
        _left(f"SELECT COUNT(DISTINCT r.id) {READS} WHERE r.since > 2000", "no aggregate"),
        _left(f"SELECT COUNT(DISTINCT r.id) {READS}", "no condition"),
        _left(f"SELECT COUNT(*) {READS} WHERE COUNT(l.id) > 1", "of what is not said"),
        _left(f"SELECT COUNT(r.id) {READS} WHERE COUNT(l.id) > 1", "nor here"),
        _left(f"SELECT r.name {READS} WHERE COUNT(l.id) > 1", "of one name, or of one reader"),
        _left(f"{COUNTED} COUNT(l.id) > 1 GROUP BY r.since", "grouped by something else"),
        _left(f"{COUNTED} COUNT(l.id) > 1 ORDER BY 1", "ordered, so several rows are meant"),
        _left(f"SELECT COUNT(DISTINCT r.id), r.since {READS} WHERE COUNT(l.id) > 1", "beside another item"),
        _left(f"SELECT COUNT(DISTINCT r.id, l.id) {READS} WHERE COUNT(*) > 1", "of two columns"),
        _left(f"{COUNTED} COUNT(*) > (SELECT AVG(fee) FROM loans)", "held against another query"),
        _left(f"{COUNTED} l.fee > (SELECT AVG(fee) FROM loans) AND COUNT(*) > 1 LIMIT 1", "cut"),
        _left(f"SELECT AVG(r.since) {READS} WHERE COUNT(l.id) > 1", "no count"),
        _left(f"{COUNTED} COUNT(l.id) > 1", "of another error", ErrorKind.COLUMN_NOT_FOUND),
        _left(f"{COUNTED} COUNT(l.id) > 1 UNION SELECT 1", "two queries"),
    ),
}
