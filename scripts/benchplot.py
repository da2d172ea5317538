"""Draws the plots of spec/BENCHMARKS.md: SVG, written by hand."""

import math
from xml.sax.saxutils import escape

INK, FAINT, GRID, PAPER = "#1f2933", "#66727f", "#e3e8ed", "#ffffff"
OURS, THEIRS = "#0f7b8a", "#b8c2cc"
SERIES = ["#0f7b8a", "#d9822b", "#6b4fa0", "#4b8b3b", "#b23a48", "#66727f", "#c2a000", "#3d6fd1", "#8a5a3c"]
FONT = "font-family=\"'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif\""


class Drawing:
    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [f'<rect width="{width}" height="{height}" fill="{PAPER}"/>']
        self.title = title
        self.text(24, 34, title, size=17, weight=600)

    def add(self, part):
        self.parts.append(part)

    def text(self, x, y, text, size=12, color=INK, anchor="start", weight=400):
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{color}" text-anchor="{anchor}" '
                 f'font-weight="{weight}">{escape(text)}</text>')

    def line(self, x1, y1, x2, y2, color=GRID, width=1, dash=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
                 f'stroke-width="{width}"{dashes}/>')

    def bar(self, x, y, width, height, color):
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" rx="2" fill="{color}"/>')

    def dot(self, x, y, color, radius=5.0, opacity=1.0):
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{color}" fill-opacity="{opacity}" '
                 f'stroke="{PAPER}" stroke-width="1"/>')

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
                f'viewBox="0 0 {self.width} {self.height}" role="img" {FONT}>\n'
                f"<title>{escape(self.title)}</title>\n" + "\n".join(self.parts) + "\n</svg>\n")


def duration(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= scale * 0.9995:
            value = seconds / scale
            return f"{value:.{0 if value >= 99.5 else 1 if value >= 9.95 else 2}f} {unit}"
    return f"{seconds / 1e-9:.2f} ns"


def bars(title, panels):
    """panels: (title, groups); a group: (name, bars); a bar: (label, value, text). The first bar of a group is ours."""
    panel_width, label_width, height = 330, 66, 16
    rows = max(len(groups) for _, groups in panels)
    tall = max(len(group) for _, groups in panels for _, group in groups) * (height + 4) + 16
    drawing = Drawing(24 + panel_width * len(panels) + 4, 112 + rows * tall, title)
    labels = [label for label, _, _ in panels[0][1][0][1]]
    x = 24
    for label, color in zip(labels, (OURS, THEIRS)):
        drawing.bar(x, 50, 12, 12, color)
        drawing.text(x + 18, 60, label, size=12, color=FAINT)
        x += 40 + 7 * len(label)
    for number, (panel, groups) in enumerate(panels):
        left = 24 + panel_width * number
        drawing.text(left, 92, panel, size=13, weight=600)
        room = panel_width - label_width - 100
        for row, (name, group) in enumerate(groups):
            top = 106 + row * tall
            longest = max((value for _, value, _ in group), default=1) or 1
            drawing.text(left + label_width - 8, top + tall / 2 - 4, name, color=FAINT, anchor="end")
            for index, (_, value, text) in enumerate(group):
                y = top + index * (height + 4)
                length = room * value / longest
                drawing.bar(left + label_width, y, length, height, OURS if index == 0 else THEIRS)
                share = f" ({100 * value / longest:.0f} %)" if index == 0 and len(group) > 1 else ""
                drawing.text(left + label_width + length + 6, y + 12.5, text + share,
                             weight=600 if index == 0 else 400)
    return drawing.svg()


def dots(title, panels, names):
    """panels: (title, rows); a row: (label, points); a point: (name, seconds, text). Logarithmic, in time."""
    panel_width, label_width, row_height = 500, 130, 34
    rows = max(len(rows) for _, rows in panels)
    drawing = Drawing(24 + panel_width * len(panels), 134 + rows * row_height, title)
    x = 24
    color_of = dict(zip(names, SERIES))
    for name in names:
        drawing.dot(x + 5, 56, color_of[name])
        drawing.text(x + 16, 60, name, color=FAINT)
        x += 40 + 7 * len(name)
    for number, (panel, rows_here) in enumerate(panels):
        left, top = 24 + panel_width * number, 106
        drawing.text(left, 90, panel, size=13, weight=600)
        values = [seconds for _, points in rows_here for _, seconds, _ in points]
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        start, room = left + label_width, panel_width - label_width - 40
        bottom = top + len(rows_here) * row_height

        def place(seconds):
            return start + room * (math.log10(seconds) - low) / (high - low)

        for power in range(low, high + 1):
            drawing.line(place(10 ** power), top, place(10 ** power), bottom)
            drawing.text(place(10 ** power), bottom + 16, tick(10 ** power), size=11, color=FAINT, anchor="middle")
        for row, (label, points) in enumerate(rows_here):
            y = top + (row + 0.5) * row_height
            ours = label.startswith("locus")
            drawing.text(start - 12, y + 4, label, anchor="end", color=INK if ours else FAINT, weight=600 if ours else 400)
            if len(points) > 1:
                drawing.line(min(place(s) for _, s, _ in points), y, max(place(s) for _, s, _ in points), y, THEIRS, 2)
            for name, seconds, _ in points:
                drawing.dot(place(seconds), y, color_of[name])
            slowest = max(points, key=lambda point: point[1])
            drawing.text(place(slowest[1]) + 9, y + 4, slowest[2], size=11, color=FAINT)
    return drawing.svg()


def tick(seconds):
    return duration(seconds).replace(".00 ", " ").replace(".0 ", " ")


def round_up(value):
    """The next 1, 2, 2.5 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= value * 0.999)


def scale(title, panels, families, x_label):
    """
    panels: (title, points, lines); a point: (family, x, y). Above, both axes linear; below, logarithmic. lines: for each
    of the two, a function from x to y and what to say of it.
    """
    width, height, gap = 330, 206, 76
    drawing = Drawing(30 + width * len(panels), 112 + 2 * (height + gap), title)
    color_of = dict(zip(families, SERIES))
    x = 24
    for family in families:
        drawing.dot(x + 5, 56, color_of[family])
        drawing.text(x + 16, 60, family, color=FAINT)
        x += 40 + 7 * len(family)
    for number, (panel, points, lines) in enumerate(panels):
        left = 24 + width * number
        drawing.text(left, 92, panel, size=13, weight=600)
        for row, (function, text) in enumerate(lines):
            top = 122 + row * (height + gap)
            drawing.text(left, top - 12, text, size=11, color=FAINT)
            scatter(drawing, (left + 44, top, width - 78, height), points, function, color_of, row == 1, x_label)
    return drawing.svg()


def scatter(drawing, box, points, function, color_of, logarithmic, x_label):
    left, top, width, height = box
    xs, ys = [x for _, x, _ in points], [y for _, _, y in points]
    if logarithmic:
        (x_low, x_high, x_ticks), (y_low, y_high, y_ticks) = decades(xs), decades(ys)
    else:
        (x_low, x_high, x_ticks), (y_low, y_high, y_ticks) = steps(xs), steps(ys)

    def part(value, low, high):
        if logarithmic:
            return math.log(value / low) / math.log(high / low)
        return (value - low) / (high - low)

    def place(x, y):
        return left + width * part(x, x_low, x_high), top + height * (1 - part(y, y_low, y_high))

    for value in x_ticks:
        x, _ = place(value, y_high)
        drawing.line(x, top, x, top + height)
        drawing.text(x, top + height + 15, f"{value:,g}", size=10.5, color=FAINT, anchor="middle")
    for value in y_ticks:
        _, y = place(x_high, value)
        drawing.line(left, y, left + width, y)
        drawing.text(left - 6, y + 4, f"{value:,g}", size=10.5, color=FAINT, anchor="end")
    drawing.text(left + width / 2, top + height + 30, x_label + (", logarithmic" if logarithmic else ""), size=10.5,
                 color=FAINT, anchor="middle")
    path = []
    for step in range(101):
        x = x_low * (x_high / x_low) ** (step / 100) if logarithmic else x_high * step / 100
        y = function(x)
        if y_low <= y <= y_high:
            path.append("%.1f,%.1f" % place(x, y))
    drawing.add(f'<polyline points="{" ".join(path)}" fill="none" stroke="{INK}" stroke-width="1.2" stroke-opacity="0.7"/>')
    for family, x, y in points:
        drawing.dot(*place(x, y), color_of[family], radius=3.6, opacity=0.85)


def steps(values):
    """An axis from 0: lowest, highest, ticks."""
    step = round_up(max(values) / 5)
    count = math.ceil(max(values) / step)
    return 0, step * count, [step * i for i in range(count + 1)]


def decades(values):
    """A logarithmic axis, with ticks at the powers of ten."""
    low, high = 10.0 ** math.floor(math.log10(min(values)) + 1e-9), round_up(max(values))
    return low, high, [10.0 ** p for p in range(round(math.log10(low)), math.floor(math.log10(high) + 1e-9) + 1)]
