"""What the benchmarks share: ELF sections, measured runs, the document."""

import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "spec/BENCHMARKS.md"
PLOTS = ROOT / "spec/plots"
MIB = 1 << 20

SHT_NOBITS = 8
SHF_EXECINSTR = 0x4
SHF_COMPRESSED = 0x800


def note(text):
    print("bench: " + text, file=sys.stderr, flush=True)


def output_of(command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


# ---- ELF: just enough to count DWARF and choose addresses ----

class Section:
    def __init__(self, name, kind, flags, addr, size, raw_size):
        self.name, self.kind, self.flags = name, kind, flags
        self.addr, self.size = addr, size  # size: in the file
        self.raw_size = raw_size           # as inflated


def sections(path):
    """The sections of a 64-bit little-endian ELF file; [] for anything else."""
    with open(path, "rb") as file:
        head = file.read(64)
        if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
            return []
        offset, = struct.unpack_from("<Q", head, 40)
        size, count, names = struct.unpack_from("<3H", head, 58)
        file.seek(offset)
        table = [struct.unpack_from("<2I4Q", file.read(size)) for _ in range(count)]
        if names >= len(table):
            return []
        file.seek(table[names][4])
        strings = file.read(table[names][5])
        found = []
        for name, kind, flags, addr, at, length in table:
            raw_size = length
            if flags & SHF_COMPRESSED:
                file.seek(at + 8)
                raw_size, = struct.unpack("<Q", file.read(8))
            text = strings[name:strings.find(b"\0", name)].decode()
            found.append(Section(text, kind, flags, addr, length, raw_size))
        return found


def dwarf_size(path):
    """Bytes of DWARF, inflated."""
    return sum(s.raw_size for s in sections(path) if s.name.startswith(".debug_") and s.kind != SHT_NOBITS)


def random_addresses(path, count, seed=1):
    """Addresses spread evenly over the executable sections."""
    spans = [(s.addr, s.size) for s in sections(path) if s.flags & SHF_EXECINSTR and s.size]
    chosen = random.Random(seed)
    starts = chosen.choices([a for a, _ in spans], [n for _, n in spans], k=count)
    size_of = dict(spans)
    return [start + chosen.randrange(size_of[start]) for start in starts]


# ---- Measuring ----

class Tools:
    """The programs: locus and the helpers, built into `build`; the peers, where they are installed."""

    PEERS = {"llvm-gsymutil": "llvm-gsymutil-19", "llvm-symbolizer": "llvm-symbolizer-19",
             "eu-addr2line": "eu-addr2line", "addr2line": "addr2line"}
    PACKAGE = {"llvm-gsymutil": "llvm-19", "llvm-symbolizer": "llvm-19", "eu-addr2line": "elfutils",
               "addr2line": "binutils"}

    def __init__(self, build):
        self.build = pathlib.Path(build)
        self.work = self.build / "bench"
        self.work.mkdir(parents=True, exist_ok=True)
        self.locus = self.installed()
        self.peers, self.failed = {}, set()  # failed: commands without their last argument, noted once
        for name, program in self.PEERS.items():
            if shutil.which(program):
                self.peers[name] = program
            else:
                note(f"{program} is not installed (package {self.PACKAGE[name]}): left out")
        self.runner = self.compile("bench-run")
        self.lookup = self.compile("bench-lookup")
        self.hand_over = self.compile("bench-handover")
        self.peaks = {}  # by command: MiB that its last run took, all copies together
        self.wake()

    def wake(self):
        """Keeps the processors awake as long as the device is open: a latency of 0 µs lets none of them sleep. To the
        scheduler, one that has nothing to do is still idle."""
        try:
            self.awake = open("/dev/cpu_dma_latency", "wb", buffering=0)
            self.awake.write(struct.pack("i", 0))
        except OSError as error:
            self.awake = None
            note(f"processors may fall asleep throughout: {error}")

    def sleep(self):
        """Lets the processors fall asleep where they have nothing to do."""
        if self.awake:
            self.awake.close()

    @contextlib.contextmanager
    def asleep(self):
        self.sleep()
        try:
            yield
        finally:
            self.wake()

    def installed(self):
        """A copy of the command and its libraries, written in one go as an installer does: of what a linker wrote bit by bit
        the kernel maps smaller pieces, and to start it takes a tenth of a millisecond more."""
        folder = self.work / "installed"
        folder.mkdir(exist_ok=True)
        for program in (self.build / "locus", self.build / "locus-full", *self.build.glob("liblocus-*.so")):
            if program.exists():
                shutil.copy(program, folder)
        return str(folder / "locus")

    def compile(self, name):
        program = self.work / name
        # The helpers see the library as its users do: by its header and archive.
        subprocess.run([os.environ.get("CC", "gcc"), "-O2", "-pthread", f"-I{ROOT}", "-o", program,
                        ROOT / f"scripts/{name}.c", self.build / "liblocus.a", "-lzstd"], check=True)
        return str(program)

    def run(self, command, count=1, stdin="/dev/null", processors=0, anonymous=False, copies=1):
        """`count` runs of a command, as a list of {cpu_s, wall_s, peak_mib}; pinned to some processors, or to none (0).

        A run may be some copies at once: {} in the command is a copy's number, and cpu_s is that of all of them.
        With `anonymous` the peak is of anonymous memory only, and the times mean little. As much memory as the command took the
        last time is at hand. Another tool may fail, as
        eu-addr2line does where it finds no answer: that is noted, and the list is empty."""
        key = tuple(map(str, command))
        options = ["-a"] * anonymous + ["-c", str(copies)] + (["-p", str(processors)] if processors else [])
        options += ["-m", str(int(self.peaks.get(key, 0)))]
        result = subprocess.run([self.runner, *options, str(count), stdin, *map(str, command)], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if result.returncode:
            text = f"{' '.join(map(str, command))}\n{result.stderr.rstrip()}"
            if str(command[0]) not in self.peers.values():
                sys.exit(f"bench: {text}")
            question = tuple(command[:-1])
            if question not in self.failed:
                note(f"left out, and where it fails on other addresses too: {text}")
            self.failed.add(question)
            return []
        lines = [tuple(map(float, line.split())) for line in result.stdout.splitlines()]
        self.peaks[key] = copies * max(peak for _, _, peak in lines)
        return [{"cpu_s": cpu, "wall_s": wall, "peak_mib": peak} for cpu, wall, peak in lines]

    def interleaved(self, contenders, budget_s, least=3, most=15, path=None):
        """Runs (label, command, options of run) in turn, again and again: yields (label, pass, cost).

        All of them read `path`, which is put into the page cache before each pass. As many passes as fit the budget of CPU,
        within limits: what disturbs the machine falls on all of them, and the costs of one pass can be compared with
        each other. Every other pass goes backwards, so that none always runs behind the same other one."""
        passes, spent, number = most, 0, 0
        while number < passes:
            if path:
                warm(path)
            for label, command, options in contenders[::-1] if number % 2 else contenders:
                for cost in self.run(command, **options):
                    spent += cost["cpu_s"]
                    yield label, number, cost
            number += 1
            passes = min(most, max(least, int(budget_s * number / max(spent, 1e-3))))

    def convert_command(self, path, *options, out="out.locus"):
        return [self.locus, "convert", *options, "-o", self.work / out, path]

    def convert(self, path, *options):
        """A conversion's cost, with the bytes it wrote."""
        cost, = self.run(self.convert_command(path, *options))
        return {**cost, "bytes": (self.work / "out.locus").stat().st_size}

    def facts(self, path, out):
        """Writes `out` and gives what locus counted in the input."""
        text = output_of([self.locus, "convert", "--stats", "--json", "-o", str(out), str(path)])
        stats = json.loads(text)
        names = ("units", "intervals", "contexts", "functions", "files", "name_bytes")
        return {"file_bytes": os.path.getsize(path), "dwarf_bytes": dwarf_size(path),
                **{name: stats.get(name) for name in names}}

    def versions(self):
        found = {"locus": output_of([self.locus, "--version"]).splitlines()[0]}
        for name, program in self.peers.items():
            text = output_of([program, "--version"])
            match = re.search(r"\d+(\.\d+)+", text)
            found[name] = match.group() if match else text.splitlines()[0]
        try:
            found["commit"] = output_of(["git", "describe", "--always", "--dirty"], cwd=ROOT).strip()
        except (OSError, subprocess.CalledProcessError):
            pass
        found["compiler"] = output_of([os.environ.get("CC", "gcc"), "--version"]).splitlines()[0]
        return found


def warm(path):
    """Reads a file, so that every tool finds it in the page cache. The kernel may take it from there again within minutes."""
    with open(path, "rb") as file:
        while file.read(16 * MIB):
            pass


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text())
    system = re.search(r'PRETTY_NAME="(.*)"', pathlib.Path("/etc/os-release").read_text())
    return {"processor": cpu.group(1) if cpu else os.uname().machine, "processors": os.cpu_count(),
            "memory_gib": round(int(memory.group(1)) / MIB, 1), "kernel": os.uname().release,
            "system": system.group(1) if system else os.uname().sysname, "load_before": round(os.getloadavg()[0], 2)}


def header(tools):
    return {"date": time.strftime("%Y-%m-%d"), "machine": machine(), "versions": tools.versions()}


def save(path, record):
    record["machine"]["load_after"] = round(os.getloadavg()[0], 2)
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # A line for each run, so that people can read it too.
    lines = []
    for key, value in record.items():
        inner = ",\n  ".join(map(json.dumps, value)) if isinstance(value, list) else None
        lines.append(f" {json.dumps(key)}: " + (f"[\n  {inner}\n ]" if inner else json.dumps(value)))
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


# ---- Figures as text ----

def median(values):
    return statistics.median(values) if values else None


def interval(values, draws=2000):
    """The bootstrap's 95 % confidence interval of a median (percentile method): (low, high)."""
    chosen = random.Random(1)
    medians = sorted(statistics.median(chosen.choices(values, k=len(values))) for _ in range(draws))
    return medians[draws * 25 // 1000], medians[draws * 975 // 1000]


def figure(value, unit=""):
    """A figure with about three digits that matter, for people."""
    if value is None:
        return "–"
    if unit == "bytes":
        return f"{value:,.0f}"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
    return f"{value:,.{digits}f}" + (f" {unit}" if unit else "")


def table(head, rows):
    """A Markdown table; the first column is text, the others are figures."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def write_part(name, text):
    """Replaces what stands between <!-- name --> and <!-- end name --> in the document."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end {name} -->"
    document = DOCUMENT.read_text()
    before, found, rest = document.partition(begin)
    if not found or end not in rest:
        sys.exit(f"bench: {DOCUMENT} has no part {name}")
    DOCUMENT.write_text(before + begin + text + rest[rest.index(end):])


def machine_text(record):
    m, v = record["machine"], record["versions"]
    peers = ", ".join(f"{name} {v[name]}" for name in Tools.PEERS if name in v)
    return (f"{record['date']}: {m['processor']}, {m['processors']} processors, {m['memory_gib']} GiB, {m['system']}, "
            f"Linux {m['kernel']}; load {m['load_before']} before and {m['load_after']} after. "
            f"{v['locus']} ({v.get('commit', 'no commit')}), {v['compiler']}"
            + (f"; {peers}" if peers else "") + ".\n")
