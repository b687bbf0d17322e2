"""The texts of the prompts: files in `prompts/`, with named placeholders."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from agent.platform.llm.prompting.fences import one_line, remove_fences, without_turns
from executors.base import JsonValue, QueryResult

if TYPE_CHECKING:
    from jinja2 import Environment

FOLDER = Path(__file__).parent / "prompts"
CELL_CHARS = 60

Wording = tuple[tuple[str, str], ...]  # names of files in `FOLDER`, each with its template


def cut(text: str, length: int) -> str:
    """At most `length` characters, with an ellipsis if the text was cut."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def as_table(result: QueryResult, rows: int, *, decimals: int | None = None) -> str:
    """The first rows as lines of `a | b`, under the column names.

    Args: decimals: of a number; below 1, two more digits are shown. None: six decimals.
    """
    lines = [" | ".join(one_line(column) for column in result.columns)]
    lines += [" | ".join(_cell(value, decimals) for value in row) for row in result.rows[:rows]]
    return "\n".join(lines)


def row_context(result: QueryResult, rows: int) -> str:
    """A sentence with the number of rows, and of those that are shown."""
    count = result.row_count
    if count == 0:
        return "It returned no rows."
    total = f"more than {count} rows (cut at the limit)" if result.truncated else f"{count} row{'s'[: count != 1]}"
    return f"It returned {total}." if count <= rows else f"It returned {total}; the first {rows}:"


def _cell(value: JsonValue, decimals: int | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, float):
        if decimals is None or abs(value) >= 1:
            return repr(round(value, 6 if decimals is None else decimals))
        return repr(float(f"{value:.{decimals + 2}g}"))
    return cut(one_line(str(value)), CELL_CHARS)


_WORDING: ContextVar[Wording] = ContextVar("wording", default=())


@contextmanager
def use_wording(words: Wording) -> Iterator[None]:
    """Use these templates inside the block instead of the files with the same names, to evaluate a wording."""
    before = _WORDING.set(words)
    try:
        yield
    finally:
        _WORDING.reset(before)


def wording() -> Wording:
    """The replaced templates in the current context."""
    return _WORDING.get()


@lru_cache(maxsize=8)
def _environment(words: Wording = ()) -> Environment:
    from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader, StrictUndefined

    files = FileSystemLoader(FOLDER)
    environment = Environment(
        loader=ChoiceLoader([DictLoader(dict(words)), files]) if words else files,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701  prompts are plain text, not HTML
        auto_reload=False,  # else each render checks the file, 0.3 ms
    )
    environment.filters.update(one_line=one_line, unfenced=remove_fences, cut=cut)
    return environment


def own_words() -> Iterator[str]:
    """The fixed text of the prompts, piece by piece."""
    from jinja2 import nodes

    for path in sorted(FOLDER.glob("*.txt")):
        tree = _environment().parse(path.read_text(encoding="utf-8"))
        yield from (piece.data for piece in tree.find_all(nodes.TemplateData))


def render(name: str, **holes: object) -> str:
    """The named prompt with its placeholders filled. Raises jinja2.UndefinedError if a value is missing."""
    return without_turns(_environment(wording()).get_template(f"{name}.txt").render(**holes)).strip() + "\n"
