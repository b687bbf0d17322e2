"""Charts as SVG, in a few lines each: bars side by side, and curves on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 330, 190  # of one chart
_LEFT, _TOP, _ROW = 116, 34, 28
_COLOURS = ("#0b6bcb", "#8a94a6", "#c4841d", "#5c8a3a", "#a23e8c", "#b3412f")
_STYLE = (
    "text{font:11px system-ui,sans-serif;fill:#1f2933}.t{font-weight:600;font-size:12px}.s{fill:#5f6b7a}"
    ".h{font-weight:600;font-size:14px}"
)


def bars(title: str, names: Sequence[str], values: Sequence[float]) -> str:
    """One bar for each name; the first is the one that the others are compared with."""
    most = max([*values, 1e-9])
    room = WIDTH - _LEFT - 62
    parts = [f'<text class="t" x="8" y="18">{escape(title)}</text>']
    for at, (name, value) in enumerate(zip(names, values, strict=True)):
        y = _TOP + at * _ROW
        colour = _COLOURS[0] if at == 0 else _COLOURS[1]
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 14}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect x="{_LEFT}" y="{y}" width="{room * value / most:.1f}" height="19" fill="{colour}"/>')
        parts.append(f'<text class="s" x="{_LEFT + room * value / most + 5:.1f}" y="{y + 14}">{number(value)}</text>')
    return "".join(parts)


def curves(title: str, x_name: str, y_name: str, lines: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Lines through points on logarithmic axes. Args: lines: by name, points of positive numbers."""
    points = [point for line in lines.values() for point in line]
    x_scale = _Scale([x for x, _ in points], 52, WIDTH - 16)
    y_scale = _Scale([y for _, y in points], HEIGHT - 34, _TOP)
    parts = [f'<text class="t" x="8" y="18">{escape(title)}</text>']
    for tick in x_scale.ticks():
        x = x_scale(tick)
        parts.append(f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{HEIGHT - 34}" stroke="#e3e8ef"/>')
        parts.append(f'<text class="s" x="{x:.1f}" y="{HEIGHT - 20}" text-anchor="middle">{number(tick)}</text>')
    for tick in y_scale.ticks():
        y = y_scale(tick)
        parts.append(f'<line x1="52" y1="{y:.1f}" x2="{WIDTH - 16}" y2="{y:.1f}" stroke="#e3e8ef"/>')
        parts.append(f'<text class="s" x="47" y="{y + 4:.1f}" text-anchor="end">{number(tick)}</text>')
    parts.append(f'<text class="s" x="{WIDTH - 16}" y="{HEIGHT - 6}" text-anchor="end">{escape(x_name)}</text>')
    parts.append(f'<text class="s" x="8" y="{HEIGHT - 6}">{escape(y_name)}</text>')
    for colour, (name, line) in zip(_COLOURS, lines.items(), strict=False):
        path = " ".join(f"{x_scale(x):.1f},{y_scale(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x_scale(x):.1f}" cy="{y_scale(y):.1f}" r="3" fill="{colour}"/>' for x, y in line]
        last_x, last_y = line[-1]
        parts.append(
            f'<text x="{x_scale(last_x) - 4:.1f}" y="{y_scale(last_y) - 7:.1f}" text-anchor="end" fill="{colour}">'
            f"{escape(name)}</text>"
        )
    return "".join(parts)


def page(title: str, charts: Sequence[str], across: int) -> str:
    """The charts as one picture, so many beside each other."""
    down = math.ceil(len(charts) / across)
    width, height = WIDTH * across, HEIGHT * down + 30
    placed = [
        f'<g transform="translate({at % across * WIDTH},{at // across * HEIGHT + 30})">{chart}</g>'
        for at, chart in enumerate(charts)
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escape(title)}"><style>{_STYLE}</style>'
        f'<rect width="{width}" height="{height}" fill="#fff"/><text class="h" x="8" y="20">{escape(title)}</text>'
    )
    return head + "".join(placed) + "</svg>\n"


def number(value: float) -> str:
    """A number as short as it can be told."""
    for limit, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit * 10 or (value >= limit and value % limit == 0):
            return f"{value / limit:g}{sign}" if value % limit == 0 else f"{value / limit:.0f}{sign}"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


class _Scale:
    """A logarithmic axis from one place to another."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        low, high = math.log10(min(values)), math.log10(max(values))
        self._low, self._high = (low - 0.3, high + 0.3) if high - low < 0.3 else (low, high)
        self._start, self._end = start, end

    def __call__(self, value: float) -> float:
        share = (math.log10(value) - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)

    def ticks(self) -> list[float]:
        """Powers of ten within; where there is none but one, also its halves and doubles."""
        powers = [10.0**n for n in range(math.ceil(self._low - 1e-9), math.floor(self._high + 1e-9) + 1)]
        if len(powers) > 1:
            return powers
        near = [n * 10.0**p for p in range(math.floor(self._low), math.ceil(self._high) + 1) for n in (1, 2, 5)]
        return [it for it in near if self._low <= math.log10(it) <= self._high]
