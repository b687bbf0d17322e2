"""Finds addresses in a text, in every form that a page might follow, including addresses that a query assembles."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus

if TYPE_CHECKING:
    from sqlglot import exp

_SCHEMES = r"(?:https?|ftps?|wss?|file|data|javascript|vbscript|blob|mailto|tel|sms)"
_END = r"[^\s<>\"'`)\]|]"
_ADDRESSES = (
    re.compile(rf"\b[a-z][a-z0-9+.-]{{1,20}}://{_END}+"),
    re.compile(rf"\b{_SCHEMES}:/*(?=[\w\[/%+]){_END}+"),  # including `http:host`
    re.compile(rf"(?<![:\w/])//(?=[\w\[%]){_END}+"),  # protocol-relative
    re.compile(rf"\bwww\.{_END}+"),
    re.compile(rf"(?<![\w@.-])(?:[a-z0-9-]+\.)+[a-z]{{2,24}}(?::\d+)?(?:[/?#]{_END}+|/(?=\s|$))"),  # a host with a path
    re.compile(rf"(?<![\w.])(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?::\d+)?/(?!\d{{1,2}}\b){_END}*"),  # an IPv4 path, not CIDR
    re.compile(r"<([a-z][a-z0-9+.-]{1,31}:[^\s<>]+)>"),  # Markdown autolinks of any scheme
    re.compile(r"\]\(\s*<?\s*([^\s)>]+)"),  # targets of Markdown links and images
    # targets of Markdown reference definitions
    re.compile(r"^[ \t>*+-]*\[[^\]\n]+\]:\s*<?\s*([^\s>]*(?:[/:]|[a-z]\.[a-z])[^\s>]*)", re.MULTILINE),
    re.compile(r"\b(?:src|srcset|href|action|poster|background|formaction)\s*=\s*[\"']?\s*([^\s\"'>]+)"),
    re.compile(r"\burl\(\s*[\"']?\s*([^\s\"')]+)"),
)
# One half of an address. A query may join two halves in a way that is not followed here.
_HALVES = re.compile(rf"\b{_SCHEMES}:/{{0,2}}\s*$|^\s*[a-z]{{0,5}}:?//|://")
_GAP = re.compile(r"%(?:\d+\$)?[-\d.]*[a-zA-Z]|\{[^{}]*\}")  # a placeholder of a format string
_DOTS = dict.fromkeys((0x3002, 0xFF0E, 0xFF61), ".")  # browsers read these as dots of a host name
_HIDDEN = "\x00"  # stands for a value from a row
# Functions that search for their text arguments and do not return them.
_LOOKING = ("split_part", "instr", "strpos", "charindex", "locate", "parse_url")


def normal(text: str) -> str:
    """The text as a page would read it: no invisible characters, forward slashes only, NFKC, lower case."""
    shown = html.unescape(text)
    plain = unicodedata.normalize("NFKC", shown)
    visible = "".join(
        it for it in plain if unicodedata.category(it) not in ("Cf", "Cc", "Mn") or it in "\n\t" + _HIDDEN
    )
    return visible.translate(_DOTS).replace("\\", "/").casefold()


def addresses(text: str) -> Iterator[str]:
    """The addresses in a text, as `normal` writes them."""
    read = normal(text)
    for pattern in _ADDRESSES:
        for match in pattern.finditer(read):
            yield (match[1] if match.re.groups else match[0]).rstrip(".,;:!?*_")


def find_built_texts(tree: exp.Expr) -> Iterator[str]:
    """The texts and column names that a query builds for its rows, with a placeholder for each value from a row."""
    from sqlglot import exp

    for select in tree.find_all(exp.Select):
        for item in select.expressions:
            yield _text(item)
            yield item.alias
    for values in tree.find_all(exp.Values):
        for row in values.expressions:
            yield from map(_text, row.expressions if isinstance(row, exp.Tuple) else [row])


def is_address(text: str) -> bool:
    """Whether a text that a query builds is an address or half of one."""
    read = normal(text).replace(_HIDDEN, "x")
    return bool(_HALVES.search(read)) or any(True for _ in addresses(read))


def _text(node: exp.Expr) -> str:
    """The text that an expression builds. Values from rows are `_HIDDEN`; comparisons and subqueries give ""."""
    from sqlglot import exp

    if isinstance(node, exp.Literal):
        return str(node.this) if node.is_string else ""
    if isinstance(node, exp.Predicate | exp.Query):
        return ""
    if isinstance(node, exp.Column | exp.Star):
        return _HIDDEN
    if isinstance(node, exp.HexString | exp.Unhex) or _name(node) in ("unhex", "from_hex", "hextoraw"):
        return _decode(_first(node), bytes.fromhex)
    if isinstance(node, exp.FromBase64) or _name(node) in ("from_base64", "base64_decode", "unbase64"):
        return _decode(_first(node), base64.b64decode)
    if isinstance(node, exp.Chr) or _name(node) in ("char", "chr", "nchar", "char_from_code"):
        codes = [int(it.name) for it in node.expressions if isinstance(it, exp.Literal) and it.is_int]
        return "".join(chr(it) for it in codes if it < 0x110000) or _HIDDEN
    return _of_call(node)


def _of_call(node: exp.Expr) -> str:
    """The text that a function builds from its arguments. An unknown function gives them, concatenated."""
    from sqlglot import exp

    if isinstance(node, exp.TimeToStr):
        form = node.args.get("format")
        return _text(form) if isinstance(form, exp.Expr) else ""
    parts = [_text(it) for it in node.iter_expressions()]
    if isinstance(node, exp.Format) or _name(node) in ("printf", "sprintf", "format", "format_string", "formatmessage"):
        return _fill(parts)
    if isinstance(node, exp.Translate):
        return parts[0].translate(_changes(*parts[1:3])) if len(parts) > 2 else "".join(parts)
    if _name(node) in ("url_decode", "decodeurlcomponent", "decodeurlformcomponent"):
        return unquote_plus("".join(parts))
    if isinstance(node, exp.Reverse) or _name(node) == "reverse":
        return "".join(parts)[::-1]
    if isinstance(node, exp.Replace) or _name(node) in ("replace", "translate", "regexp_replace"):
        return _replace(parts)
    if isinstance(node, exp.ConcatWs) or _name(node) == "concat_ws":
        return parts[0].join(parts[1:]) if parts else ""
    looking = (exp.Split, exp.SplitPart, exp.StrPosition, exp.RegexpExtract, exp.RegexpLike, exp.Trim)
    if isinstance(node, looking) or _name(node) in _LOOKING:
        return _HIDDEN
    return "".join(parts)


def _fill(parts: list[str]) -> str:
    """The format string with its placeholders filled. Arguments without a placeholder follow at the end."""
    rest = iter(parts[1:])
    text = _GAP.sub(lambda gap: next(rest, gap[0]), parts[0]) if parts else ""
    return text + "".join(rest)


def _changes(old: str, new: str) -> dict[int, str]:
    """The table for `str.translate`. Letters without a counterpart are removed."""
    return {ord(letter): new[at : at + 1] for at, letter in reversed(list(enumerate(old)))}


def _replace(parts: list[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    new = parts[2] if len(parts) > 2 else ""
    return parts[0].replace(parts[1], new) if parts[1] and parts[1] in parts[0] else parts[0] + new


def _first(node: exp.Expr) -> str:
    from sqlglot import exp

    if isinstance(node, exp.HexString):
        return str(node.this)
    return next((str(it.this) for it in node.iter_expressions() if isinstance(it, exp.Literal)), "")


def _decode(text: str, how: Callable[[str], bytes]) -> str:
    if not text:
        return _HIDDEN
    try:
        return how(text).decode("utf-8", "replace")
    except (ValueError, binascii.Error):
        return _HIDDEN


def _name(node: exp.Expr) -> str:
    from sqlglot import exp

    return node.name.lower() if isinstance(node, exp.Anonymous) else ""
