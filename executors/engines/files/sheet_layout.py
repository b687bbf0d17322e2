"""The layout around the data of a sheet: a header of two rows, and a last row with totals."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

_HEAD = 12  # rows in which the header is looked for
_FEWEST = 2  # rows that are summed up
_SEVERAL = 2  # columns whose sums are no coincidence
_TOTAL = re.compile(
    r"(?i)\W*(?:grand |sub-?)?(?:total[es]?|totaux|sums?|summen?|gesamt\w*|insgesamt|somm[ea]|suma)\b.*"
    r"|(?:합계|총계|总计|合计).*"
)


class SheetLayout:
    """Told each row of a sheet that holds anything, from the first to the last."""

    def __init__(self) -> None:
        self._head: list[Sequence[Any]] = []
        self._last: Sequence[Any] = ()
        self._rows = 0  # with numbers, before the last
        self._sums: dict[int, float] = {}
        self._filled: dict[int, int] = {}

    def add(self, cells: Sequence[Any]) -> None:
        """The next row, its cells as the workbook has them."""
        if any(map(_is_number, self._last)):
            self._rows += 1
            for at, cell in enumerate(self._last):
                if _is_filled(cell):
                    self._filled[at] = self._filled.get(at, 0) + 1
                if _is_number(cell):
                    self._sums[at] = self._sums.get(at, 0.0) + float(cell)
        self._last = cells
        if len(self._head) < _HEAD:
            self._head.append(cells)

    @property
    def has_totals(self) -> bool:
        """Whether every number of the last row is the sum of those above it, and something else shows it too.

        That is a second column of sums, a column that every other row fills, or its label.
        """
        numbers = {at: float(cell) for at, cell in enumerate(self._last) if _is_number(cell)}
        if self._rows < _FEWEST or not numbers or not any(numbers.values()):
            return False
        if not all(at in self._sums and _is_sum(value, self._sums[at]) for at, value in numbers.items()):
            return False
        texts = [cell for cell in self._last if isinstance(cell, str) and cell.strip()]
        if len(texts) > 1:
            return False
        empty = any(
            count == self._rows and not (at < len(self._last) and _is_filled(self._last[at]))
            for at, count in self._filled.items()
        )
        shown = (empty or len(numbers) >= _SEVERAL) and self._rows > _FEWEST  # 3 is 1 + 2 in any table of three rows
        return shown or any(map(_TOTAL.fullmatch, texts))

    def find_joined_header(self) -> tuple[int, list[str]] | None:
        """The place of the first of two rows that are the header together, and the names that they make.

        The upper one has names for several columns, which stand over the first of them; the lower one repeats names,
        or leaves some to the upper one. Numbers follow below.
        """
        for place in range(len(self._head) - 2):
            upper, lower, below = self._head[place : place + 3]
            if sum(map(_is_filled, upper)) < _SEVERAL:
                continue  # a title
            width = max(len(upper), len(lower))
            tops, subs = (_pad_row(row, width) for row in (upper, lower))
            if not (_are_names(upper) and _are_names(lower)) or len(below) > width:
                return None
            names, over = list[str](), ""
            for top, sub in zip(tops, subs, strict=True):
                over = top or over
                names.append(" ".join(filter(None, (over if sub else top, sub))))
            repeats = len({it.casefold() for it in subs if it}) < sum(map(bool, subs)) or not all(subs)
            spans = any(sub and not top for top, sub in zip(tops, subs, strict=True))
            counted = any(_is_number(cell) and subs[at] for at, cell in enumerate(below))
            unique = len({it.casefold() for it in names}) == len(names)
            return (place, names) if repeats and spans and counted and unique and all(names) else None
        return None


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float) and not isinstance(cell, bool)


def _is_filled(cell: Any) -> bool:
    return cell is not None and str(cell).strip() != ""


def _is_sum(value: float, total: float) -> bool:
    return math.isclose(value, total, rel_tol=1e-9, abs_tol=0.005)


def _are_names(row: Sequence[Any]) -> bool:
    return all(isinstance(cell, str) for cell in row if _is_filled(cell))


def _pad_row(row: Sequence[Any], width: int) -> list[str]:
    cells = [" ".join(str(cell).split()) if _is_filled(cell) else "" for cell in row]
    return [*cells, *[""] * (width - len(cells))]
