"""A reliability diagram as SVG: how often answers of about the same confidence are right."""

from __future__ import annotations

from collections.abc import Sequence

from agent.evaluation.calibration.calibrating import HeldOut, bins_of
from agent.evaluation.report import wilson

SIDE, LEFT, TOP = 300, 46, 16
_STYLE = "text{font:11px system-ui,sans-serif;fill:#1f2933}.s{fill:#5f6b7a}"


def reliability_diagram(held: Sequence[HeldOut], threshold: float | None) -> str:
    """Share of right answers by confidence, each with its 95 % interval; on the diagonal they are the same.

    Args:
        held: cross-validated probabilities.
        threshold: from which on answers can be verified; drawn where there is one.
    """
    parts = [f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#c8d0da"/>']
    parts.append(_line(0, 0, 1, 1, "#8a94a6", dashed=True))
    for tick in range(0, 11, 2):
        share = tick / 10
        x, y = _at(share, share)
        parts.append(f'<text class="s" x="{x:.1f}" y="{TOP + SIDE + 15}" text-anchor="middle">{share:.1f}</text>')
        parts.append(f'<text class="s" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{share:.1f}</text>')
    if threshold is not None:
        parts.append(_line(threshold, 0, threshold, 1, "#5c8a3a", dashed=True))
        x, _ = _at(threshold, 1)
        parts.append(f'<text x="{x - 4:.1f}" y="{TOP + 12}" text-anchor="end">verified from here</text>')
    for one in bins_of(held):
        low, high = wilson(round(one.right * one.n), one.n) or (0.0, 1.0)
        parts.append(_line(one.confidence, low, one.confidence, high, "#0b6bcb"))
        x, y = _at(one.confidence, one.right)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#0b6bcb"><title>{one.n} answers</title></circle>')
        parts.append(f'<text class="s" x="{x + 6:.1f}" y="{y + 4:.1f}">{one.n}</text>')
    middle = LEFT + SIDE / 2
    parts.append(f'<text x="{middle}" y="{TOP + SIDE + 32}" text-anchor="middle">confidence</text>')
    turned = f"rotate(-90 12 {TOP + SIDE / 2})"
    parts.append(f'<text x="12" y="{TOP + SIDE / 2}" text-anchor="middle" transform="{turned}">share right</text>')
    width, height = LEFT + SIDE + 24, TOP + SIDE + 42
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">'
    title = f"<title>Reliability of confidence over {len(held)} questions</title>"
    body = "\n".join(parts)
    return f'{head}{title}<style>{_STYLE}</style><rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n'


def _at(x: float, y: float) -> tuple[float, float]:
    return LEFT + x * SIDE, TOP + (1 - y) * SIDE


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, *, dashed: bool = False) -> str:
    (from_x, from_y), (to_x, to_y) = _at(x1, y1), _at(x2, y2)
    dash = ' stroke-dasharray="4 4"' if dashed else ""
    ends = f'x1="{from_x:.1f}" y1="{from_y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="1.5"{dash}/>'
