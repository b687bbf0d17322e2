"""Numbers as people write them, in columns that are text to DuckDB: `1.307,81 €`, `$1,200.50`, `12 kg`, `15 %`.

A column is read as a number only where every value of it is one, all with the same sign or unit, and at least one
shows by more than its digits that it is no code: codes such as `01234` stay text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from executors.engines.local.samples import quoted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_MONEY = r"\p{Sc}|EUR|USD|GBP|CHF|JPY|CNY|KRW|SEK|NOK|DKK|PLN|CZK|HUF|CAD|AUD|INR|BRL|MXN|TRY"
_UNIT = (
    rf"{_MONEY}|%|°[CF]?|kg|mg|g|t|lbs?|oz|km|cm|mm|m|mi|ft|m²|m³|l|ml|kWh|MWh|kW|MW|km/h|h|min|ms|s|pcs|Stk\.?|Stück"
)
_BLANKS = r"[\s\x{00A0}\x{202F}]*"
_COMMA = r"[-+]?(?:\d{1,3}(?:[.'’ \x{00A0}\x{202F}]\d{3})+|\d+)(?:,\d+)?"
_DOT = r"[-+]?(?:\d{1,3}(?:[,'’ \x{00A0}\x{202F}]\d{3})+|\d+)(?:\.\d+)?"


class WrittenNumber(NamedTuple):
    """A column read as a number. expression: over the column; note: how, with its unit, and without any value.

    unit: as its texts name it; empty where they have none.
    """

    type: str
    expression: str
    note: str
    unit: str = ""


def written_number(connection: DuckDBPyConnection, reader: str, column: str) -> WrittenNumber | None:
    """How a column of texts is read as a number; None where it is none.

    Args:
        connection: that may read the file.
        reader: the table function.
        column: its name.
    """
    text = f"trim({quoted(column)})"
    shapes = {"comma": _COMMA, "dot": _DOT}
    whole = {it: rf"^(?:{_MONEY})?{_BLANKS}{shape}{_BLANKS}(?:{_UNIT})?$" for it, shape in shapes.items()}
    plain = r"^[-+]?\d+$"
    unit = rf"regexp_replace({text}, '[-+0-9.,''’\s\x{{00A0}}\x{{202F}}]', '', 'g')"
    row = connection.execute(
        f"SELECT count(*), "
        f"count(*) FILTER (regexp_matches({text}, {_sql(whole['comma'])})), "
        f"count(*) FILTER (regexp_matches({text}, {_sql(whole['dot'])})), "
        f"count(*) FILTER (NOT regexp_matches({text}, {_sql(plain)})), "
        f"count(DISTINCT {unit}) FILTER ({unit} <> ''), max({unit}), "
        rf"max(length(regexp_extract({text}, ',(\d+)[^\d.,]*$', 1))), "
        rf"max(length(regexp_extract({text}, '\.(\d+)[^\d.,]*$', 1))), "
        f"count(*) FILTER (regexp_matches({text}, '^0[0-9]')) "
        f"FROM {reader} WHERE {text} <> ''"
    ).fetchone()
    assert row is not None  # noqa: S101  an aggregate has one row
    count, comma, dot, telling, units, name, after_comma, after_dot, codes = row
    if not count or not telling or units > 1 or codes:
        return None
    as_comma, as_dot = comma == count, dot == count
    if as_comma and as_dot:  # 1.234 may be either: only whole numbers with a unit, or nothing tells
        if after_dot or after_comma:
            return None
        as_dot = True
    if not as_comma and not as_dot:
        return None
    point = as_comma and not as_dot
    digits = (after_comma if point else after_dot) or 0
    kind = "BIGINT" if not digits else f"DECIMAL(18,{digits})" if digits <= 6 else "DOUBLE"
    bare = rf"regexp_replace({text}, '[^0-9{',' if point else '.'}+-]', '', 'g')"
    bare = f"replace({bare}, ',', '.')" if point else bare
    note = "Read as a number" + (" with a decimal comma" if point and digits else "") + (f", in {name}" if name else "")
    return WrittenNumber(kind, f"CAST(nullif({bare}, '') AS {kind})", f"{note}.", name or "")


def _sql(pattern: str) -> str:
    return "'" + pattern.replace("'", "''") + "'"
