"""Finds addresses in a text, in every form that a page might follow, and those that a query would assemble."""

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
    re.compile(rf"\b{_SCHEMES}:/*(?=[\w\[/%+]){_END}+"),  # `http:host` is one, too
    re.compile(rf"(?<![:\w/])//(?=[\w\[%]){_END}+"),  # of the page's own scheme
    re.compile(rf"\bwww\.{_END}+"),
    re.compile(rf"(?<![\w@.-])(?:[a-z0-9-]+\.)+[a-z]{{2,24}}(?::\d+)?(?:[/?#]{_END}+|/(?=\s|$))"),  # a host and more
    re.compile(rf"(?<![\w.])(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?::\d+)?/(?!\d{{1,2}}\b){_END}*"),  # and no network
    re.compile(r"<([a-z][a-z0-9+.-]{1,31}:[^\s<>]+)>"),  # Markdown's own, of any scheme
    re.compile(r"\]\(\s*<?\s*([^\s)>]+)"),  # Markdown's links and images, whatever they point to
    # and references
    re.compile(r"^[ \t>*+-]*\[[^\]\n]+\]:\s*<?\s*([^\s>]*(?:[/:]|[a-z]\.[a-z])[^\s>]*)", re.MULTILINE),
    re.compile(r"\b(?:src|srcset|href|action|poster|background|formaction)\s*=\s*[\"']?\s*([^\s\"'>]+)"),
    re.compile(r"\burl\(\s*[\"']?\s*([^\s\"')]+)"),
)
# The two halves of an address, which a query may put together where this does not see it.
_HALVES = re.compile(rf"\b{_SCHEMES}:/{{0,2}}\s*$|^\s*[a-z]{{0,5}}:?//|://")
_GAP = re.compile(r"%(?:\d+\$)?[-\d.]*[a-zA-Z]|\{[^{}]*\}")  # of a format
_DOTS = dict.fromkeys((0x3002, 0xFF0E, 0xFF61), ".")  # of a host's name, to a browser
_HIDDEN = "\x00"  # a value of a row
# Functions whose texts are looked for, and never given.
_LOOKING = ("split_part", "instr", "strpos", "charindex", "locate", "parse_url")


def normal(text: str) -> str:
    """A text as a page would read it: no invisible letters, one kind of slash, plain letters, lower case."""
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
    """The texts and column names that a query itself builds for its rows, with a sign for each value of a row."""
    from sqlglot import exp

    for select in tree.find_all(exp.Select):
        for item in select.expressions:
            yield _text(item)
            yield item.alias
    for values in tree.find_all(exp.Values):
        for row in values.expressions:
            yield from map(_text, row.expressions if isinstance(row, exp.Tuple) else [row])


def is_address(text: str) -> bool:
    """Whether a text that a query makes is one, or half of one."""
    read = normal(text).replace(_HIDDEN, "x")
    return bool(_HALVES.search(read)) or any(True for _ in addresses(read))


def _text(node: exp.Expr) -> str:
    """What an expression gives, in pieces that are put side by side. Comparisons and patterns give none."""
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
    """What a function gives, of the texts that it gets; of one that is not known, these texts."""
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
    """A format with its arguments in place of its gaps; those that it has no gap for follow."""
    rest = iter(parts[1:])
    text = _GAP.sub(lambda gap: next(rest, gap[0]), parts[0]) if parts else ""
    return text + "".join(rest)


def _changes(old: str, new: str) -> dict[int, str]:
    """What `str.translate` wants: each letter's other one; those without one go."""
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
