"""Docs from Markdown: a heading for each table, a list line for each column, rules under any other heading.

## orders                                a table: the text below it is about the table
One row for each order.
- `total`: without tax                   a column; `orders.total — …` is one wherever it stands

## Fiscal year                           any other heading: rules
- It starts in February.

## Questions                             questions with their queries
How many orders are there?
```sql
SELECT count(*) FROM orders
```
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rag.collector import Collector
from rag.names import bare

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

_RULES = {"rules", "business rules", "terms", "glossary", "definitions", "notes", "general", "business terms"}
_QUESTIONS = {"questions", "examples", "queries", "example questions", "example queries", "sample questions"}
_COLUMNS = {"columns", "fields", "description", "details"}

# A name, then a colon, a dash or an arrow, then what is said of it: `total` (numeric): without tax
_ENTRY = re.compile(
    r"(?:\*\*|__)?(?:`(?P<quoted>[^`]+)`|(?P<plain>[^\W\d][\w.]*))(?:\*\*|__)?:?(?:\*\*|__)?\s*(?:\([^)]*\)\s*)?"
    r"(?:(?<=:)|:|—|–|->|→|(?<=\s)-(?=\s))\s*(?P<text>\S.*)",
    re.DOTALL,
)


def read_markdown(text: str, path: Path, collector: Collector) -> None:
    """Read one Markdown file. A text of any shape is read: what is about no table is a rule."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    root = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(text))
    _Reading(path.name, collector).read(root.children)


class _Reading:
    """Where in the file we are: under which table, among rules or among questions."""

    def __init__(self, source: str, collector: Collector) -> None:
        self._source, self._to = source, collector
        self._table: str | None = None
        self._table_level = 0
        self._mode = "rules"  # rules, table, questions, or skip: below a heading that names no real table
        self._topic = ""
        self._question = ""
        self._rule = ""  # held back: a fenced block below belongs to it

    def read(self, blocks: list[SyntaxTreeNode]) -> None:
        for position, block in enumerate(blocks):
            if block.type == "heading":
                self._flush()
                self._heading(int(block.tag[1]), _said(block), blocks[position + 1 :])
            else:
                self._block(block)
        self._flush()

    def _heading(self, level: int, said: str, below: list[SyntaxTreeNode]) -> None:
        if self._table is not None and level <= self._table_level:
            self._table = None
        word = said.strip().rstrip(":").lower()
        name = re.sub(r"^(the\s+)?table\s*:?\s+|\s+table$", "", said.strip(), flags=re.IGNORECASE)
        self._topic = ""
        table = self._known_table(name, level, word)
        if table is not None:
            self._mode, self._table, self._table_level = "table", table, level
        elif word in _QUESTIONS:
            self._mode, self._topic = "questions", ""
        elif word in _RULES:
            self._mode = "rules"
        elif self._table is not None and word in _COLUMNS:
            self._mode = "table"
        elif self._mode == "questions" and level > 2:
            self._question = said
        elif self._is_mistaken(name, below):
            self._mode = "skip"
            self._to.table(self._source, name)  # says which table is nearest
        else:
            self._mode, self._topic = "rules", said if level > 1 else ""

    def _known_table(self, name: str, level: int, word: str) -> str | None:
        if self._to.names is not None:
            table = self._to.names.table(name)
            return table.name if table else None
        is_name = re.fullmatch(r"`[^`]+`|[^\W\d][\w.]*", name) is not None and level > 1
        return bare(name) if is_name and word not in _RULES | _QUESTIONS | _COLUMNS else None

    def _is_mistaken(self, name: str, below: list[SyntaxTreeNode]) -> bool:
        """True where a heading was meant to be a table's name: written as code, or its list names a table's columns."""
        names = self._to.names
        if names is None:
            return False
        if re.fullmatch(r"`[^`]+`", name):
            return True
        near = names.nearest_table(name)
        table = names.table(near) if near and " " not in name else None
        first = next((block for block in below if block.type in {"bullet_list", "heading"}), None)
        if table is None or first is None or first.type == "heading":
            return False
        entries = [_ENTRY.match(_said(item)) for item in first.children]
        return any(entry and names.column(table, entry["quoted"] or entry["plain"]) for entry in entries)

    def _block(self, block: SyntaxTreeNode) -> None:
        if block.type == "paragraph":
            self._paragraph(_said(block))
        elif block.type in {"bullet_list", "ordered_list"}:
            for item in block.children:
                self._item(item)
        elif block.type in {"fence", "code_block"}:
            self._code(block.content)
        elif block.type == "table":
            self._grid(block)
        elif block.type == "blockquote":
            for inner in block.children:
                self._block(inner)

    def _paragraph(self, said: str) -> None:
        self._flush()
        if self._mode == "questions":
            self._question = said
        elif self._mode == "table" and self._table is not None:
            self._to.add_table(self._source, self._table, said)
        elif self._mode == "rules":
            self._rule = said

    def _item(self, item: SyntaxTreeNode) -> None:
        code = next((block.content for block in item.walk() if block.type in {"fence", "code_block"}), "")
        said = _said(item)
        if self._mode == "questions":
            self._paragraph(said)
        elif self._mode != "skip":
            self._flush()
            self._entry(said)
        if code:
            self._code(code)

    def _entry(self, said: str) -> None:
        """A list line: of a column where it names one, else a rule."""
        entry = _ENTRY.match(said)
        name = (entry["quoted"] or entry["plain"]) if entry else ""
        names = self._to.names
        place = names.qualified(name) if names else None
        if entry and place:
            self._to.add_column(self._source, place[0].name, place[1].name, entry["text"])
        elif entry and self._mode == "table" and self._table and self._is_column(name, quoted=bool(entry["quoted"])):
            self._to.add_column(self._source, self._table, name, entry["text"])
        else:
            self._rule = said

    def _is_column(self, name: str, *, quoted: bool) -> bool:
        """False for a word that only looks like a column, as in `Note: …`; the collector tells of wrong names."""
        names = self._to.names
        table = names.table(self._table) if names and self._table else None
        if names is None or table is None:
            return True
        looks = quoted or "_" in name or "." in name
        return looks or names.column(table, name) is not None or names.nearest_column(table, name) is not None

    def _grid(self, block: SyntaxTreeNode) -> None:
        """A table of columns and what they mean; the first cell is the name, the last the text."""
        for row in (node for node in block.walk() if node.type == "tr"):
            cells = [_said(cell) for cell in row.children if cell.type == "td"]
            if len(cells) < 2 or not cells[-1]:
                continue
            if self._mode == "table" and self._table is not None:
                self._to.add_column(self._source, self._table, cells[0], cells[-1])
            elif self._mode == "rules":
                self._flush()
                self._rule = f"{cells[0]}: {cells[-1]}"

    def _code(self, code: str) -> None:
        if self._mode == "questions" and self._question:
            self._to.add_query(self._source, self._question, code)
            self._question = ""
        elif self._mode == "rules" and self._rule:
            self._rule += " " + code

    def _flush(self) -> None:
        if self._rule:
            text = f"{self._topic}: {self._rule}" if self._topic else self._rule
            self._to.add_rule(self._source, text, table=self._table or "")
        if self._question:
            self._to.problem(self._source, f"the question {self._question!r} has no query below it")
        self._rule = self._question = ""


def _said(block: SyntaxTreeNode) -> str:
    """The text of a block on one line, with the lists inside it; code blocks are left out."""
    return " ".join(" ".join(node.content.split()) for node in block.walk() if node.type == "inline")
