"""Wheels that hold one slice of a file, as the embedded model's come."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path


def make_wheel(folder: Path, n: int, data: bytes, member: str | None = None) -> Path:
    """A wheel with nothing in it but a slice."""
    package, distribution = f"tiny_data_part{n}", f"tiny_data_part{n}-0.1.0"
    files = {
        f"{package}/__init__.py": b"raise RuntimeError('a data wheel is never imported')\n",
        member or f"{package}/data/part{n:02d}.bin": data,
        f"{distribution}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1.0\n".encode(),
        f"{distribution}.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b'=').decode()},{len(body)}\n"
        for name, body in files.items()
    )
    path = folder / f"{distribution}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, body in files.items():
            archive.writestr(name, body)
        archive.writestr(f"{distribution}.dist-info/RECORD", record)
    return path
