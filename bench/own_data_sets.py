"""Twelve messy data sets, generated from a seed, with five questions each and their answers."""

from __future__ import annotations

import csv
import gzip
import io
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

SEED = 20
TOWNS = ("München", "Köln", "Zürich", "Genève", "Málaga", "Łódź")


class DataSet(NamedTuple):
    """One folder of data.

    rows: that its files hold, all of its tables together. names: columns that must be there to be asked for.
    questions: each with its answer, as one value.
    """

    name: str
    rows: int
    names: tuple[str, ...]
    questions: tuple[tuple[str, float | str], ...]


class _Look(NamedTuple):
    """How a data set is written."""

    name: str
    encoding: str = "utf-8"
    delimiter: str = ","
    town: str = "town"
    amount: str = "amount"
    day: str = "day"
    money: Callable[[float], str] = lambda value: f"{value:.2f}"
    date: str = "%Y-%m-%d"
    way: str = "csv"  # or gz, xlsx, months, partitions, nested, uneven, preamble


def _comma(value: float) -> str:
    return f"{value:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")


LOOKS = (
    _Look("german_money", "cp1252", ";", "Ort", "Brutto Betrag", "Tag", lambda it: f"{_comma(it)} €", "%d.%m.%Y"),
    _Look("utf16_export", "utf-16", "\t", "Ort", "Umsatz (€)", "Datum", _comma, "%d.%m.%y"),
    _Look("dollars", amount="Total Paid", money=lambda it: f"${it:,.2f}"),
    _Look("weights", amount="weight", money=lambda it: f"{it:.2f} kg"),
    _Look("reserved_names", town="group", amount="order", day="select"),
    _Look("digits_first", town="1st town", amount="2024_total", day="3 day"),
    _Look("packed", way="gz"),
    _Look("workbook", amount="Größe", way="xlsx"),
    _Look("months", way="months"),
    _Look("partitions", way="partitions"),
    _Look("nested", way="nested"),
    _Look("uneven", way="uneven"),
)


def write_all(folder: Path) -> list[DataSet]:
    """Write all of them, each in its own folder. The same seed gives the same files."""
    return [_written(look, folder / look.name, random.Random(f"{SEED}{look.name}")) for look in LOOKS]


def _written(look: _Look, folder: Path, dice: random.Random) -> DataSet:
    folder.mkdir(parents=True)
    rows = [(dice.choice(TOWNS[:4]), round(dice.uniform(1, 3000), 2), 1 + number % 12) for number in range(240)]
    header = ("id", look.town, look.amount, look.day)
    lines = [
        (str(number), town, look.money(amount), _day(look.date, month, 13 + number % 15))
        for number, (town, amount, month) in enumerate(rows)
    ]
    _WAYS[look.way](folder, look, header, lines)
    total = round(sum(amount for _, amount, _ in rows), 2)
    first = round(sum(amount for town, amount, _ in rows if town == TOWNS[0]), 2)
    by_town = {town: sum(amount for it, amount, _ in rows if it == town) for town in TOWNS[:4]}
    questions: tuple[tuple[str, float | str], ...] = (
        ("How many rows are there?", len(rows)),
        (f"What is the total {look.amount}?", total),
        (f"What is the total {look.amount} of the {look.town} {TOWNS[0]}?", first),
        (f"Which {look.town} has the highest total {look.amount}?", max(by_town, key=by_town.__getitem__)),
        (f"How many rows have a {look.day} in March 2024?", sum(month == 3 for _, _, month in rows)),
    )
    return DataSet(look.name, len(rows), header, questions)


def _day(form: str, month: int, day: int) -> str:
    return form.replace("%Y", "2024").replace("%y", "24").replace("%m", f"{month:02}").replace("%d", f"{day:02}")


def _text(look: _Look, header: Sequence[str], lines: Sequence[Sequence[str]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=look.delimiter).writerows([header, *lines])
    return out.getvalue().encode(look.encoding)


def _one(folder: Path, look: _Look, header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    (folder / f"{look.name}.csv").write_bytes(_text(look, header, lines))


def _gz(folder: Path, look: _Look, header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    (folder / f"{look.name}.csv.gz").write_bytes(gzip.compress(_text(look, header, lines), mtime=0))


def _xlsx(folder: Path, look: _Look, header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    from openpyxl import Workbook  # type: ignore[import-untyped]

    book = Workbook()
    for row in [header, *lines]:
        book.active.append(list(row))
    book.save(folder / f"{look.name}.xlsx")


def _months(folder: Path, look: _Look, header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    for month in range(12):
        (folder / f"sales_2024-{month + 1:02}.csv").write_bytes(_text(look, header, lines[month::12]))


def _partitions(folder: Path, look: _Look, header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    for month in range(12):
        below = folder / f"month={month + 1:02}"
        below.mkdir()
        (below / "part.csv").write_bytes(_text(look, header, lines[month::12]))


def _nested(folder: Path, look: _Look, header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    below = folder / "export" / "2024"
    below.mkdir(parents=True)
    _one(below, look, header, lines)


def _uneven(folder: Path, look: _Look, header: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    torn = [[*line, "a note"] if number % 60 == 7 else line for number, line in enumerate(lines)]
    _one(folder, look, header, torn)


_WAYS = {
    "csv": _one, "gz": _gz, "xlsx": _xlsx, "months": _months, "partitions": _partitions, "nested": _nested,
    "uneven": _uneven,
}  # fmt: skip
