"""The readers of docs: any file, however broken, gives documents or problems and never an exception.

A case's kind is the ending of the file's name. Its text carries the file's bytes, one character a byte.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from hypothesis import strategies as st

from executors.base import Schema
from fuzz.cases import Case, Check, Target
from fuzz.shop import TABLES, shop_schema
from rag.docs.reading import READERS, read_documents

ROOT = Path(__file__).resolve().parents[1]
_KINDS = tuple(READERS)


class DocsCheck:
    """Reads a case from a file of a folder, with the shop's schema and without any."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._shop = folder, shop_schema("sqlite")

    def __call__(self, case: Case) -> None:
        """Raises AssertionError for a document that is none, and whatever the readers raised."""
        file = self._folder / f"orders{case.kind}"
        file.write_bytes(case.text.encode("latin-1", errors="replace"))
        for schema in (None, self._shop):
            self._check(file, schema)

    def _check(self, file: Path, schema: Schema | None) -> None:
        found = read_documents([file], schema)
        ids = [document.id for document in found.documents]
        assert len(set(ids)) == len(ids), "a document twice"
        for document in found.documents:
            assert document.text.strip(), "a document without a text"
            assert schema is None or document.table in {"", *TABLES}, f"there is no table {document.table!r}"
            document.passage.encode()  # the text that is embedded and stored
        for problem in found.problems:
            assert str(self._folder) not in problem, "a path in a message"
            problem.encode()
        assert read_documents([file], schema) == found, "another result a second time"


_PIECES = (
    *(
        "# ",
        "## orders\n",
        "\n",
        "- ",
        "- status: ",
        "| column | description |\n|---|---|\n",
        "| status | x |\n",
        "`orders.id`",
    ),
    *(
        "```sql\n",
        "```\n",
        "version: 2\n",
        "models:\n",
        "  - name: orders\n",
        "    columns:\n",
        "      - name: status\n",
    ),
    *(
        "        description: ",
        "{{ doc('x') }}",
        "{% docs x %}",
        "{% enddocs %}",
        "&a ",
        "*a",
        "<<: *a\n",
        "!!python/object:x ",
    ),
    *(
        "table,column,description\n",
        "orders,status,paid or open\n",
        "sep=;\n",
        ";",
        ",",
        '"',
        "\t",
        "question,sql\n",
        ": ",
        "{",
        "[",
    ),
    *(
        "\0",
        "\ufeff",
        "ÿþ",
        "é",
        "tests:\n",
        "unique",
        "relationships:\n",
        "---\n",
        "> ",
        "<b>",
        "|",
        "2024-01-01",
        "1e999",
        "~",
    ),
    *(
        "metrics:\n",
        "measures:\n",
        "entities:\n",
        "semantic_models:\n",
        "saved_queries:\n",
        "exposures:\n",
        "glossary:\n",
        "terms:\n",
    ),
)
_pieced = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=12)), max_size=30).map("".join)


def _carried(text: str) -> str:
    return text.encode(errors="replace").decode("latin-1")


@contextmanager
def opened() -> Iterator[Check]:
    """The check, with its own folder."""
    with tempfile.TemporaryDirectory(prefix="plumbline-fuzz-") as folder:
        yield DocsCheck(Path(folder))


_CSV = "table,column,description\norders,status,paid or open\n"
_MARKDOWN = "# orders\n\n| column | means |\n|---|---|\n| status | x |\n"
_DBT = """version: 2
models:
  - name: orders
    description: One row an order
    columns:
      - name: status
        description: paid or open
        tests: [unique, {accepted_values: {values: [a, b]}}]
"""


def _seeds() -> Sequence[Case]:
    shop = (ROOT / "samples" / "docs" / "shop.md").read_text(encoding="utf-8")
    texts = {".md": shop[:1_500], ".yml": _DBT, ".yaml": "orders:\n  status: paid or open\n", ".csv": _CSV,
             ".tsv": _CSV.replace(",", "\t"), ".markdown": _MARKDOWN}  # fmt: skip
    return [Case(kind, _carried(text)) for kind, text in texts.items()]


TARGET = Target(
    name="docs",
    kinds=_KINDS,
    cases=st.builds(
        Case,
        st.sampled_from(_KINDS),
        st.one_of(_pieced.map(_carried), st.binary(max_size=200).map(lambda b: b.decode("latin-1"))),
    ),
    opened=opened,
    seeds=_seeds,
    words=tuple(piece for piece in _PIECES if piece.isascii()),
)
