"""Unpacks archives within limits: an archive that would fill the disk is refused before it does."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from agent.core.errors import UploadInvalid, UploadTooLarge
from executors.engines.files.prepared import MAX_RATIO, RATIO_FROM
from executors.registry.kinds import is_file_of_data

MAX_FILES = 500  # of one archive
_PIECE = 1024 * 1024
_ENCRYPTED = 0x1
_STRANGE = re.compile(r"[^\w .()=+-]")
_JUNK = ("__MACOSX", ".")  # what packers of some systems add


def safe_name(name: str) -> str:
    """A file's name without signs that mean something to a path, a glob or a shell."""
    return _STRANGE.sub("_", name).strip(" .") or "data"


def unpack(archive: Path, folder: Path, *, most_bytes: int) -> None:
    """Unpack the data files of a ZIP archive into a folder that is there.

    Raises UploadInvalid: it is no archive, or encrypted, or a bomb, or holds nothing that can be read; UploadTooLarge:
    it unpacks to more bytes; OSError: the disk cannot take it.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            members = _members(packed, archive.name, most_bytes)
            left = most_bytes
            for member in members:
                left -= _write(packed, member, folder, left)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError) as error:
        raise UploadInvalid(f"{archive.name} is not a ZIP archive that can be unpacked: pack it again.") from error


def _members(packed: zipfile.ZipFile, name: str, most_bytes: int) -> list[zipfile.ZipInfo]:
    members = [it for it in packed.infolist() if not it.is_dir() and not _is_junk(it.filename)]
    strange = next((it for it in members if not is_file_of_data(Path(it.filename))), None)
    if strange is not None:
        shown = PurePosixPath(strange.filename).name
        raise UploadInvalid(
            f"{name} contains {shown!r}, which cannot be read: pack only CSV, TSV, JSON, Parquet, Excel."
        )
    if not members:
        raise UploadInvalid(f"{name} is empty: put CSV, TSV, JSON, Parquet or Excel files into it.")
    if len(members) > MAX_FILES:
        raise UploadInvalid(f"{name} contains {len(members):,} files, and at most {MAX_FILES} are read: pack fewer.")
    if any(it.flag_bits & _ENCRYPTED for it in members):
        raise UploadInvalid(f"{name} is encrypted: pack it without a password.")
    if sum(it.file_size for it in members) > most_bytes:
        raise _too_much(name, most_bytes)
    for it in members:
        if it.file_size > RATIO_FROM and it.file_size > MAX_RATIO * max(it.compress_size, 1):
            raise UploadInvalid(f"{name} unpacks to more than {MAX_RATIO} times its size: send the files unpacked.")
    return members


def _write(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, left: int) -> int:
    """Unpack one file; the sizes that an archive states may be wrong, so they are counted. Returns its bytes."""
    parts = [safe_name(part) for part in PurePosixPath(member.filename.replace("\\", "/")).parts if part not in "/.."]
    target = folder.joinpath(*parts)
    if target.exists():
        raise UploadInvalid(f"{packed.filename and Path(packed.filename).name} contains {target.name!r} twice.")
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with packed.open(member) as source, target.open("wb") as out:
        while piece := source.read(_PIECE):
            written += len(piece)
            if written > left:
                raise _too_much(Path(str(packed.filename)).name, left)
            out.write(piece)
    return written


def _is_junk(path: str) -> bool:
    return any(part.startswith(_JUNK) for part in PurePosixPath(path).parts)


def _too_much(name: str, most_bytes: int) -> UploadTooLarge:
    return UploadTooLarge(f"{name} unpacks to more than {most_bytes // 10**6:,} MB: send less at once.")
