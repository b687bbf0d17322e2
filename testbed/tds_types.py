"""Types of SQL Server that pySQLbridge does not send, written on the wire as [MS-TDS] 2.2.5.4 and 2.2.5.5 have them, so
that a driver reads them as it would from the real server."""

from __future__ import annotations

import datetime as dt
import struct
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pysqlbridge.tds.result import DEFAULT_COLLATION, ColumnType

_DAY_ONE = dt.date(1, 1, 1)
_SCALE = 7  # 100 ns, the default of time, datetime2 and datetimeoffset
_TICKS = 10_000_000  # to the second
_TIME_BYTES = 5
_NO_PLP = b"\xff" * 8


def _counted(value: bytes) -> bytes:
    return bytes([len(value)]) + value


def _plp(value: bytes) -> bytes:
    """A value of any length: the whole length, one chunk, the end."""
    return struct.pack("<QI", len(value), len(value)) + value + struct.pack("<I", 0)


def _days(value: dt.date) -> bytes:
    return (value - _DAY_ONE).days.to_bytes(3, "little")


def _ticks(value: dt.time | dt.datetime) -> bytes:
    seconds = value.hour * 3600 + value.minute * 60 + value.second
    return (seconds * _TICKS + value.microsecond * 10).to_bytes(_TIME_BYTES, "little")


@dataclass(frozen=True)
class DecimalN(ColumnType):  # type: ignore[misc]  # untyped package
    """decimal(precision, scale)."""

    precision: int
    scale: int

    def type_info(self) -> bytes:
        return bytes([0x6A, 17, self.precision, self.scale])

    def encode(self, value: Any) -> bytes:
        if value is None:
            return b"\x00"
        whole = int(Decimal(value).scaleb(self.scale))
        return _counted(bytes([whole >= 0]) + abs(whole).to_bytes(16, "little"))


@dataclass(frozen=True)
class Money(ColumnType):  # type: ignore[misc]
    """money: ten-thousandths, the high half first."""

    def type_info(self) -> bytes:
        return bytes([0x6E, 8])

    def encode(self, value: Any) -> bytes:
        if value is None:
            return b"\x00"
        whole = int(Decimal(value).scaleb(4)) & (2**64 - 1)
        return _counted(struct.pack("<II", whole >> 32, whole & 0xFFFFFFFF))


@dataclass(frozen=True)
class Date(ColumnType):  # type: ignore[misc]
    """date."""

    def type_info(self) -> bytes:
        return bytes([0x28])

    def encode(self, value: Any) -> bytes:
        return b"\x00" if value is None else _counted(_days(value))


@dataclass(frozen=True)
class Time(ColumnType):  # type: ignore[misc]
    """time(7)."""

    def type_info(self) -> bytes:
        return bytes([0x29, _SCALE])

    def encode(self, value: Any) -> bytes:
        return b"\x00" if value is None else _counted(_ticks(value))


@dataclass(frozen=True)
class DateTime2(ColumnType):  # type: ignore[misc]
    """datetime2(7)."""

    def type_info(self) -> bytes:
        return bytes([0x2A, _SCALE])

    def encode(self, value: Any) -> bytes:
        return b"\x00" if value is None else _counted(_ticks(value) + _days(value.date()))


@dataclass(frozen=True)
class DateTimeOffset(ColumnType):  # type: ignore[misc]
    """datetimeoffset(7): the moment in UTC, and the offset in minutes."""

    def type_info(self) -> bytes:
        return bytes([0x2B, _SCALE])

    def encode(self, value: Any) -> bytes:
        if value is None:
            return b"\x00"
        utc = value.astimezone(dt.UTC)
        offset = int(value.utcoffset().total_seconds() // 60)
        return _counted(_ticks(utc) + _days(utc.date()) + struct.pack("<h", offset))


@dataclass(frozen=True)
class VarCharMax(ColumnType):  # type: ignore[misc]
    """varchar(max), in the code page of the collation: Windows-1252."""

    def type_info(self) -> bytes:
        return bytes([0xA7]) + b"\xff\xff" + bytes(DEFAULT_COLLATION)

    def encode(self, value: Any) -> bytes:
        return _NO_PLP if value is None else _plp(str(value).encode("cp1252"))


@dataclass(frozen=True)
class VarBinaryMax(ColumnType):  # type: ignore[misc]
    """varbinary(max)."""

    def type_info(self) -> bytes:
        return bytes([0xA5]) + b"\xff\xff"

    def encode(self, value: Any) -> bytes:
        return _NO_PLP if value is None else _plp(value)


@dataclass(frozen=True)
class RowVersion(ColumnType):  # type: ignore[misc]
    """rowversion: binary(8)."""

    def type_info(self) -> bytes:
        return bytes([0xAD]) + struct.pack("<H", 8)

    def encode(self, value: Any) -> bytes:
        return b"\xff\xff" if value is None else struct.pack("<H", 8) + value


@dataclass(frozen=True)
class Xml(ColumnType):  # type: ignore[misc]
    """xml without a schema."""

    def type_info(self) -> bytes:
        return bytes([0xF1, 0x00])

    def encode(self, value: Any) -> bytes:
        return _NO_PLP if value is None else _plp(str(value).encode("utf-16-le"))


@dataclass(frozen=True)
class Udt(ColumnType):  # type: ignore[misc]
    """A type of the CLR, as geography, hierarchyid; its value is bytes."""

    type_name: str

    def type_info(self) -> bytes:
        names = ("master", "sys", self.type_name)
        assembly = "Microsoft.SqlServer.Types"
        parts = b"".join(_counted_name(name) for name in names)
        return bytes([0xF0]) + b"\xff\xff" + parts + struct.pack("<H", len(assembly)) + assembly.encode("utf-16-le")

    def encode(self, value: Any) -> bytes:
        return _NO_PLP if value is None else _plp(value)


@dataclass(frozen=True)
class SqlVariant(ColumnType):  # type: ignore[misc]
    """sql_variant; of its values only int and nvarchar are made here."""

    def type_info(self) -> bytes:
        return bytes([0x62]) + struct.pack("<I", 8009)

    def encode(self, value: Any) -> bytes:
        if value is None:
            return struct.pack("<I", 0)
        if isinstance(value, int):
            body = bytes([0x38, 0]) + struct.pack("<i", value)
        else:
            text = str(value).encode("utf-16-le")
            body = bytes([0xE7, 7]) + bytes(DEFAULT_COLLATION) + struct.pack("<H", 8000) + text
        return struct.pack("<I", len(body)) + body


def _counted_name(name: str) -> bytes:
    return bytes([len(name)]) + name.encode("utf-16-le")
