"""Docs from Markdown: a heading per table, a list line per column, rules under any other heading.

## orders                                a table: the text below it is about the table
One row for each order.
- `total`: without tax                   a column; `orders.total — …` is one anywhere in the file
| column | meaning |                     a grid, read by its header, or else with the name first and the meaning last
### total                                a column: the text below it is about the column

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

from rag.docs.collector import DocsCollector
from rag.docs.fields import Records
from rag.docs.names import bare

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

_RULES = {"rules", "business rules", "terms", "glossary", "definitions", "notes", "general", "business terms"}
_QUESTIONS = {"questions", "examples", "queries", "example questions", "example queries", "sample questions"}
_COLUMNS = {"columns", "fields", "attributes", "description", "details"}
_LISTS = {"bullet_list", "ordered_list"}
_NAME = re.compile(r"`[^`]+`|[^\W\d][\w.]*")
_NAMESPACE = re.compile(
    r"(?:the\s+)?(?:schema|namespace)\s*:?\s+(?P<name>\S+)|(?P<alone>\S+)(?:\s+schema)?", re.IGNORECASE
)
DOCS_BLOCK = re.compile(r"\{%-?\s*docs\s+(\w+)\s*-?%\}(.*?)\{%-?\s*enddocs\s*-?%\}", re.DOTALL)  # of dbt
_FRONT_MATTER = re.compile(r"\A---\s*\n.*?\n---\s*\n", re.DOTALL)

# A name, then a colon, a dash or an arrow, then its description: `total` (numeric): without tax
_ENTRY = re.compile(
    r"(?:\*\*|__)?(?:`(?P<quoted>[^`]+)`|(?P<plain>[^\W\d][\w.]*))(?:\*\*|__)?:?(?:\*\*|__)?\s*"
    r"(?:\([^)]*\)\s*|[A-Z][A-Z0-9_]+(?:\([\d, ]+\))?\s*)?"  # a type
    r"(?:(?<=:)|:|—|–|->|→|(?<=\s)-(?=\s))\s*(?P<text>\S.*)",
    re.DOTALL,
)


def read_markdown(text: str, path: Path, collector: DocsCollector) -> None:
    """Read one Markdown file. Any text is accepted: what is not about a table becomes a rule."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    text = DOCS_BLOCK.sub("", _FRONT_MATTER.sub("", text))
    root = SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(text))
    _Reading(path.name, collector).read(root.children)


class _Reading:
    """The position in a file: below a table or column, among rules or among questions."""

    def __init__(self, source: str, collector: DocsCollector) -> None:
        self._source, self._to = source, collector
        self._namespace = ""
        self._table: str | None = None
        self._table_level = 0
        self._column = ""  # a column with its own heading, below the table's
        self._has_headings = False  # whether columns of the table have such headings
        self._mode = "rules"  # rules, table, questions, or skip: below a heading that names nothing real
        self._topic = ""
        self._question = ""
        self._rule = ""  # held back because a fenced block may follow that belongs to it

    def read(self, blocks: list[SyntaxTreeNode]) -> None:
        for position, block in enumerate(blocks):
            if block.type == "heading":
                self._flush()
                self._heading(int(block.tag[1]), _text_of(block), blocks[position + 1 :])
            else:
                self._block(block)
        self._flush()

    def _heading(self, level: int, words: str, below: list[SyntaxTreeNode]) -> None:
        if self._table is not None and level <= self._table_level:
            self._table = None
        word = words.strip().rstrip(":").lower()
        name = re.sub(r"^(the\s+)?(table|view)\s*:?\s+|\s+(table|view)$", "", words.strip(), flags=re.IGNORECASE)
        self._topic = self._column = ""
        table, column = self._find_table(name, level, word), self._find_column(words)
        if table is not None:
            self._mode, self._table, self._table_level, self._has_headings = "table", table, level, False
        elif column is not None:
            self._mode, self._column, self._has_headings = "table", column, True
        elif word in _QUESTIONS:
            self._mode = "questions"
        elif word in _RULES:
            self._mode = "rules"
        elif self._table is not None and word in _COLUMNS:
            self._mode = "table"
        elif self._is_namespace(words):
            self._mode = "rules"
        elif self._mode == "questions" and level > 2:
            self._question = words
        elif self._is_mistaken(name, below):
            self._mode = "skip"
            if self._table is not None:
                self._to.column(self._source, self._table, name)
            else:
                self._to.table(self._source, name)  # records the nearest table
        else:
            if self._table is not None and self._has_headings and self._is_column(name, quoted=False):
                self._to.column(self._source, self._table, name)  # records a problem; the text may still help
            self._mode, self._topic = "rules", words if level > 1 else ""

    def _find_table(self, name: str, level: int, word: str) -> str | None:
        names = self._to.names
        if names is not None:
            table = names.table(f"{self._namespace}.{bare(name)}") if self._namespace else None
            table = table or names.table(name)
            return table.name if table else None
        is_name = _NAME.fullmatch(name) is not None and level > 1 and self._table is None
        return bare(name) if is_name and word not in _RULES | _QUESTIONS | _COLUMNS else None

    def _find_column(self, words: str) -> str | None:
        """The column named by a heading below a table's heading."""
        name = re.sub(r"^(the\s+)?(column|field)\s*:?\s+", "", words.strip(), flags=re.IGNORECASE)
        names, word = self._to.names, words.strip().rstrip(":").lower()
        if self._table is None or word in _RULES | _QUESTIONS | _COLUMNS:
            return None
        if names is None:
            return bare(name) if _NAME.fullmatch(name) else None
        table = names.table(self._table)
        column = names.column(table, name) if table else None
        return column.name if column else None

    def _is_namespace(self, words: str) -> bool:
        """Whether a heading names a schema whose tables follow. If so, it is stored."""
        match, names = _NAMESPACE.fullmatch(words.strip().rstrip(":")), self._to.names
        name = bare(match["name"] or match["alone"]) if match else ""
        if names is None or not name or not names.has_namespace(name):
            return False
        self._namespace, self._table = name, None
        return True

    def _is_mistaken(self, name: str, below: list[SyntaxTreeNode]) -> bool:
        """Whether a heading seems to be a misspelled table or column: it is code, or its list names columns."""
        names = self._to.names
        if names is None:
            return False
        if re.fullmatch(r"`[^`]+`", name):
            return True
        near = names.nearest_table(name)
        table = names.table(near) if near and " " not in name else None
        first = next((block for block in below if block.type in {"bullet_list", "table", "heading"}), None)
        if table is None or first is None or first.type == "heading":
            return False
        if first.type == "table":
            named = [cells[0] for cells in _grid(first)[1:]]
        else:
            entries = [_ENTRY.match(_text_of(item)) for item in first.children]
            named = [entry["quoted"] or entry["plain"] for entry in entries if entry]
        return any(names.column(table, one) for one in named)

    def _block(self, block: SyntaxTreeNode) -> None:
        if block.type == "paragraph" and not self._column_lines(block):
            self._paragraph(_text_of(block))
        elif block.type in _LISTS and self._column and self._table:
            self._paragraph("; ".join(_text_of(item) for item in block.children))
        elif block.type in _LISTS:
            for item in block.children:
                self._item(item)
        elif block.type in {"fence", "code_block"}:
            self._code(block.content)
        elif block.type == "table":
            self._read_grid(_grid(block))
        elif block.type == "blockquote":
            for inner in block.children:
                self._block(inner)

    def _column_lines(self, block: SyntaxTreeNode) -> bool:
        """Read a paragraph below a table if each line describes a column. False if it is no such paragraph."""
        names = self._to.names
        table = names.table(self._table) if names and self._table and self._mode == "table" else None
        lines = [line.strip() for node in block.walk() if node.type == "inline" for line in node.content.splitlines()]
        entries = [entry for line in lines if (entry := _ENTRY.match(line))]
        if names is None or table is None or self._column or len(entries) < len(lines):
            return False
        if not any(names.column(table, entry["quoted"] or entry["plain"]) for entry in entries):
            return False
        for line in lines:
            self._flush()
            self._entry(line)
        return True

    def _paragraph(self, words: str) -> None:
        self._flush()
        if self._mode == "questions":
            self._question = words
        elif self._mode == "table" and self._table is not None and self._column:
            self._to.add_column(self._source, self._table, self._column, words)
        elif self._mode == "table" and self._table is not None:
            self._to.add_table(self._source, self._table, words)
        elif self._mode == "rules":
            self._rule = words

    def _item(self, item: SyntaxTreeNode) -> None:
        code = next((block.content for block in item.walk() if block.type in {"fence", "code_block"}), "")
        words = _text_of(item)
        if self._mode == "questions":
            self._paragraph(words)
        elif self._mode != "skip" and not self._table_item(item):
            self._flush()
            self._entry(words)
        if code:
            self._code(code)

    def _table_item(self, item: SyntaxTreeNode) -> bool:
        """Read a list item that names a table and contains a list of its columns. False if it is no such item."""
        names, inner = self._to.names, [block for block in item.children if block.type in _LISTS]
        head = _text_of(item.children[0]) if item.children and inner else ""
        entry = _ENTRY.match(head)
        name = (entry["quoted"] or entry["plain"]) if entry else head.strip("*_: ")
        table = names.table(name) if names is not None and head else None
        lines = [_text_of(line) for block in inner for line in block.children]
        entries = [found for line in lines if (found := _ENTRY.match(line))]
        if names is None or table is None:
            return False
        if not any(names.column(table, found["quoted"] or found["plain"]) for found in entries):
            return False
        self._flush()
        outside = self._mode, self._table
        self._mode, self._table = "table", table.name
        if entry:
            self._to.add_table(self._source, table.name, entry["text"])
        for line in lines:
            self._entry(line)
            self._flush()
        self._mode, self._table = outside
        return True

    def _entry(self, words: str) -> None:
        """Read a list line: about a column if it names one, otherwise a rule."""
        entry = _ENTRY.match(words)
        name = (entry["quoted"] or entry["plain"]) if entry else ""
        names = self._to.names
        place = names.find_qualified(name) if names else None
        if entry and place:
            self._to.add_column(self._source, place[0].name, place[1].name, entry["text"])
        elif entry and self._reports_wrong_name(name):
            return
        elif entry and self._mode == "table" and self._table and self._is_column(name, quoted=bool(entry["quoted"])):
            self._to.add_column(self._source, self._table, name, entry["text"])
        elif entry and names and (entry["quoted"] or "_" in name) and (only := names.only_column(name)):
            self._to.add_column(self._source, only[0].name, only[1].name, entry["text"])
        else:
            self._rule = words

    def _reports_wrong_name(self, name: str) -> bool:
        """Report a `table.column` that is similar to a real one. False if the name only resembles one."""
        names, (owner, dot, last) = self._to.names, bare(name).rpartition(".")
        if names is None or not dot:
            return False
        table = names.table(owner)
        if table is not None:
            return self._to.column(self._source, table.name, last) is None
        near = names.table(names.nearest_table(owner) or "")
        return near is not None and names.column(near, last) is not None and not self._to.table(self._source, owner)

    def _is_column(self, name: str, *, quoted: bool) -> bool:
        """Whether a word is meant as a column, unlike `Note: …`. The collector reports wrong names."""
        names = self._to.names
        table = names.table(self._table) if names and self._table else None
        if names is None or table is None:
            return True
        looks = quoted or "_" in name or "." in name
        return looks or names.column(table, name) is not None or names.nearest_column(table, name) is not None

    def _read_grid(self, rows: list[list[str]]) -> None:
        """Read a grid of columns, terms or queries by its header, or else with the name first and the text last."""
        self._flush()
        table = self._table if self._mode == "table" and self._table is not None else ""
        if self._column and table:
            self._paragraph("; ".join(": ".join(filter(None, row)) for row in rows[1:]))
            return
        if self._mode == "skip" or not rows:
            return
        records = Records(rows[0], rows[1:], self._source, self._to, table=table, has_topic=bool(table))
        if records.read():
            return
        for name, *_, text in (row for row in rows[1:] if len(row) > 1 and row[-1]):
            if table:
                self._to.add_column(self._source, table, name, text)
            elif self._mode == "rules":
                self._flush()
                self._rule = f"{name}: {text}"

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


def _text_of(block: SyntaxTreeNode) -> str:
    """The text of a block on one line, including nested lists but not code blocks."""
    return " ".join(" ".join(node.content.split()) for node in block.walk() if node.type == "inline")


def _grid(block: SyntaxTreeNode) -> list[list[str]]:
    """The cells of a table, header first, without bold and italic marks around them."""
    rows = (row.children for row in block.walk() if row.type == "tr")
    return [[_text_of(cell).strip("*_ ") if cell.children else "" for cell in cells] for cells in rows]
