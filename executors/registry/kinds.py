"""Detects the kind of database behind a path or an address."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from executors.errors import DatabaseUnavailable
from executors.registry.address import is_odbc

Kind = Literal["sqlite", "duckdb", "files"]

_TEXTS = (".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson")
PACKED = (".gz", ".bz2", ".xz")  # endings of compressed files
PACKED_TEXTS = tuple(text + packed for text in _TEXTS for packed in PACKED)
FILE_SUFFIXES = (*_TEXTS, ".parquet", ".xlsx", ".xlsm", *PACKED_TEXTS)
# Endings of data files that cannot be read, and what to do with such files.
_UNREAD = {
    **dict.fromkeys((".xls", ".xlsb", ".ods", ".numbers"), "save it as .xlsx"),
    **dict.fromkeys((".zip", ".7z", ".rar", ".tar", ".tgz", ".zst", *PACKED), "unpack it"),
    **dict.fromkeys((".avro", ".orc", ".feather", ".arrow", ".dta", ".sav", ".sas7bdat", ".rds"), "save it as Parquet"),
    ".txt": "name it .csv",
    **dict.fromkeys((".accdb", ".mdb", ".dbf"), "export its tables as CSV"),
}
_ALONE = (".sqlite", ".sqlite3", ".db", ".db3", ".duckdb", ".ddb")  # databases, which are not read as files of a folder
_BY_SUFFIX: dict[str, Kind] = {
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db3": "sqlite",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
    **dict.fromkeys(FILE_SUFFIXES, "files"),
}
_LINE = 4096
_SQLITE_MAGIC = b"SQLite format 3\x00"
_DUCKDB_MAGIC = b"DUCK"  # at offset 8
_LOCAL_SCHEMES = re.compile(r"(sqlite|duckdb):///", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:", re.IGNORECASE)


def local_path(url: str) -> Path | None:
    """The path that an address means. None if it is a server. `sqlite:///x.db` is the relative path `x.db`."""
    local = _LOCAL_SCHEMES.match(url)
    if local:
        return Path(url[local.end() :])
    return None if _SCHEME.match(url) or is_odbc(url) else Path(url)


def is_glob(path: Path) -> bool:
    """Whether a path is a pattern, and no file has exactly that name."""
    return any(mark in str(path) for mark in "*?") and not path.exists()


def is_file_of_data(path: Path) -> bool:
    """Whether a file's ending is that of a data file that can be read."""
    return path.name.lower().endswith(FILE_SUFFIXES)


def is_named_unread(path: Path) -> bool:
    """Whether a file's ending is one that `why_unread` looks at."""
    return path.suffix.lower() in {*_UNREAD, *_ALONE} and not is_file_of_data(path)


def why_unread(path: Path) -> str:
    """What to do with a data file of a folder that is not read. Empty if the file is read, or contains no data."""
    if is_file_of_data(path):
        return ""
    ending = path.suffix.lower()
    if ending == ".txt" and not _is_table(path):
        return ""
    return "ask it by itself, as a database" if ending in _ALONE else _UNREAD.get(ending, "")


def _is_table(path: Path) -> bool:
    """Whether the first two lines of a text have a delimiter, both the same number of times."""
    try:
        with path.open("rb") as file:
            first, second = file.readline(_LINE), file.readline(_LINE)
    except OSError:
        return False
    return any(first.count(it) == second.count(it) > 0 for it in (b";", b"\t", b"|", b","))


def kind_of(path: Path) -> Kind:
    """The kind of database at a path, by its suffix or else by its first bytes.
    Raises DatabaseUnavailable: the kind is unknown. The message names the known ones."""
    if path.is_dir() or is_glob(path):
        return "files"
    known = _BY_SUFFIX.get(path.suffix.lower())
    if known or is_file_of_data(path):
        return known or "files"
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:
        head = b""
    if head == _SQLITE_MAGIC:
        return "sqlite"
    if head[8:12] == _DUCKDB_MAGIC:
        return "duckdb"
    advice = _UNREAD.get(path.suffix.lower()) or (
        "use SQLite and DuckDB files, CSV, TSV, Parquet, JSON, Excel, or a folder of such files"
    )
    raise DatabaseUnavailable(f"{path.name} cannot be read: {advice}.")


def is_encoding(name: str) -> bool:
    """Whether a name is that of a text encoding."""
    try:
        b"a".decode(name)
    except (LookupError, ValueError):
        return False
    return True
