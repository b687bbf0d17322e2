"""Rewrites files that DuckDB cannot read directly as UTF-8: other encodings, archives, Excel, uneven rows.

Nothing is lost silently. Undecodable bytes become U+FFFD and are counted, short rows are filled up, and surplus fields
go to a column `_more`.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import lzma
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from executors.engines.files.encodings import NO_NORMALIZER, Encoding, likeliest
from executors.errors import DatabaseUnavailable

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Callable, Iterable, Iterator

_HEAD_ROWS = 12  # rows in which the header is looked for
_ZEROS = re.compile(r"0{2,}")
_UNIT = re.compile(r"\[\$([^\]-]+)[^\]]*\]|\"\s*([^\"\d]{1,12})\"|([€$£¥%])")  # in a number format
_SEVERAL = 2  # names of a header


class SheetFormats(NamedTuple):
    """What the formats of a sheet's cells show, by the position of their column.

    units: The unit of all numbers of a column. several: Different units of a column. numbers: Columns with cells that
    are not text.
    """

    units: tuple[tuple[int, str], ...] = ()
    several: tuple[tuple[int, tuple[str, ...]], ...] = ()
    numbers: tuple[int, ...] = ()


class SheetLayout:
    """Detects a sheet's header of two rows. `add` must be called with each row that is not empty, in order."""

    def __init__(self) -> None:
        self._head: list[Sequence[Any]] = []
        self._units: dict[int, set[str]] = defaultdict(set)

    def add(self, cells: Sequence[Any]) -> None:
        """Add the next row, with the workbook's cells."""
        if len(self._head) < _HEAD_ROWS:
            self._head.append(cells)

    def add_formats(self, cells: Sequence[Any]) -> None:
        """Add the formats of a row's cells."""
        for at, cell in enumerate(cells):
            if _is_number(cell.value):
                self._units[at].add(_unit_of(cell.number_format))
            elif _is_filled(cell.value) and not isinstance(cell.value, str):
                self._units[at].add("")

    def formats(self) -> SheetFormats:
        """What the formats of its cells show."""
        units = {at: sorted(found - {""}) for at, found in self._units.items()}
        several = tuple((at, tuple(found)) for at, found in units.items() if len(found) > 1)
        return SheetFormats(
            tuple((at, found[0]) for at, found in units.items() if len(found) == 1), several, tuple(units)
        )

    def find_joined_header(self) -> tuple[int, list[str]] | None:
        """The position of the upper of two header rows, and their joined names. None if the header is one row.

        A name in the upper row spans several columns and is in the first of them. The lower row repeats names, or
        leaves some to the upper row. Numbers follow below.
        """
        for place in range(len(self._head) - 2):
            upper, lower, below = self._head[place : place + 3]
            if sum(map(_is_filled, upper)) < _SEVERAL:
                continue  # a title
            width = max(len(upper), len(lower))
            tops, subs = (_pad_row(row, width) for row in (upper, lower))
            if not (_are_names(upper) and _are_names(lower)) or len(below) > width:
                return None
            names, over = list[str](), ""
            for top, sub in zip(tops, subs, strict=True):
                over = top or over
                names.append(" ".join(filter(None, (over if sub else top, sub))))
            repeats = len({it.casefold() for it in subs if it}) < sum(map(bool, subs)) or not all(subs)
            spans = any(sub and not top for top, sub in zip(tops, subs, strict=True))
            counted = any(_is_number(cell) and subs[at] for at, cell in enumerate(below))
            unique = len({it.casefold() for it in names}) == len(names)
            return (place, names) if repeats and spans and counted and unique and all(names) else None
        return None


@cache
def _unit_of(number_format: str) -> str:
    """The currency, the unit or the % of a number format: `#,##0.00 "kg"`. Empty if it has none."""
    positive = number_format.partition(";")[0]
    found = _UNIT.search(positive)
    return next((it.strip() for it in found.groups() if it), "") if found else ""


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _is_filled(cell: Any) -> bool:
    return cell is not None and str(cell).strip() != ""


def _are_names(row: Sequence[Any]) -> bool:
    return all(isinstance(cell, str) for cell in row if _is_filled(cell))


def _pad_row(row: Sequence[Any], width: int) -> list[str]:
    cells = [" ".join(str(cell).split()) if _is_filled(cell) else "" for cell in row]
    return [*cells, *[""] * (width - len(cells))]


MOST_UNPACKED = 4 * 1024**3  # bytes of one unpacked file; a larger one is a bomb, not data
MOST_SHEETS = 500 * 1024**2  # bytes of a workbook, unpacked
MOST_CELLS = 16_384  # cells of a row, the limit of Excel
MOST_ROWS = 1_048_576  # rows of a sheet, the limit of Excel
MAX_RATIO = 200  # unpacked bytes per packed byte; CSV packs to a fifth, repetitive CSV to a hundredth
RATIO_FROM = 10 * 1024**2  # unpacked bytes from which the ratio is checked
MORE = "_more"
_PIECE = 1024 * 1024
_SAMPLE = 128 * 1024  # bytes from which the encoding is detected
_HEAD = 4096
_MOST_ZEROS = 0.6  # share of zeros among the even or odd bytes of mostly Western text in UTF-16
_FEW_ZEROS = 0.1  # share of zeros in the first bytes of a text into which a program has put some
_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x19\x1c-\x1f]")
_UTF_8, _BROKEN = "utf-8", "utf-8-broken"  # the latter has a few invalid bytes
_OPENERS: dict[str, Callable[[Path], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_INSTALL = "pip install -r requirements-local.txt"


class Prepared(NamedTuple):
    """A file that is read instead of another. name: of its table; problems: one sentence each.

    encoding: of a text file. remarks: sentences on the file that are not problems. label: its name in sentences; empty
    if it is the original file's. formats: of a sheet.
    """

    name: str
    path: Path
    problems: tuple[str, ...] = ()
    encoding: str = ""
    remarks: tuple[str, ...] = ()
    label: str = ""
    formats: SheetFormats | None = None


def prepare_file(path: Path, folder: Path, encoding: str = "") -> list[Prepared]:
    """The files that are read instead of a file: usually the file itself, else files that are written to `folder`.
    Args: folder: used for this file only; encoding: of its text; empty: it is detected.
    Raises DatabaseUnavailable: it cannot be unpacked, or a package is missing; OSError."""
    if path.suffix.lower() in _OPENERS:
        path = _unpack(path, folder)
    if path.suffix.lower() in (".xlsx", ".xlsm"):
        return list(_sheets(path, folder))
    if path.suffix.lower() == ".parquet":
        return [Prepared(path.stem, path)]
    found = encoding_of(path)
    if encoding and found.name != _UTF_8:
        found = Encoding(encoding)
    if found.name == _UTF_8 and not _has_mark(path):
        return [Prepared(path.stem, path, encoding=_UTF_8)]
    return [_decode(path, found, folder)]


def _has_mark(path: Path) -> bool:
    """Whether a JSON file begins with the byte order mark of UTF-8, which DuckDB would read as text."""
    with path.open("rb") as file:
        return path.suffix.lower() in (".json", ".jsonl", ".ndjson") and file.read(3) == codecs.BOM_UTF8


def encoding_of(path: Path) -> Encoding:
    """The encoding of a text file: UTF-8 if the whole file is valid UTF-8, else the likeliest one by its letters."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if wide := _utf_16(head):
        return Encoding(wide)
    decoder, sample, wrong, zeros = codecs.getincrementaldecoder("utf-8")(), b"", False, 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            zeros += piece.count(0)
            if len(sample) < _SAMPLE:
                sample += b"".join(line + b"\n" for line in piece.split(b"\n") if not line.isascii())
            try:
                wrong = wrong or decoder.decode(piece) is None
            except UnicodeDecodeError:
                wrong = True
                decoder.reset()
    if zeros and (head.count(0) > _FEW_ZEROS * len(head) or _CONTROL.search(head)):
        return Encoding(_UTF_8)  # the reader reports that it is not text
    if not wrong:
        return Encoding(_BROKEN if zeros else _UTF_8)
    sample = sample.replace(b"\x00", b"")
    repaired = sample.decode("utf-8", errors="replace")
    broken, whole = repaired.count("�"), sum(not it.isascii() for it in repaired)
    if whole > broken * 10:
        return Encoding(_BROKEN)
    found = likeliest(sample[: sample.rfind(b"\n", 0, _SAMPLE) + 1] or sample)
    return found if found.is_explained else found._replace(name=_guess(sample, found.name))


def _utf_16(head: bytes) -> str:
    """The name of the UTF-16 encoding, by its mark or by the positions of zeros. Empty if it is not UTF-16."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    shares = [head[start::2].count(0) * 2 / max(len(head), 1) for start in (0, 1)]
    if max(shares) < _MOST_ZEROS or min(shares) > 1 - _MOST_ZEROS:
        return ""
    return "utf-16-be" if shares[0] > shares[1] else "utf-16-le"


def _guess(sample: bytes, otherwise: str) -> str:
    """The encoding that charset-normalizer detects, for a text whose words no encoding explains."""
    try:
        from charset_normalizer import from_bytes
    except ImportError as error:
        raise DatabaseUnavailable(NO_NORMALIZER) from error
    best = from_bytes(sample).best()
    return best.encoding if best is not None else otherwise


def _decode(path: Path, encoding: Encoding, folder: Path) -> Prepared:
    """Write the file as UTF-8. Undecodable bytes are marked, and the lines with such marks are counted."""
    target = folder / path.name
    codec = "utf-8-sig" if encoding.name in (_UTF_8, _BROKEN) else encoding.name
    marked = 0
    with (
        path.open(encoding=codec, errors="replace", newline="") as source,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        for line in source:
            shown = line.replace("\x00", "�")
            marked += "�" in shown
            out.write(shown)
    name = encoding.name.removesuffix("-broken")
    lines = "1 line holds" if marked == 1 else f"{marked:,} lines hold"
    problems = [f"{path.name}: {lines} bytes that no text explains; each is shown as �."] if marked else []
    if not encoding.is_explained:
        problems.append(f"{path.name}: no encoding explains its letters; it is read as {name}. Give its `encoding`.")
    also = (
        f"{path.name}: it is read as {name}, and {encoding.other} is as likely. Give its `encoding` if that is wrong."
    )
    return Prepared(path.stem, target, tuple(problems), name, (also,) if encoding.other else ())


def _unpack(path: Path, folder: Path) -> Path:
    # Not into `folder` itself, because a text that is not UTF-8 is rewritten there under the same name.
    target, size, packed = folder / "unpacked" / path.stem, 0, path.stat().st_size
    target.parent.mkdir()
    try:
        with _OPENERS[path.suffix.lower()](path) as source, target.open("wb") as out:
            while piece := source.read(_PIECE):
                size += len(piece)
                if size > MOST_UNPACKED:
                    raise DatabaseUnavailable(f"{path.name} unpacks to more than 4 GB: unpack it, and name the file.")
                if size > RATIO_FROM and size > MAX_RATIO * packed:
                    raise _bomb(path)
                out.write(piece)
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # an error of the disk; errors of an invalid archive have no number
        raise DatabaseUnavailable(f"{path.name} cannot be unpacked: pack it again.") from error
    return target


def _sheets(path: Path, folder: Path) -> Iterator[Prepared]:
    """Write the sheets of a workbook that are not empty as CSV files."""
    try:
        from openpyxl import load_workbook  # type: ignore[import-untyped]
        from openpyxl.utils.exceptions import InvalidFileException  # type: ignore[import-untyped]
    except ImportError as error:
        raise DatabaseUnavailable(f"To read Excel files, install openpyxl: {_INSTALL}") from error
    import zipfile

    try:
        _check_packed(path)
        book = load_workbook(path, read_only=True, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError) as error:
        raise DatabaseUnavailable(f"{path.name} is not an Excel workbook: save it as .xlsx again.") from error
    found: list[tuple[str, Path, SheetLayout]] = []
    hidden: set[str] = set()
    for number, sheet in enumerate(book.worksheets):
        sheet.reset_dimensions()  # the stated dimensions may far exceed the data
        target = folder / f"{path.stem}_{number}.csv"
        layout = SheetLayout()
        if _write_sheet(path, sheet.iter_rows(), target, layout):
            found.append((sheet.title, target, layout))
            if sheet.sheet_state != "visible":
                hidden.add(sheet.title)
    book.close()
    if not found:
        raise DatabaseUnavailable(f"{path.name} is empty: put data into it, or remove it.")
    uncomputed = _count_uncomputed(path)
    for title, target, layout in found:
        count = uncomputed.get(title, 0)
        problem = f"{path.name}: {title} has cells with a formula and no value, which are empty: {count:,}."
        problems = (f"{problem} Open it in Excel and save it.",) if count else ()
        remarks = ["it is hidden in Excel, and is read."] if title in hidden else []
        remarks += ["its header has two rows, whose names are joined."] if layout.find_joined_header() else []
        name = path.stem if len(found) == 1 else f"{path.stem}_{title}"
        label = f"{path.name}: {title}"
        remarks = [f"{label}: {it}" for it in remarks]
        yield Prepared(name, target, problems, remarks=tuple(remarks), label=label, formats=layout.formats())


def _count_uncomputed(path: Path) -> Counter[str]:
    """The number of cells with a formula but no value, by sheet. Programs that compute no formulas write such cells."""
    import zipfile

    from openpyxl import load_workbook

    with zipfile.ZipFile(path) as packed:
        sheets = [it for it in packed.namelist() if it.startswith("xl/worksheets/") and it.endswith(".xml")]
        if not any(_has_formulas(packed, it) for it in sheets):
            return Counter()
    books = [load_workbook(path, read_only=True, data_only=computed) for computed in (False, True)]
    found: Counter[str] = Counter()
    for formulas, values in zip(*(book.worksheets for book in books), strict=True):
        for sheet in (formulas, values):
            sheet.reset_dimensions()
        rows = zip(formulas.iter_rows(values_only=True), values.iter_rows(values_only=True), strict=False)
        found[formulas.title] = sum(a is not None and b is None for row in rows for a, b in zip(*row, strict=False))
    for book in books:
        book.close()
    return found


def _has_formulas(packed: zipfile.ZipFile, sheet: str) -> bool:
    end = b""
    with packed.open(sheet) as source:
        while piece := source.read(_PIECE):
            if b"<f" in end + piece:
                return True
            end = piece[-1:]
    return False


def _check_packed(path: Path) -> None:
    """Raise DatabaseUnavailable if a workbook is too big when unpacked. Its parts never exceed their stated sizes."""
    import zipfile

    with zipfile.ZipFile(path) as packed:
        parts = packed.infolist()
    size = sum(it.file_size for it in parts)
    if size > MOST_SHEETS:
        raise DatabaseUnavailable(f"{path.name} unpacks to more than {MOST_SHEETS // 10**6} MB: save its data as CSV.")
    if size > RATIO_FROM and any(it.file_size > MAX_RATIO * max(it.compress_size, 1) for it in parts):
        raise _bomb(path)


def _write_sheet(path: Path, rows: Iterable[Sequence[Any]], target: Path, layout: SheetLayout) -> bool:
    """Write a sheet's rows that are not empty, all with the same number of cells. Return whether there are any. A
    header of two rows is written as one."""
    width, ragged = 0, target.with_suffix(".rows")
    with ragged.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        for number, cells in enumerate(rows):
            if len(cells) > MOST_CELLS or number > MOST_ROWS:
                raise DatabaseUnavailable(f"{path.name} has cells far outside of its data: save it as CSV.")
            row = [_cell(cell.value, cell.number_format) for cell in cells]
            while row and not row[-1]:
                row.pop()
            if row:
                width = max(width, len(row))
                writer.writerow(row)
                layout.add([cell.value for cell in cells[: len(row)]])
                layout.add_formats(cells[: len(row)])
    header = layout.find_joined_header()
    with ragged.open(encoding="utf-8", newline="") as source, target.open("w", encoding="utf-8", newline="") as out:
        for number, row in enumerate(csv.reader(source)):
            if header and number == header[0] + 1:
                continue
            names = header[1] if header and number == header[0] else row
            csv.writer(out).writerow([*names, *[""] * (width - len(names))])
    ragged.unlink()
    return bool(width)


def _bomb(path: Path) -> DatabaseUnavailable:
    return DatabaseUnavailable(f"{path.name} unpacks to more than {MAX_RATIO} times its size: unpack it, and check it.")


def _cell(value: Any, number_format: str) -> str:
    """A cell's value as text. A format of zeros, such as 00000, shows codes with zeros before them."""
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool) and _ZEROS.fullmatch(number_format):
        return f"{value:0{len(number_format)}d}"
    if isinstance(value, timedelta):
        sign, seconds = "-" if value < timedelta() else "", abs(round(value.total_seconds()))
        return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    text = value.isoformat(sep=" ") if hasattr(value, "hour") and hasattr(value, "year") else str(value)
    return text.removesuffix(" 00:00:00")


def even_out_rows(path: Path, delimiter: str, folder: Path, *, skip: int = 0) -> Prepared:
    """Rewrite a UTF-8 CSV file whose rows differ in their number of fields to `folder`, with the most frequent number.
    Args: skip: number of lines before the header, which are left out."""
    widths = Counter(map(len, _rows(path, delimiter, skip)))
    header = next(iter(widths), 0)
    width = max(header, widths.most_common(1)[0][0] if widths else 0)
    short = sum(count for it, count in widths.items() if it < width)
    long = sum(count for it, count in widths.items() if it > width)
    target = folder / f"even_{path.name}"
    with target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, delimiter=delimiter)
        for number, row in enumerate(_rows(path, delimiter, skip)):
            rest = MORE if number == 0 else delimiter.join(row[width:])
            even = [*row[:width], *([""] * (width - len(row)))]
            writer.writerow([*even, rest] if long else even)
    problems = [f"{path.name}: {_have(short)} fewer fields than {width}, the rest is empty."] if short else []
    problems += [f"{path.name}: {_have(long)} more fields than {width}; the rest is in {MORE}."] if long else []
    return Prepared(path.stem, target, tuple(problems))


def _have(rows: int) -> str:
    return "1 row has" if rows == 1 else f"{rows:,} rows have"


def _rows(path: Path, delimiter: str, skip: int) -> Iterable[list[str]]:
    """All rows that are not empty."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        for _ in range(skip):
            file.readline()
        yield from filter(None, csv.reader(file, delimiter=delimiter))
