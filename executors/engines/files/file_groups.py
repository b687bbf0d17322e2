"""Groups files into tables, infers their keys, and reports on each table.

Many files with one schema are one table: monthly exports, nested folders, Hive partitions (`year=2024/month=01`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from executors.base import ColumnReport, ForeignKey, Table, TableReport
from executors.engines.common.local.files import quote_name
from executors.engines.duckdb.engine import literal
from executors.engines.files.file_table import FileTable, fetch_row
from executors.engines.files.values.written_dates import NAMED_DATE
from executors.engines.files.values.written_numbers import LOOKS_LIKE_NUMBER

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Partition = tuple[tuple[str, str], ...]  # names and values of a file's partition folders
_PARTITION = re.compile(r"([^=]+)=(.*)")
_COUNTED = re.compile(r"\d+")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_WHOLE = re.compile(r"-?\d{1,18}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_PARTS_OF_DATES = {"year", "month", "day", "hour", "jahr", "monat", "tag", "stunde"}


def root_of(path: Path) -> Path:
    """The folder to which the names of a path's files are relative. For a glob, the part before its first pattern."""
    if path.is_dir():
        return path
    before: list[str] = []
    for part in path.parts[:-1]:
        if any(mark in part for mark in "*?"):
            break
        before.append(part)
    return Path(*before) if before else path.parent


def group_parts(
    root: Path, parts: Sequence[tuple[Path, str, FileTable]]
) -> list[tuple[str, list[tuple[int, Partition]]]]:
    """Group files into tables, in the order of their first files. Each has a name, and its parts with their partitions.

    Files belong to one table if their own names are the same in several folders, or differ only in numbers, and the
    columns of one are among those of the other, at least half of them. `customers` and `suppliers` stay two tables,
    even if they are alike.
    Args: parts: the path of each part, the name of its own table, and its columns.
    """
    found: dict[str, list[tuple[set[str], list[int]]]] = defaultdict(list)
    names = [{column.casefold() for column, _ in table.columns} for _, _, table in parts]
    for at in sorted(range(len(parts)), key=lambda it: -len(names[it])):
        alike = found[_COUNTED.sub("#", parts[at][1].casefold())]
        members = next((it for most, it in alike if names[at] <= most and 2 * len(names[at]) >= len(most)), None)
        if members is None:
            alike.append((names[at], [at]))
        else:
            members.append(at)
    groups: list[tuple[str, list[tuple[int, Partition]]]] = []
    for members in sorted(sorted(it) for alike in found.values() for _, it in alike):
        path, name, _ = parts[members[0]]
        partitions = [partition_of(root, parts[at][0]) for at in members]
        if len(members) > 1 or partitions[0]:
            own = {parts[at][1].casefold() for at in members}
            name = _common(root, path, name, same=len(own) == 1 and bool(partitions[0]))
        groups.append((name, list(zip(members, partitions, strict=True))))
    return groups


def partition_of(root: Path, path: Path) -> Partition:
    """The partitions in the names of a file's folders, the outer one first. Hive's `%C3%B6` is decoded to `ö`."""
    folders = path.relative_to(root).parts[:-1] if path.is_relative_to(root) else ()
    return tuple((match[1], unquote(match[2])) for part in folders if (match := _PARTITION.fullmatch(part)))


def differences(found: Sequence[FileTable], files: Sequence[str]) -> dict[str, str]:
    """Differences between the files of one table, by column: the order of dates, the unit, the type, or whether they
    have the column. Args: files: their names."""
    orders, units = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    for table in found:
        for name, order in table.orders:
            orders[name][f"the {order} first"] += 1
        for name, unit in table.units:
            units[name][unit] += 1
    sentences: dict[str, str] = {}
    for counts, what in ((orders, "dates in several orders"), (units, "several units, so it stays text")):
        for name, ways in counts.items():
            if len(ways) > 1:
                each = ", ".join(f"{way} in {number:,}" for way, number in ways.most_common())
                sentences[name] = f"Its files have {what}: {each}."
    for name, kinds in _kinds(found).items():
        texts = [files[at] for at, kind in kinds.items() if kind == "VARCHAR"]
        only = len(kinds) + sum(name in map(str.casefold, it.valueless) for it in found)
        shown = next(column for it in found for column, _ in it.columns if column.casefold() == name)
        said = [sentences[shown]] if shown in sentences else []
        if texts and len(texts) < len(kinds):
            said.append(f"It is text because of {texts[0]}{f' and {len(texts) - 1:,} more' if len(texts) > 1 else ''}.")
        if only < len(found):
            said.append(f"It is only in {only:,} of {len(found):,} files.")
        sentences |= {shown: " ".join(said)} if said else {}
    return sentences


def _kinds(found: Sequence[FileTable]) -> dict[str, dict[int, str]]:
    """The types of each column, by its case-folded name and the position of its file, in the files where it has
    values."""
    kinds: dict[str, dict[int, str]] = defaultdict(dict)
    for at, table in enumerate(found):
        for name, kind in table.columns:
            kinds[name.casefold()] |= {} if name in table.valueless else {at: kind}
    return kinds


def write_union(parts: Sequence[tuple[FileTable, Partition]]) -> str:
    """The query of the rows of all files of a table. Partitions become columns unless the file has a column of that
    name. A column without values in one file has the type of the others. Numbers in different units stay texts."""
    kinds = {name: next(iter(each.values()), "VARCHAR") for name, each in _kinds([it for it, _ in parts]).items()}
    units: dict[str, set[str]] = defaultdict(set)
    for table, _ in parts:
        for name, unit in table.units:
            units[name.casefold()].add(unit)
    texts = {name for name, each in units.items() if len(each) > 1}
    keys = _partition_types([it for _, it in parts])
    return " UNION ALL BY NAME ".join(_write_select(table, partition, kinds, texts, keys) for table, partition in parts)


def _write_select(
    table: FileTable, partition: Partition, kinds: Mapping[str, str], texts: set[str], keys: Mapping[str, str]
) -> str:
    selected = []
    for at, (name, _) in enumerate(table.columns):
        quoted, folded = quote_name(name), name.casefold()
        read = table.expressions[at] if table.expressions and folded not in texts else quoted
        empty = name in table.valueless and kinds.get(folded, "VARCHAR") != "VARCHAR" and folded not in texts
        selected.append(f"CAST(NULL AS {kinds[folded]}) AS {quoted}" if empty else read)
    own = {column.casefold() for column, _ in table.columns}
    added = [
        f"CAST({'NULL' if value == _NO_VALUE else literal(value)} AS {keys[name]}) AS {quote_name(name)}"
        for name, value in partition
        if name.casefold() not in own
    ]
    return f"SELECT {', '.join([*selected, *added])} FROM {table.reader}"


def _partition_types(partitions: Iterable[Partition]) -> dict[str, str]:
    """The type of each partition key, by all its values. Codes such as `01067` stay text."""
    values: dict[str, list[str]] = defaultdict(list)
    for name, value in (it for partition in partitions for it in partition):
        values[name] += [value] if value != _NO_VALUE else []
    types = {}
    for name, each in values.items():
        padded = name.casefold() not in _PARTS_OF_DATES and any(it[0] == "0" and len(it) > 1 for it in each if it)
        is_number = all(map(_WHOLE.fullmatch, each)) and not padded
        types[name] = (
            "BIGINT" if is_number and each else "DATE" if each and all(map(_DAY.fullmatch, each)) else "VARCHAR"
        )
    return types


def _common(root: Path, path: Path, name: str, *, same: bool) -> str:
    """The name for several files: their common name without numbers, or that of their folder."""
    bare = _EDGES.sub("", re.sub(r"[\W_]*\d+[\W_]*", "_", name))
    folders = [part for part in (root.name, *path.relative_to(root).parts[:-1]) if not _PARTITION.fullmatch(part)]
    return (folders[-1] if folders else "") or bare or name if same or not bare else bare


_KEY_SUFFIXES = ("id", "no", "nr", "number", "code", "key")


def key_candidates(table: str, columns: Sequence[str]) -> list[str]:
    """Columns that may be the primary key, by their names, likeliest first: `Customer No` in `customers`."""
    by_name = {_letters(column): column for column in columns}
    wanted = [f"{_letters(form)}{suffix}" for suffix in _KEY_SUFFIXES for form in _forms(table)]
    return [by_name[name] for name in ("id", *wanted) if name in by_name]


def with_foreign_keys(tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables with the foreign keys that the names of primary keys imply.

    A foreign key is a column of the same type in another table. It has the name of the primary key, or is `customer_id`
    if the key of `customers` is `id`. Case, blanks and underscores do not count. Nothing enforces it, but the schema
    shows it like a declared one.
    """
    targets: dict[str, Table] = {}
    for table in tables:
        if len(table.primary_key) == 1:
            key = _letters(table.primary_key[0])
            names = [f"{_letters(form)}id" for form in reversed(_forms(table.name))] if key == "id" else [key]
            targets.update(dict.fromkeys(names, table))
    return tuple(table.model_copy(update={"foreign_keys": tuple(_foreign_keys(table, targets))}) for table in tables)


def _foreign_keys(table: Table, targets: Mapping[str, Table]) -> Iterator[ForeignKey]:
    for column in table.columns:
        target = targets.get(_letters(column.name))
        if target is None or target.name == table.name:
            continue
        key = target.column(target.primary_key[0])
        if key is not None and key.type == column.type:
            yield ForeignKey(columns=(column.name,), table=target.name, referenced=target.primary_key)


def _letters(name: str) -> str:
    """A name without case, blanks and underscores: `Customer No` and `customer_no` are one."""
    return re.sub(r"[\W_]+", "", name).lower()


def _forms(table: str) -> list[str]:
    """A table's name, and its possible English singulars: categories, boxes, orders."""
    name = table.lower()
    plurals = (("ies", "y"), ("es", ""), ("s", ""))
    return [name, *(name.removesuffix(ending) + singular for ending, singular in plurals if name.endswith(ending))]


# The pattern of a date, precise enough to find values of another kind.
_DATE = rf"(?:^\d{{1,4}}[-./]\d{{1,2}}[-./]\d{{1,4}}(\D.*)?$|{NAMED_DATE})"
_MOSTLY = 0.8  # share of similar values from which the others are reported


def table_report(
    cursor: DuckDBPyConnection,
    table: Table,
    *,
    files: Sequence[str],
    encodings: Iterable[str],
    found: Sequence[FileTable],
) -> TableReport:
    """The report on a table, with counts of values. Args: table: if its rows were not counted, its values are not."""
    counted = _count(cursor, table) if table.row_count is not None else {}
    reasons = {name: reason for it in found for name, reason in it.reasons}
    return TableReport(
        table=table.name,
        files=tuple(files),
        encoding=_one(encodings),
        delimiter=_one(it.delimiter for it in found),
        decimal=_one(it.decimal for it in found),
        rows=table.row_count,
        columns=tuple(
            counted.get(column.name, ColumnReport(name=column.name, type=column.type)).model_copy(
                update={"note": " ".join(filter(None, (column.comment, reasons.get(column.name))))}
            )
            for column in table.columns
        ),
        problems=(
            *dict.fromkeys(sentence for it in found for sentence in (*it.problems, *it.remarks)),
            *(f"{table.name}: {name}: {sentence}" for name, sentence in differences(found, files).items()),
        ),
    )


def _count(cursor: DuckDBPyConnection, table: Table) -> dict[str, ColumnReport]:
    """Count the values of each column, and the texts that look like numbers and dates, in one scan."""
    counts = ["count(*)"]
    for column in table.columns:
        name, is_text = quote_name(column.name), column.type == "VARCHAR"
        text = f"trim({name})"
        counts.append(f"count(nullif({text}, ''))" if is_text else f"count({name})")
        counts += [f"count(*) FILTER (regexp_matches({text}, {literal(it)}))" if is_text else "0" for it in _SHAPES]
    rows, *rest = fetch_row(cursor, f"SELECT {', '.join(counts)} FROM {quote_name(table.name)}")
    found: dict[str, ColumnReport] = {}
    for at, column in enumerate(table.columns):
        values, numbers, dates = rest[3 * at : 3 * at + 3]
        unlike, like = _unlike(values, numbers, dates)
        found[column.name] = ColumnReport(
            name=column.name, type=column.type, values=values, empty=rows - values, unlike=unlike, like=like
        )
    return found


_SHAPES = (LOOKS_LIKE_NUMBER, _DATE)


def _unlike(values: int, numbers: int, dates: int) -> tuple[int, Literal["", "numbers", "dates"]]:
    """The number of texts that differ from nearly all others, and what these look like: dates or numbers."""
    if values and _MOSTLY * values <= dates < values:
        return values - dates, "dates"
    if values and _MOSTLY * values <= numbers < values:
        return values - numbers, "numbers"
    return 0, ""


def _one(found: Iterable[str]) -> str:
    """The distinct values that are not empty, joined by commas."""
    return ", ".join(sorted({it for it in found if it}))
