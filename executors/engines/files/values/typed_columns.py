"""Reads columns of texts as the dates and numbers that they contain."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from executors.engines.common.local.files import quote_name
from executors.engines.files.file_table import absent_note, fetch_row
from executors.engines.files.values.written_dates import columns_of_dates, detect_date_format, other_order
from executors.engines.files.values.written_numbers import COMMA, POINT, detect_number_format, mark_of, shapes_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from executors.engines.files.file_table import FileTable


def cast_texts(connection: DuckDBPyConnection, path: Path, found: FileTable, first: str = "") -> FileTable:
    """The table with texts read as dates and numbers, if the whole file was read. Else the table itself.
    Args: path: for messages; first: "day" or "month", for dates that can be read in both ways."""
    if not found.whole:
        return found
    columns, selected, notes, problems = list(found.columns), list[str](), dict(found.notes), list[str]()
    orders, units, reasons = dict[str, str](), dict[str, str](), dict[str, str]()
    texts = [name for name, kind in found.columns if kind == "VARCHAR"]
    found_dates = columns_of_dates(connection, found.reader, texts)
    dates = {*found_dates.numbered, *found_dates.named}
    reasons |= dict.fromkeys(
        found_dates.months, "Kept as text: all values are a month with a year or a day, and no whole dates."
    )
    shapes = shapes_of(connection, found.reader, [name for name in texts if name not in dates])
    own = COMMA if found.decimal else POINT
    mark = mark_of(shapes.values(), (own for _, kind in found.columns if kind == "DOUBLE"))
    usual = POINT if found.delimiter in ("", ",") else ""
    for at, (name, kind) in enumerate(found.columns):
        selected.append(found.expressions[at] if found.expressions else quote_name(name))
        named, zoned = name in found_dates.named, name in found_dates.zoned
        date = None
        if name in dates:
            date = detect_date_format(connection, found.reader, name, named=named, zoned=zoned, first=first)
        if date is not None:
            if date.type:
                columns[at], selected[at] = (name, date.type), f"{date.expression} AS {quote_name(name)}"
            orders |= {name: date.order} if date.order else {}
            notes |= {name: date.note} if date.note else {}
            problems += [f"{path.name}: {name}: {date.problem}"] if date.problem else []
        elif name in shapes:
            absent = absent_note(connection, found.reader, name)
            number = detect_number_format(name, shapes[name], mark, usual=usual, absent=absent)
            reasons |= {name: number.reason} if number.reason else {}
            if number.type:
                columns[at], selected[at] = (name, number.type), f"{number.expression} AS {quote_name(name)}"
                notes[name] = number.note
                units |= {name: number.unit} if number.unit else {}
                problems += [f"{path.name}: {name}: {number.problem}"] if number.problem else []
        elif order := _order_of_days(connection, found, name, kind, first):
            notes[name] = order
            other = "month" if order.endswith("the day first.") else "day"
            problems.append(f"{path.name}: {name}: {order} {other_order(other)}")
    return found._replace(
        columns=tuple(columns),
        expressions=tuple(selected) if tuple(columns) != found.columns else found.expressions,
        valueless=found_dates.valueless,
        notes=tuple(notes.items()),
        problems=(*found.problems, *problems),
        orders=tuple(orders.items()),
        units=tuple(units.items()),
        reasons=tuple(reasons.items()),
    )


def _order_of_days(connection: DuckDBPyConnection, found: FileTable, name: str, kind: str, wanted: str) -> str:
    """A sentence on dates that can be read with the day or the month first. Empty if they are read as `wanted`."""
    option = {"DATE": "dateformat", "TIMESTAMP": "timestampformat"}.get(kind)
    pattern = re.search(rf"\b{option} = '%(d|m)[^']*'", found.reader)
    if pattern is None:
        return ""
    (most,) = fetch_row(connection, f"SELECT max(day({quote_name(name)})) FROM {found.reader}")
    if most is None or most > 12:
        return ""
    first = "day" if pattern[1] == "d" else "month"
    if first == wanted:
        return ""
    return f"Every value can be read with the day or the month first; it is read with the {first} first."
