"""What in a query only says how to read, or how to hand over, is left out: the session and the driver decide that.

Hints that name an index or a plan, NOLOCK, OPTION, FORMAT, and ClickHouse's settings about speed. What takes a lock, or
changes what the rows are, is refused.
"""

from __future__ import annotations

import re

from sqlglot import exp

from executors.dialects.row import words
from executors.errors import ErrorKind, SqlRefused

_HINTS = words(
    "nolock readuncommitted readcommitted readpast snapshot index forceseek forcescan noexpand nowait fastfirstrow",
    "spatial_window_max_cells",
)
_SETTINGS = re.compile(
    r"max_threads|max_block_size|max_insert_threads|allow_experimental_\w+|enable_\w+|optimize_\w+|log_comment|priority"
    r"|(?:output_)?format_\w+|use_(?:uncompressed_cache|query_cache|skip_indexes\w*)|max_bytes_before_external_\w+"
    r"|(?:min|max)_bytes_to_use_\w+|compile_\w+|query_plan_\w+|join_algorithm"
)


def drop_advice(root: exp.Expr) -> None:
    """Take it out of a tree. Raises SqlRefused: PERMISSION, where it is more than advice."""
    for node in list(root.walk()):
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier) and node.args.get("hints"):
            for hint in node.args["hints"]:
                _check_hint(hint)
            node.set("hints", None)
        elif isinstance(node, exp.Table) and isinstance(node.args.get("indexed"), exp.Table):
            node.set("indexed", None)
        elif isinstance(node, exp.Hint):
            node.pop()
        elif isinstance(node, exp.Query):
            _check_settings(node)
            for part in ("settings", "format"):
                node.set(part, None)
            options = node.args.get("options") or ()
            node.set("options", [it for it in options if it.name.upper() == "MAXRECURSION"])
            modifiers = node.args.get("operation_modifiers") or ()
            node.set("operation_modifiers", [it for it in modifiers if it.name.upper() == "STRAIGHT_JOIN"])


def _check_hint(hint: exp.Expr) -> None:
    if isinstance(hint, exp.IndexTableHint):
        return
    for item in hint.expressions:
        if not isinstance(hint, exp.WithTableHint) or item.name.lower() not in _HINTS:
            message = f"The table hint {item.name.upper()} is not allowed in a query."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Leave it out: how tables are read is for the server.")


def _check_settings(query: exp.Query) -> None:
    for setting in query.args.get("settings") or ():
        name = setting.this.name if isinstance(setting, exp.EQ) else setting.name
        if not _SETTINGS.fullmatch(name) or not isinstance(setting, exp.EQ):
            message = f"A query may not change the setting {name}."
            raise SqlRefused(ErrorKind.PERMISSION, message, "Leave SETTINGS out: the connection decides them.")
