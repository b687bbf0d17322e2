"""Many files of one schema as one table: monthly exports, nested folders, Hive partitions (`year=2024/month=01`)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from executors.engines.local.samples import quote_name

if TYPE_CHECKING:
    from executors.engines.files.file_table import FileTable

Partition = tuple[tuple[str, str], ...]  # names and values of the folders that a file lies in
_PARTITION = re.compile(r"([^=]+)=(.*)")
_COUNTED = re.compile(r"\d+")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_WHOLE = re.compile(r"-?\d{1,18}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def root_of(path: Path) -> Path:
    """The folder that a path's files are named from: itself, or of a glob what stands before its first sign."""
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
    """The tables that files make, in the order of their first files: a name, and each part's place and partition.

    Files belong together whose columns have the same names, and whose own names differ in their numbers alone, or are
    the same in several folders. `customers` and `suppliers` stay two tables, however alike they are.

    Args:
        root: the folder that all lie below.
        parts: the file, the name of its own table, and what was found in it.
    """
    found: dict[tuple[str, frozenset[str]], list[int]] = defaultdict(list)
    for at, (_, name, table) in enumerate(parts):
        found[_COUNTED.sub("#", name.casefold()), frozenset(column for column, _ in table.columns)].append(at)
    groups: list[tuple[str, list[tuple[int, Partition]]]] = []
    for members in found.values():
        path, name, _ = parts[members[0]]
        partitions = [partition_of(root, parts[at][0]) for at in members]
        if len(members) > 1 or partitions[0]:
            names = {parts[at][1].casefold() for at in members}
            name = _common(root, path, name, same=len(names) == 1 and bool(partitions[0]))
        groups.append((name, list(zip(members, partitions, strict=True))))
    return groups


def partition_of(root: Path, path: Path) -> Partition:
    """The partitions that a file's folders name, the outer one first; what Hive writes as `%C3%B6` is `ö`."""
    folders = path.relative_to(root).parts[:-1] if path.is_relative_to(root) else ()
    return tuple((match[1], unquote(match[2])) for part in folders if (match := _PARTITION.fullmatch(part)))


def differences(found: Sequence[FileTable]) -> dict[str, str]:
    """What the files of one table have in several ways, by column: the order of its dates, its unit."""
    orders, units = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    for table in found:
        for name, order in table.orders:
            orders[name][f"the {order} first"] += 1
        for name, unit in table.units:
            units[name][unit] += 1
    sentences: dict[str, str] = {}
    for counts, what in ((orders, "dates in several orders"), (units, "several units, and none is converted")):
        for name, ways in counts.items():
            if len(ways) > 1:
                each = ", ".join(f"{way} in {number:,}" for way, number in ways.most_common())
                sentences[name] = f"Its files have {what}: {each}."
    return sentences


def write_select(table: FileTable, partition: Partition) -> str:
    """The query of one file's rows, with its partitions as columns where the file has none of that name."""
    own = {column.casefold() for column, _ in table.columns}
    added = [f"{_value(value)} AS {quote_name(name)}" for name, value in partition if name.casefold() not in own]
    return f"SELECT {', '.join([table.select, *added])} FROM {table.reader}"


def _value(value: str) -> str:
    if value == "__HIVE_DEFAULT_PARTITION__":
        return "NULL"
    if _WHOLE.fullmatch(value):
        return f"CAST({int(value)} AS BIGINT)"
    text = "'" + value.replace("'", "''") + "'"
    return f"CAST({text} AS DATE)" if _DAY.fullmatch(value) else text


def _common(root: Path, path: Path, name: str, *, same: bool) -> str:
    """What several files are together: their name without its numbers, else that of the folder they lie in."""
    bare = _EDGES.sub("", re.sub(r"[\W_]*\d+[\W_]*", "_", name))
    folders = [part for part in (root.name, *path.relative_to(root).parts[:-1]) if not _PARTITION.fullmatch(part)]
    return (folders[-1] if folders else "") or bare or name if same or not bare else bare
