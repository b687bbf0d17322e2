"""The page's built files, types and parts are those of its sources."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from agent.api.app import contract
from agent.api.routes.page import FOLDER

WEB = Path(__file__).parents[2] / "web"


@pytest.fixture(autouse=True)
def node() -> None:
    if not (WEB / "node_modules").is_dir() or shutil.which("npm") is None:
        pytest.skip("the page's tools are not installed: apt-get install npm; npm ci --prefix web")


async def npm(*arguments: str) -> None:
    """Run one script of the page's; fails with what it says."""
    process = await asyncio.create_subprocess_exec(
        "npm", "run", "--silent", "--prefix", str(WEB), *arguments,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


async def test_the_built_files_are_those_of_the_sources(tmp_path: Path) -> None:
    await npm("build", "--", "--outDir", str(tmp_path / "page"), "--emptyOutDir")
    built, kept = files(tmp_path / "page"), files(FOLDER)
    assert sorted(built) == sorted(kept), "run `make page`"
    assert [name for name in built if built[name] != kept[name]] == [], "run `make page`"


async def test_the_types_are_those_of_the_interface(tmp_path: Path) -> None:
    described = tmp_path / "openapi.json"
    described.write_text(json.dumps(contract()), encoding="utf-8")
    await npm("types:of", "--", str(described), "-o", str(tmp_path / "schema.ts"))
    kept = (WEB / "src" / "api" / "schema.ts").read_text(encoding="utf-8")
    assert (tmp_path / "schema.ts").read_text(encoding="utf-8") == kept, "run `make page`"


async def test_the_parts_of_the_page_work() -> None:
    await npm("test")


def test_the_lockfile_names_no_registry() -> None:
    locked = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))
    assert [name for name, package in locked["packages"].items() if "resolved" in package] == []
