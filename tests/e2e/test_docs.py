"""The pages in docs/ are true: links work, commands exist, and `console` blocks run."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer.main

from agent.api import reference
from agent.api.app import api_routes
from agent.checks.rules.registry import RULES
from agent.cli.main import app
from agent.platform.config.settings_table import variables
from bench.endpoint import started
from bench.page_screens import SCREENS
from bench.page_states import BESIDE, DRAWERS, STATES
from bench.synthetic_file import Case
from testbed.browser import DESKTOP, PHONE

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
PROSE = [
    *PAGES,
    *DECISIONS,
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "infra/README.md", "docker/README.md")),
]
COMMAND = re.compile(r"python -m agent ([a-z][a-z-]*)((?:[^\n|#`;&]|\\\n)*)")
MADE = re.compile(r"^(?:    |\$ |`)make ([a-z][a-z-]*)|`make ([a-z][a-z-]*)", re.MULTILINE)
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
SETTING = re.compile(r"\b(?:PLUMBLINE|TEXT2SQL|CHROMA|AZURE_OPENAI)_[A-Z0-9_]+\b")
ROUTE = re.compile(r"(?<![\w.])/api(?:/[\w{}.-]*[\w}])+")
PATIENCE_S = 240
ANSWERS = (
    Case(
        "How many customers are there in each country?",
        "SELECT country, COUNT(*) AS customer_count FROM customers GROUP BY country",
    ),
    Case("How many visitors came to each city?", "SELECT city, visitors FROM visits"),
    Case("How many orders are there?", "SELECT COUNT(*) AS orders FROM orders"),
)


def ids(pages: list[Path]) -> list[str]:
    return [page.name for page in pages]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with started(ANSWERS, tmp_path_factory.mktemp("cases")) as url:
        yield url


@pytest.fixture
def environment(tmp_path: Path, model: str) -> dict[str, str]:
    """A shell's, in which `python` is this one and a scripted model answers."""
    own = ("PLUMBLINE_", "OPENAI_", "AZURE_", "TEXT2SQL_", "FORCE_COLOR", "TTY_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return kept | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "110",
        "HF_HUB_OFFLINE": "1",
        "OPENAI_BASE_URL": model,
        "OPENAI_API_KEY": "a-key-for-tests",
        "PLUMBLINE_PROFILE": "small_hosted",
        "PLUMBLINE_EMBEDDING": "local",
        "PLUMBLINE_STATE_DIR": str(tmp_path / "state"),
    }


def said(block: str) -> list[tuple[str, str]]:
    """The commands of a block, each with its expected output; `…` matches anything."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]


def pattern(expected: str) -> re.Pattern[str]:
    lines = (re.escape(line.rstrip()).replace("…", ".*?") for line in expected.strip("\n").splitlines())
    return re.compile(r"\s*\n".join(lines), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=ids(PAGES))
def test_what_stands_in_a_console_block_is_what_happens(
    page: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for command, expected in said(block):
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", command],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE_S,
            )
            shown = done.stdout + done.stderr
            assert done.returncode == 0, f"$ {command}\n{shown}"
            assert pattern(expected).search(shown), f"$ {command}\n{shown}\n--- the page says:\n{expected}"


@pytest.mark.parametrize("page", PAGES, ids=ids(PAGES))
def test_a_page_is_short_and_can_be_found(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert lines[0].startswith("# ")
    assert page.name in ("reference.md", "extend.md") or len(lines) <= 180, "of extend.md, half is diffs"
    assert f"docs/{page.name}" in readme


@pytest.mark.parametrize("page", PROSE, ids=ids(PROSE))
def test_every_link_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = [one or other for one, other in LINK.findall(text)]
    dead = []
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)

    assert dead == []


@pytest.mark.parametrize("page", DECISIONS, ids=ids(DECISIONS))
def test_a_decision_has_context_and_consequence_and_stands_in_the_index(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page.name == "README.md":
        assert {link for link, _ in LINK.findall(text)} == {it.name for it in DECISIONS if it != page}
        return

    counts = [text.count(f"**{part}.**") for part in ("Context", "Decision", "Consequence")]
    assert counts == [max(1, text.count("\n## "))] * 3


def test_every_rule_is_described() -> None:
    page = (ROOT / "docs" / "decisions" / "candidates.md").read_text(encoding="utf-8")

    assert [rule for rule in RULES if f"`{rule}`" not in page] == []


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PROSE, ids=ids(PROSE))
def test_every_command_is_one_and_has_these_options(page: Path) -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, click.Group) or hasattr(group, "commands")
    known = group.commands
    wrong = []
    for name, rest in COMMAND.findall(page.read_text(encoding="utf-8")):
        command = known.get(name)
        options = {option for one in command.params for option in one.opts} if command is not None else set()
        if hasattr(command, "commands"):
            continue  # its words are those of a command below it
        wrong += [f"{name} {flag}" for flag in re.findall(r"(?<=\s)--?[a-z][a-z-]*", rest) if flag not in options]
        wrong += [name] if command is None else []

    assert wrong == []


@pytest.mark.parametrize("page", PROSE, ids=ids(PROSE))
def test_every_target_of_make_is_one(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {one or other for one, other in MADE.findall(page.read_text(encoding="utf-8"))}

    assert named - targets == set()


@pytest.mark.parametrize("page", PROSE, ids=ids(PROSE))
def test_every_setting_and_every_route_is_one(page: Path) -> None:
    text = re.sub(r"```diff\n.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)  # what is not there yet
    known = {name for variable in variables() for name in variable.names}
    infra = [*(ROOT / "infra").glob("main.*")]  # what azd asks for, and what it tells
    of_azd = {name for path in infra for name in SETTING.findall(path.read_text(encoding="utf-8"))}
    routes = [re.compile(re.sub(r"\{[^}]*\}", "[^/]+", route.path)) for route in api_routes()]
    dead = [named for named in ROUTE.findall(text) if not any(route.fullmatch(named) for route in routes)]

    assert set(SETTING.findall(text)) - known - (of_azd if page.parent.name == "infra" else set()) == set()
    assert dead == []


def test_the_pictures_are_those_that_make_screens_takes() -> None:
    taken = {path.stem.removeprefix("page-"): size_of(path) for path in (ROOT / "docs/images").glob("page-*.png")}

    assert taken == {name: PHONE if "phone" in name else DESKTOP for name in SCREENS | STATES | BESIDE | DRAWERS}


def size_of(picture: Path) -> tuple[int, int]:
    """Width and height, from the header of a PNG."""
    width, height = struct.unpack(">II", picture.read_bytes()[16:24])
    return width, height


def test_every_diagram_stands_on_a_page() -> None:
    shown = {Path(target).name for page in PROSE for _, target in LINK.findall(page.read_text(encoding="utf-8"))}

    assert {path.name for path in (ROOT / "docs/images").glob("*.svg")} - shown == set()


def test_the_reference_is_what_the_code_says() -> None:
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")

    assert page == reference.page(), "python -m agent.api.reference > docs/reference.md"
