"""Tables and plots of the measurements in this folder, in one style: that of the pages of clinch.

A table is a head and rows of texts and numbers. A plot has series: a name, a remark (or ""), points and whether they are connected.
"""

import html
import math
import os

STYLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "crates", "reports", "src", "html", "page.css")
# As in crates/reports/src/document/plot.rs.
COLORS = ["#1f6fb4", "#c0392b", "#2e8b57", "#8e44ad", "#d98200", "#555555", "#17a2b8"]


def markdown(head, rows):
    """A table in Markdown, as lines."""
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]


def page(title, parts):
    """A page that needs nothing else. A part is a paragraph, (title, head, rows) or (caption, picture)."""
    with open(STYLE, encoding="utf-8") as style:
        css = style.read()
    out = [
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title><style>{css}</style></head>',
        f"<body><header><h1>{html.escape(title)}</h1></header><main>",
    ]
    for part in parts:
        if isinstance(part, str):
            out.append(f"<p>{html.escape(part)}</p>")
        elif len(part) == 2:
            out.append(f'<figure class="plot">{part[1]}<figcaption>{html.escape(part[0])}</figcaption></figure>')
        else:
            out.append(section(*part))
    return "\n".join(out) + "\n</main></body></html>\n"


def section(title, head, rows):
    lines = [f'<section><h2>{html.escape(title)}</h2><div class="scroll"><table><thead><tr>']
    lines += [f'<th scope="col">{html.escape(name)}</th>' for name in head]
    lines.append("</tr></thead><tbody>")
    for row in rows:
        cells = [html.escape(str(cell).strip("*")) for cell in row]
        # The first column has names.
        lines.append(f"<tr><td>{cells[0]}</td>" + "".join(f'<td class="number">{cell}</td>' for cell in cells[1:]) + "</tr>")
    return "\n".join(lines) + "</tbody></table></div></section>"


class Axis:
    def __init__(self, label, values, start, length, log=False, span=None, form="{:g}"):
        self.label, self.start, self.length, self.log, self.form = label, start, length, log, form
        low, high = span or (min(values), max(values))
        if log and not span:
            low, high = 10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high))
        self.low, self.high = low, high if high > low else low + 1

    def at(self, value):
        value = min(max(value, self.low), self.high)
        if self.log:
            part = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            part = (value - self.low) / (self.high - self.low)
        return self.start + self.length * part

    def ticks(self):
        if not self.log:
            return [self.low + (self.high - self.low) * i / 4 for i in range(5)]
        powers = [10.0**e for e in range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)]
        return [tick for tick in powers if self.low <= tick <= self.high]


def plot(x, y, series, diagonal=False):
    """A picture: x and y are pairs of a label and options of their axes; with a diagonal, both axes measure the same."""
    size, left, top, bottom, right = (640, 380), 60, 20, 50, 210
    width, height = size[0] - left - right, size[1] - top - bottom
    series = [one for one in series if one[2]]
    points = [point for _, _, some, _ in series for point in some]
    if not points:
        return ""
    across = Axis(x[0], [p[0] for p in points], left, width, **x[1])
    up = Axis(y[0], [p[1] for p in points], size[1] - bottom, -height, **y[1])
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" width="{size[0]}" font-family="sans-serif" font-size="12">',
        f'<rect width="{size[0]}" height="{size[1]}" fill="white"/>',
    ]
    for tick in up.ticks():
        at = up.at(tick)
        out.append(f'<line x1="{left}" y1="{at:.1f}" x2="{left + width}" y2="{at:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{at + 4:.0f}" text-anchor="end">{up.form.format(tick)}</text>')
    for tick in across.ticks():
        at = across.at(tick)
        out.append(f'<line x1="{at:.1f}" y1="{top}" x2="{at:.1f}" y2="{top + height}" stroke="#ddd"/>')
        out.append(f'<text x="{at:.0f}" y="{top + height + 16}" text-anchor="middle">{across.form.format(tick)}</text>')
    if diagonal:
        out.append(f'<line x1="{left}" y1="{top + height}" x2="{left + width}" y2="{top}" stroke="#bbb"/>')
    out += [
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>',
        f'<text x="{left + width / 2}" y="{size[1] - 12}" text-anchor="middle">{html.escape(across.label)}</text>',
        f'<text x="14" y="{top + height / 2}" text-anchor="middle" transform="rotate(-90 14 {top + height / 2})">{html.escape(up.label)}</text>',
    ]
    for i, (name, remark, some, connected) in enumerate(series):
        color, places = COLORS[i % len(COLORS)], [(across.at(a), up.at(b)) for a, b in some]
        if connected:
            line = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
            out.append(f'<polyline points="{line}" fill="none" stroke="{color}"/>')
        out += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{color}" fill-opacity="0.75"/>' for a, b in places]
        at = top + 14 + 34 * i
        out.append(f'<circle cx="{left + width + 16}" cy="{at - 4}" r="3" fill="{color}"/>')
        out.append(f'<text x="{left + width + 24}" y="{at}">{html.escape(name)}</text>')
        out.append(f'<text x="{left + width + 24}" y="{at + 14}" fill="#666">{html.escape(remark)}</text>')
    return "\n".join(out) + "\n</svg>\n"
