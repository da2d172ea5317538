"""Figures, tables and plots of scripts/bench, from the runs it recorded."""

import benchlib
import benchplot
from benchlib import MIB, figure, interval, median

LEVELS = (1, 2, 4, 6, 9, 19)  # beside the default
PROCESSORS = "(two processors)"
HANDOVERS = 400_000  # by a run of bench-handover
OUTPUTS = {"bulk-json": "--json", "bulk-no-demangle": "--no-demangle"}  # beside plain text with names demangled


class Figures:
    def __init__(self, record):
        self.record = record
        self.inputs = list(record["inputs"])

    def runs(self, name, tool, task):
        return [run for run in self.record["runs"] if (run["input"], run["tool"], run["task"]) == (name, tool, task)]

    def values(self, name, tool, task, key):
        return [run[key] for run in self.runs(name, tool, task)]

    def median(self, name, tool, task, key):
        """A key that holds a list counts as its median."""
        values = self.values(name, tool, task, key)
        return median([median(value) if isinstance(value, list) else value for value in values])

    def ratios(self, name, key, a, b):
        """Of two (tool, task), the ratios of the runs of one pass, which followed each other."""
        below = {(run["round"], run["pass"]): run[key] for run in self.runs(name, *b)}
        return [run[key] / below[run["round"], run["pass"]] for run in self.runs(name, *a)
                if (run["round"], run["pass"]) in below]

    def above_empty(self, name, task):
        """CPU of cold lookups above that of an empty program beside each, in ms."""
        empty = {(run["round"], run["pass"]): run["cpu_s"] for run in self.runs(name, "(an empty program)", "cold")}
        return [1e3 * (run["cpu_s"] - empty[run["round"], run["pass"]]) for run in self.runs(name, "locus", task)]

    def of_fastest(self, name, key):
        """Of one address straight from the ELF file: of what the other tool takes that takes the least CPU."""
        peers = [tool for tool in tools_of(self, "straight") if tool != "locus" and self.runs(name, tool, "straight")]
        if not peers:
            return []
        fastest = min(peers, key=lambda tool: self.median(name, tool, "straight", "cpu_s"))
        return self.ratios(name, key, ("locus", "straight"), (fastest, "straight"))


def tools_of(f, task):
    return list(dict.fromkeys(run["tool"] for run in f.record["runs"] if run["task"] == task))


# ---- Against the targets ----

def convert_ratio(key, a, b):
    return lambda f, name: f.ratios(name, key, a, b)


def least_of_two(state):
    two, one = ("locus", "convert-two" + state), ("locus", "convert-j1" + state)
    return lambda f, name: [ratio / 2 for ratio in f.ratios(name, "wall_s", two, one)]


def plain(task, key, tool="locus"):
    return lambda f, name: f.values(name, tool, task, key)


# Of `-j1`'s wall time.
WALL = {"glibc": 0.75, "vmlinux": 0.56, "ceph-osd": 0.53, "wb_view": 0.56, "libpetsc": 0.65, "Rust": 0.75, "giant unit": 0.6}

# Row: (text, unit, the samples of an input, whose median is the figure, {input: the target}).
TARGETS = [
    ("CPU to convert at `-j1`, of llvm-gsymutil's with one thread", "",
     convert_ratio("cpu_s", ("locus", "convert-j1"), ("llvm-gsymutil", "convert-j1")),
     {"glibc": 0.21, "vmlinux": 0.19, "ceph-osd": 0.26, "wb_view": 0.24, "libpetsc": 0.20, "Rust": 0.30, "giant unit": 0.25}),
    ("wall time at `-j2`, of `-j1`'s", "",
     convert_ratio("wall_s", ("locus", "convert-j2"), ("locus", "convert-j1")), WALL),
    ("the same where processors fall asleep between runs and while they wait", "",
     convert_ratio("wall_s", ("locus", "convert-j2-asleep"), ("locus", "convert-j1-asleep")), WALL),
    ("the least that two processors allow: half the wall time of two at `-j1` at once, of one's", "", least_of_two(""), {}),
    ("the same where they fall asleep", "", least_of_two("-asleep"), {}),
    ("ns that two processors take to hand over a cache line", "",
     lambda f, name: [wall * 1e9 / HANDOVERS for wall in f.values(name, PROCESSORS, "handover", "wall_s")], {}),
    ("peak at `-j2`, MiB, without the pages of mapped files", "", plain("anonymous", "peak_mib"),
     {"glibc": 18, "vmlinux": 90, "ceph-osd": 220, "wb_view": 110, "libpetsc": 45, "Rust": 20, "giant unit": 420}),
    ("bytes, default level", "bytes", plain("bytes", "bytes"),
     {"glibc": 225_573, "vmlinux": 2_702_012, "ceph-osd": 4_992_424}),
    ("one cold lookup, CPU ms above an empty program's", "", lambda f, name: f.above_empty(name, "cold"),
     dict.fromkeys(("glibc", "vmlinux", "ceph-osd", "wb_view", "libpetsc", "Rust", "giant unit"), 0.45)),
    ("the same with `--json`", "", lambda f, name: f.above_empty(name, "cold-json"),
     dict.fromkeys(("glibc", "vmlinux", "ceph-osd", "wb_view", "libpetsc", "Rust", "giant unit"), 0.45)),
    ("one cold lookup straight from the ELF file, CPU of the fastest other tool's", "",
     lambda f, name: f.of_fastest(name, "cpu_s"), {"glibc": 0.5, "vmlinux": 0.8, "ceph-osd": 0.3}),
    ("the same, peak resident", "", lambda f, name: f.of_fastest(name, "peak_mib"), {"ceph-osd": 0.3}),
    ("1.8 million random addresses with `--no-demangle`, CPU s", "", plain("many", "cpu_s"), {"vmlinux": 0.6}),
]


def target_cell(samples, unit, target):
    """A figure with its confidence interval where it comes from several runs, and the target it is held against."""
    if not samples:
        return "–", False
    value = median(samples)
    text = figure(value, unit)
    if len(samples) > 2 and unit != "bytes":
        text += " [%s, %s]" % tuple(figure(end) for end in interval(samples))
    if target is None:
        return text, False
    return text + (f" (≤ {target:,})" if value <= target else f" (**short of {target:,}**)"), value > target


def target_rows(f):
    """Rows for the table, and how many figures fall short."""
    rows, all_short = [], 0
    for text, unit, get, targets in TARGETS:
        cells = [target_cell(get(f, name), unit, targets.get(name)) for name in f.inputs]
        all_short += sum(short for _, short in cells)
        rows.append([text, *(cell for cell, _ in cells)])
    return rows, all_short


# ---- The other tables ----

def input_rows(f):
    facts = [("file, MiB", "file_bytes", MIB), ("DWARF, inflated, MiB", "dwarf_bytes", MIB), ("units", "units", 1),
             ("intervals", "intervals", 1), ("contexts", "contexts", 1), ("functions", "functions", 1),
             ("files", "files", 1), ("name bytes", "name_bytes", 1)]
    yield ["from", *(f.record["inputs"][name]["source"] for name in f.inputs)]
    for text, key, scale in facts:
        values = [f.record["inputs"][name][key] for name in f.inputs]
        yield [text] + ["–" if v is None else figure(v / MIB, "") if scale == MIB else f"{v:,}" for v in values]
    yield ["bytes an interval, default level"] + [
        f"{f.median(n, 'locus', 'bytes', 'bytes') / f.record['inputs'][n]['intervals']:.2f}" for n in f.inputs]


def conversion_rows(f):
    rows = [("locus -j1", "locus", "convert-j1"), ("locus -j2", "locus", "convert-j2"),
            ("llvm-gsymutil, 1 thread", "llvm-gsymutil", "convert-j1")]
    for name in f.inputs:
        for text, tool, task in rows:
            if f.runs(name, tool, task):
                cost = [f.median(name, tool, task, key) for key in ("cpu_s", "wall_s", "peak_mib")]
                yield [f"{name}: {text}", *map(figure, cost), figure(f.median(name, tool, "bytes", "bytes"), "bytes"),
                       len(f.runs(name, tool, task))]


def level_rows(f):
    for name in f.inputs:
        default = f.median(name, "locus", "bytes", "bytes")
        for level in LEVELS:
            size = f.median(name, "locus", f"bytes-{level}", "bytes")
            if size is not None:
                ratio = median(f.ratios(name, "cpu_s", ("locus", f"convert-{level}"), ("locus", "convert-default")))
                yield [f"{name}: --level={level}", figure(ratio), figure(size, "bytes"), f"{100 * (size / default - 1):+.2f} %"]


def lookup_rows(f):
    def row(text, tool, task, key="cpu_s", scale=1):
        values = [f.median(name, tool, task, key) for name in f.inputs]
        return [text, *(figure(None if value is None else value * scale) for value in values)]

    for tool in tools_of(f, "cold"):
        yield row(f"one address, cold, CPU ms: {tool}", tool, "cold", scale=1e3)
    yield row("one address, cold, CPU ms: locus --json", "locus", "cold-json", scale=1e3)
    for tool in tools_of(f, "straight"):
        yield row(f"one address straight from the ELF file, CPU ms: {tool}", tool, "straight", scale=1e3)
        yield row(f"the same, peak resident MiB: {tool}", tool, "straight", "peak_mib")
    for tool in tools_of(f, "bulk"):
        yield row(f"100,000 random addresses, CPU s: {tool}", tool, "bulk")
    for task, option in OUTPUTS.items():
        yield row(f"100,000 random addresses, CPU s: locus {option}", "locus", task)
    for tool in tools_of(f, "bulk-slow"):
        yield row(f"1,000 random addresses, CPU s: {tool}", tool, "bulk-slow")
    for tool in tools_of(f, "many"):
        yield row(f"1.8 million random addresses, --no-demangle, CPU s: {tool}", tool, "many")
    for text, key in [("first pass, nothing decoded yet", "first_ns"), ("once warm, all frames", "lookup_ns"),
                      ("once warm, all frames, two threads (wall)", "threads_ns"),
                      ("once warm, all frames, in address order", "sorted_ns"),
                      ("once warm, the interval alone", "find_ns")]:
        yield row(f"in process, ns a lookup: {text}", "locus", "in-process", key)


def report(records):
    """The tables as Markdown, of the first record; the targets of all of them."""
    text = []
    for record in records:
        f = Figures(record)
        rows, short = target_rows(f)
        text += ["### Against the targets\n", benchlib.machine_text(record) + f"Rounds: {record['rounds']}.\n",
                 benchlib.table(["", *f.inputs], rows), f"Figures that fall short of their target: {short or 'none'}.\n"]
    f = Figures(records[0])
    return "\n".join([
        *text,
        "### The inputs\n", benchlib.table(["", *f.inputs], input_rows(f)),
        "### Conversion\n", benchlib.table(["", "CPU s", "wall s", "peak MiB", "bytes", "runs"], conversion_rows(f)),
        "### Levels\n", benchlib.table(["", "CPU, of the default's", "bytes", "against the default"], level_rows(f)),
        "### Lookup\n", benchlib.table(["", *f.inputs], lookup_rows(f))])


def render(records):
    f = Figures(records[0])
    benchlib.PLOTS.mkdir(exist_ok=True)
    (benchlib.PLOTS / "conversion.svg").write_text(conversion_plot(f))
    (benchlib.PLOTS / "lookup.svg").write_text(lookup_plot(f))
    benchlib.write_part("bench", report(records))


# ---- Plots ----

def conversion_plot(f):
    measures = [("CPU", "convert-j1", "cpu_s", "s"), ("peak resident memory", "convert-j1", "peak_mib", "MiB"),
                ("bytes written", "bytes", "bytes", "MB")]
    panels = []
    for title, task, key, unit in measures:
        groups = []
        for name in f.inputs:
            bars = []
            for tool in ("locus", "llvm-gsymutil"):
                value = f.median(name, tool, task, key)
                if value is not None:
                    value = value / 1e6 if unit == "MB" else value
                    bars.append((tool, value, figure(value, unit)))
            groups.append((name, bars))
        panels.append((title, groups))
    return benchplot.bars("Converting: locus beside llvm-gsymutil, one thread; each input's longest bar fills its row",
                          panels)


def lookup_plot(f):
    panels = []
    for title, task, count in (("one address, cold process: CPU", "cold", 1),
                               ("100,000 random addresses: CPU an address", "bulk", 100_000)):
        rows = []
        for tool in tools_of(f, task):
            points = []
            for name in f.inputs:
                seconds = f.median(name, tool, task, "cpu_s")
                if seconds is not None:
                    points.append((name, seconds / count, benchplot.duration(seconds / count)))
            rows.append((tool, points))
        panels.append((title, rows))
    return benchplot.dots("Looking up", panels, f.inputs)
