"""Files as programs export them: each value, row and header is read as it is, or the report says what was done."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from messy_files import Open, ask, opening

from executors.engines.files import file_tables


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    with opening(tmp_path) as opened:
        yield opened


def write(tmp_path: Path, text: str, name: str = "a.csv") -> None:
    (tmp_path / "data" / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("last, read", [("7.25", "7.25"), ("04711", "04711"), ("8", "8")])
@pytest.mark.parametrize("is_large", [False, True])
def test_values_after_the_first_lines_are_not_rounded(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, read: str, is_large: bool
) -> None:
    if is_large:
        monkeypatch.setattr(file_tables, "WHOLE_BYTES", 100)
    lines = "".join(f"{number};{number}\n" for number in range(21_000))
    write(tmp_path, f"nr;bestand\n{lines}21000;{last}\n")
    assert ask(opened(), "SELECT CAST(bestand AS VARCHAR) FROM a WHERE nr = 21000") == [(read,)]


@pytest.mark.parametrize(
    "text, columns, rows, why",
    [
        ("nr;wo\n1;Ufer 3, Mainz, DE\n2;Hof 1, Ulm, DE\n", ["nr", "wo"], 2, "commas in texts"),
        ('nr,tags\n1,"x;y;z;w"\n2,"u;v;w;x"\n', ["nr", "tags"], 2, "semicolons in quotes"),
        ("nr\tdaten\n1\t5,6,7\n2\t8,9,1\n", ["nr", "daten"], 2, "commas between tabs"),
        ("Titel\n\nnr;wo\n1;a\n2;b\n3;c\n", ["nr", "wo"], 3, "a title"),
        ("nr,notiz\n1,a\n#2,b\n3,#c\n# Ende,d\n", ["nr", "notiz"], 4, "lines that begin with #"),
    ],
)
def test_delimiters_in_texts_and_comments_cost_no_row(
    opened: Open, tmp_path: Path, text: str, columns: list[str], rows: int, why: str
) -> None:
    write(tmp_path, text)
    table = opened().schema().tables[0]
    assert ([it.name for it in table.columns], table.row_count) == (columns, rows), why


def test_a_tsv_file_has_tabs_whatever_its_texts_hold(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "nr\tdaten\n1\t5;6;7;8\n2\t8;9;1;2\n", "a.tsv")
    table = opened().schema().tables[0]
    assert ([it.name for it in table.columns], table.row_count) == (["nr", "daten"], 2)
