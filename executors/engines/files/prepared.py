"""Files that DuckDB cannot read as they are, written anew in UTF-8: other encodings, gzip, Excel, ragged rows.

Nothing vanishes: bytes that no encoding explains become U+FFFD and are counted, rows with fewer fields are filled up,
those with more keep the rest in a column `_more`.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from executors.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_UNPACKED = 4 * 1024**3  # bytes of one file, unpacked: what is more is no data, but a bomb
MOST_SHEETS = 500 * 1024**2  # bytes of a workbook, unpacked
MOST_CELLS = 16_384  # of a row of a sheet, and
MOST_ROWS = 1_048_576  # of a sheet, as Excel has them
MAX_RATIO = 200  # bytes for each packed one; CSV packs to a fifth, dull CSV to a hundredth
RATIO_FROM = 10 * 1024**2  # below so many bytes of a file its ratio does not matter
MORE = "_more"
_PIECE = 1024 * 1024
_SAMPLE = 512 * 1024  # bytes that tell an encoding
_ENCODINGS = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp949", "euc_kr", "shift_jis", "gb18030", "big5", "utf_16",
    "utf_16_le", "utf_16_be", "mac_roman", "koi8_r",
]  # fmt: skip
# Those that charset_normalizer takes for others where there is little text: letters by which they are known.
_BY_LETTERS = (
    ("shift_jis", re.compile("[\u3041-\u30ff]"), 0.5),
    ("cp1251", re.compile("[\u0400-\u04ff]"), 0.98),
    ("cp1253", re.compile("[\u0370-\u03ff]"), 0.98),
)
_INSTALL = "pip install -r requirements-local.txt"


class Prepared(NamedTuple):
    """A file to be read in the place of another. name: of its table; problems: what was found, one sentence each.

    encoding: of a text.
    """

    name: str
    path: Path
    problems: tuple[str, ...] = ()
    encoding: str = ""


def stem_of(path: Path) -> str:
    """What a file's table is called: `sales.csv.gz` is `sales`."""
    return Path(path.stem).stem if path.suffix.lower() == ".gz" else path.stem


def prepared(path: Path, folder: Path) -> list[Prepared]:
    """What is read in the place of a file, written below `folder` where it must be; mostly the file itself.

    Raises:
        DatabaseUnavailable: it cannot be unpacked, or a package is missing.
        OSError: it cannot be read.
    """
    if path.suffix.lower() == ".gz":
        path = _unpacked(path, folder)
    if path.suffix.lower() == ".xlsx":
        return list(_sheets(path, folder))
    if path.suffix.lower() == ".parquet":
        return [Prepared(path.stem, path)]
    encoding = encoding_of(path)
    if encoding == "utf-8":
        return [Prepared(path.stem, path, encoding=encoding)]
    return [_decoded(path, encoding, folder)]


def encoding_of(path: Path) -> str:
    """The encoding of a text file: UTF-8 where all of it can be read so, else the likeliest by its letters."""
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    decoder, sample, wrong = codecs.getincrementaldecoder("utf-8")(), b"", False
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            if len(sample) < _SAMPLE:
                sample += b"\n".join(line for line in piece.split(b"\n") if not line.isascii())[: _SAMPLE - len(sample)]
            try:
                wrong = wrong or decoder.decode(piece) is None
            except UnicodeDecodeError:
                wrong = True
                decoder.reset()
    if not wrong:
        return "utf-8"
    if b"\x00" in sample:
        return "utf-8"  # no text: what reads it says so
    repaired = sample.decode("utf-8", errors="replace")
    broken, whole = repaired.count("�"), sum(not it.isascii() for it in repaired)
    return "utf-8-broken" if whole > broken * 10 else _likeliest(sample)


def _likeliest(sample: bytes) -> str:
    try:
        from charset_normalizer import from_bytes
    except ImportError as error:
        raise DatabaseUnavailable(f"To read text that is not UTF-8, install charset-normalizer: {_INSTALL}") from error
    for encoding, letters, share in _BY_LETTERS:
        if _fits(sample, encoding, letters, share):
            return encoding
    best = from_bytes(sample, cp_isolation=_ENCODINGS).best()
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return best.encoding if best is not None else "cp1252"
    # What Windows writes in Western Europe fits nearly anything; another one must be known by its own letters.
    others = {"cp949", "euc_kr", "shift_jis", "gb18030", "big5", "cp1251", "koi8_r", "cp1253", "utf_16", "utf_16_le"}
    return best.encoding if best is not None and best.encoding in others else "cp1252"


def _fits(sample: bytes, encoding: str, letters: re.Pattern[str], share: float) -> bool:
    """Whether a text reads well in an encoding: letters of one script, capitals only where words begin."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return False
    found = [word for word in re.findall(r"[^\W\d_]+", text) if not word.isascii()]
    strange = [letter for word in found for letter in word if not letter.isascii()]
    # Of one script, and with capitals only where words begin: "Mьnchen" is none.
    well = sum(not re.search("[A-Za-z]", it) and (it.isupper() or it[1:] == it[1:].lower()) for it in found)
    if not found or len(strange) < 2 * len(found):
        return False
    own = sum(letters.match(letter) is not None for letter in strange)
    return bool(strange) and own >= share * len(strange) and well >= 0.9 * len(found)


def _decoded(path: Path, encoding: str, folder: Path) -> Prepared:
    """The file in UTF-8. What cannot be decoded is marked, and the lines with such marks are counted."""
    target = folder / path.name
    codec = "utf-8-sig" if encoding == "utf-8-broken" else encoding
    marked = 0
    with (
        path.open(encoding=codec, errors="replace", newline="") as source,
        target.open("w", encoding="utf-8", newline="") as out,
    ):
        for line in source:
            marked += "�" in line
            out.write(line)
    problem = f"{path.name}: {marked:,} lines hold bytes that no text explains; each is shown as �."
    return Prepared(path.stem, target, (problem,) if marked else (), encoding.removesuffix("-broken"))


def _unpacked(path: Path, folder: Path) -> Path:
    target, size, packed = folder / path.stem, 0, path.stat().st_size
    try:
        with gzip.open(path) as source, target.open("wb") as out:
            while piece := source.read(_PIECE):
                size += len(piece)
                if size > MOST_UNPACKED:
                    raise DatabaseUnavailable(f"{path.name} unpacks to more than 4 GB: unpack it, and name the file.")
                if size > RATIO_FROM and size > MAX_RATIO * packed:
                    raise _bomb(path)
                out.write(piece)
    except (EOFError, gzip.BadGzipFile) as error:
        raise DatabaseUnavailable(f"{path.name} cannot be unpacked: pack it again.") from error
    return target


def _sheets(path: Path, folder: Path) -> Iterator[Prepared]:
    """The sheets of a workbook that hold anything, each as a CSV file."""
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
        raise DatabaseUnavailable(f"{path.name} is no Excel workbook: save it as .xlsx again.") from error
    found: list[tuple[str, Path]] = []
    for number, sheet in enumerate(book.worksheets):
        sheet.reset_dimensions()  # what the file says of them may be far more than it holds
        target = folder / f"{path.stem}_{number}.csv"
        if _write_sheet(path, sheet.iter_rows(values_only=True), target):
            found.append((sheet.title, target))
    book.close()
    if not found:
        raise DatabaseUnavailable(f"{path.name} is empty: put data into it, or remove it.")
    for title, target in found:
        yield Prepared(path.stem if len(found) == 1 else f"{path.stem}_{title}", target)


def _check_packed(path: Path) -> None:
    """Raise where a workbook unpacks to more than it may. Its parts never give more bytes than they state."""
    import zipfile

    with zipfile.ZipFile(path) as packed:
        parts = packed.infolist()
    size = sum(it.file_size for it in parts)
    if size > MOST_SHEETS:
        raise DatabaseUnavailable(f"{path.name} unpacks to more than {MOST_SHEETS // 10**6} MB: save its data as CSV.")
    if size > RATIO_FROM and any(it.file_size > MAX_RATIO * max(it.compress_size, 1) for it in parts):
        raise _bomb(path)


def _write_sheet(path: Path, rows: Iterable[tuple[Any, ...]], target: Path) -> bool:
    """Write a sheet's rows that hold anything, each as wide as the widest. Returns whether there are any."""
    width, ragged = 0, target.with_suffix(".rows")
    with ragged.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        for number, cells in enumerate(rows):
            if len(cells) > MOST_CELLS or number > MOST_ROWS:
                raise DatabaseUnavailable(f"{path.name} has cells far outside of its data: save it as CSV.")
            row = list(map(_cell, cells))
            while row and not row[-1]:
                row.pop()
            if row:
                width = max(width, len(row))
                writer.writerow(row)
    with ragged.open(encoding="utf-8", newline="") as source, target.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([*row, *[""] * (width - len(row))] for row in csv.reader(source))
    ragged.unlink()
    return bool(width)


def _bomb(path: Path) -> DatabaseUnavailable:
    return DatabaseUnavailable(f"{path.name} unpacks to more than {MAX_RATIO} times its size: unpack it, and check it.")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value.isoformat(sep=" ") if hasattr(value, "hour") and hasattr(value, "year") else str(value)
    return text.removesuffix(" 00:00:00")


def evened(path: Path, delimiter: str, folder: Path) -> Prepared:
    """A CSV file whose rows differ in their number of fields, each with as many as most have.

    Args:
        path: a file in UTF-8.
        delimiter: between its fields.
        folder: where the new one is written.
    """
    widths: Counter[int] = Counter(len(row) for row in _rows(path, delimiter) if row)
    width = widths.most_common(1)[0][0] if widths else 0
    first = next((len(row) for row in _rows(path, delimiter) if row), 0)
    width = max(width, first)
    short = sum(count for it, count in widths.items() if it < width)
    long = sum(count for it, count in widths.items() if it > width)
    target = folder / f"even_{path.name}"
    with target.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, delimiter=delimiter)
        for number, row in enumerate(row for row in _rows(path, delimiter) if row):
            rest = MORE if number == 0 else delimiter.join(row[width:])
            even = [*row[:width], *([""] * (width - len(row)))]
            writer.writerow([*even, rest] if long else even)
    problems = [f"{path.name}: {short:,} rows have fewer fields than {width}, the rest is empty."] if short else []
    problems += [f"{path.name}: {long:,} rows have more fields than {width}; the rest is in {MORE}."] if long else []
    return Prepared(path.stem, target, tuple(problems))


def _rows(path: Path, delimiter: str) -> Iterable[list[str]]:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        yield from csv.reader(file, delimiter=delimiter)
