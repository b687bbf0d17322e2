"""Seeds of fuzzing: the statements of the guard's tests and the queries of the sample questions."""

from __future__ import annotations

import ast
import json
import re
from functools import lru_cache
from pathlib import Path

from fuzz.engines import CANARY

ROOT = Path(__file__).resolve().parents[1]
_TESTS = ("tests/unit/test_guard*.py", "tests/integration/test_guard_round_trip.py")
_STATEMENT = re.compile(
    r"[\s(;\ufeff]*(?:/\*|--|SELECT|WITH|VALUES|TABLE|FROM|INSERT|UPDATE|DELETE|MERGE|REPLACE|CREATE|DROP|ALTER|TRUNCATE"
    r"|GRANT|SET|PRAGMA|ATTACH|COPY|CALL|EXEC|EXPLAIN|DO)\b",
    re.IGNORECASE,
)
_MAX_CHARS = 2_000
# Files that attacks target, and the canary that replaces them.
_FILES = ((re.compile(r"/etc/passwd"), f"{CANARY}secret.csv"), (re.compile(r"/tmp/\w+(?:\.\w+)?"), f"{CANARY}loot"))


@lru_cache(maxsize=1)
def statements() -> tuple[str, ...]:
    """SQL to begin with, each statement once, in a fixed order."""
    found = dict.fromkeys(sql for pattern in _TESTS for file in sorted(ROOT.glob(pattern)) for sql in _texts(file))
    for name in ("questions.json", "held_out_questions.json"):
        questions = json.loads((ROOT / "samples" / name).read_text(encoding="utf-8"))
        found |= dict.fromkeys(sql for question in questions for sql in question["gold"])
    return tuple(map(_with_canary, found))


def _texts(file: Path) -> list[str]:
    """The texts of a Python file that look like SQL."""
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [text for text in texts if len(text) <= _MAX_CHARS and _STATEMENT.match(text)]


def _with_canary(sql: str) -> str:
    for pattern, canary in _FILES:
        sql = pattern.sub(canary, sql)
    return sql
