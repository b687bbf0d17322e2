"""The kind of a path or an address: a file format or a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from executors.errors import DatabaseUnavailable
from executors.registry.kinds import kind_of, local_path


@pytest.mark.parametrize("name, content, kind", [
    ("a.sqlite", b"", "sqlite"),
    ("a.db3", b"", "sqlite"),
    ("a.duckdb", b"", "duckdb"),
    ("a.TSV", b"", "files"),
    ("a.ndjson", b"", "files"),
    ("a.db", b"SQLite format 3\x00", "sqlite"),
    ("a.db", b"12345678DUCKxxxx", "duckdb"),
    ("a.data", b"SQLite format 3\x00", "sqlite"),
])  # fmt: skip
def test_a_files_kind_is_read_from_its_name_or_its_first_bytes(
    tmp_path: Path, name: str, content: bytes, kind: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    assert kind_of(path) == kind


@pytest.mark.parametrize("url, path", [
    ("a/b.db", Path("a/b.db")),
    ("/a/b.db", Path("/a/b.db")),
    ("sqlite:///b.db", Path("b.db")),
    ("sqlite:////a/b.db", Path("/a/b.db")),
    ("duckdb:///b.duckdb", Path("b.duckdb")),
    ("C:/data/b.db", Path("C:/data/b.db")),
    ("postgresql://host.example/b", None),
    ("mssql+pyodbc://host.example/b", None),
    ("Driver={X};Server=host.example", None),
])  # fmt: skip
def test_an_address_is_a_path_or_a_server(url: str, path: Path | None) -> None:
    assert local_path(url) == path


@pytest.mark.parametrize(
    "name, advice", [("a.xls", "save it as .xlsx"), ("a.zip", "unpack it"), ("a.qqq", "use SQLite")]
)
def test_what_cannot_be_read_says_what_to_do(tmp_path: Path, name: str, advice: str) -> None:
    (tmp_path / name).write_bytes(b"\x00")
    with pytest.raises(DatabaseUnavailable, match=f"{name} cannot be read: {advice}"):
        kind_of(tmp_path / name)
