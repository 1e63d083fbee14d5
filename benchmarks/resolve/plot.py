"""The reliability plot as SVG: what the confidence said against how often it was right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

SIDE = 260
MARGIN = 40
COLOURS = ("#1f77b4", "#d62728", "#2ca02c")
LEAST_RADIUS, MOST_RADIUS = 2.5, 9.0


def _place(said: float, was: float) -> tuple[float, float]:
    return MARGIN + said * SIDE, MARGIN + (1 - was) * SIDE


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{text}</text>'


def svg(tables: Mapping[str, Sequence[Mapping[str, float]]]) -> str:
    """Return the plot of several sets of cases; a dot is a bin, its area the cases in it."""
    size = SIDE + 2 * MARGIN
    low, high = MARGIN, MARGIN + SIDE
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 110} {size}" '
        f'width="{size + 110}" height="{size}" font-family="sans-serif" font-size="11">',
        f'<rect width="{size + 110}" height="{size}" fill="white"/>',
        f'<rect x="{low}" y="{low}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#999"/>',
        f'<path d="M{low} {high}L{high} {low}" stroke="#999" stroke-dasharray="4 4"/>',
        _text(low + SIDE / 2, size - 8, "confidence"),
        _text(12, low - 14, "share that was right", "start"),
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = _place(tick, tick)
        out += [_text(x, high + 15, f"{tick:g}"), _text(low - 5, y + 4, f"{tick:g}", "end")]
    for number, (name, rows) in enumerate(tables.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = [_place(row["said"], row["was"]) for row in rows]
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        out.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        most = max(row["n"] for row in rows)
        for (x, y), row in zip(points, rows, strict=True):
            radius = max(LEAST_RADIUS, MOST_RADIUS * (row["n"] / most) ** 0.5)
            out.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}" '
                f'fill-opacity="0.6"><title>{name}: {row["n"]:.0f} cases</title></circle>'
            )
        y = low + 12 + 16 * number
        out.append(f'<rect x="{high + 12}" y="{y - 8}" width="9" height="9" fill="{colour}"/>')
        out.append(_text(high + 26, y, name, "start"))
    return "\n".join([*out, "</svg>"]) + "\n"
