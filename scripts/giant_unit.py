#!/usr/bin/env python3
"""Writes an ELF file whose debug information is one large unit, as link-time optimisation in one partition makes them.

usage: giant_unit.py [--units N] OUT FUNCTIONS

Each function has 100 rows, and 25 inlinees that stand inside each other and answer from some 18 contexts; it comes to
about 100 intervals and 1.3 KB of DWARF. --units writes the same program as N units: the answers are the same.
"""

import argparse
import random
import struct

TEMPLATES, ROWS, INLINEES, ABSTRACTS = 64, 100, 25, 300
BASE = 0x401000
UNIT, NAMESPACE, ABSTRACT, PLAIN, FUNCTION, INLINEE, VARIABLE, PARAMETER = range(1, 9)
LANG_CPP14 = 0x21
OPCODE_BASE, LINE_BASE, LINE_RANGE = 13, -5, 14


def uleb(number):
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def sleb(number):
    out = bytearray()
    while not -64 <= number < 64:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out) + bytes([number & 0x7f])


def declaration(code, tag, children, *attributes):
    specs = b"".join(uleb(name) + uleb(form) for name, form in attributes)
    return uleb(code) + uleb(tag) + bytes([children]) + specs + b"\0\0"


# Names and forms by number: DWARF 4, figures 18 to 21.
ABBREVIATIONS = b"".join([
    declaration(UNIT, 0x11, 1, (0x03, 0x08), (0x13, 0x05), (0x10, 0x17), (0x11, 0x01), (0x12, 0x07)),
    declaration(NAMESPACE, 0x39, 1, (0x03, 0x08)),
    declaration(ABSTRACT, 0x2e, 1, (0x03, 0x0e), (0x6e, 0x0e), (0x3a, 0x0b), (0x3b, 0x05), (0x20, 0x0b)),
    declaration(PLAIN, 0x2e, 1, (0x03, 0x0e), (0x3a, 0x0b), (0x3b, 0x05), (0x20, 0x0b)),
    declaration(FUNCTION, 0x2e, 1, (0x31, 0x13), (0x11, 0x01), (0x12, 0x07), (0x40, 0x18)),
    declaration(INLINEE, 0x1d, 1, (0x31, 0x13), (0x11, 0x01), (0x12, 0x06), (0x58, 0x0b), (0x59, 0x05), (0x57, 0x0b)),
    declaration(VARIABLE, 0x34, 0, (0x31, 0x13), (0x02, 0x18)),
    declaration(PARAMETER, 0x05, 0, (0x03, 0x0e), (0x3a, 0x0b), (0x3b, 0x05), (0x49, 0x13)),
]) + b"\0"


class Template:
    """A function's DIEs and rows, to be put at any address: what must be filled in, and where."""

    def __init__(self, rng):
        self.rng = rng
        self.cuts = [0]  # addresses at which rows begin, from the function's start
        self.dies, self.addresses, self.origins = bytearray(), [], []
        self.rows = self.make_rows()
        self.size = self.cuts[-1] + 4
        self.left = INLINEES
        self.make_function()

    def make_rows(self):
        rows, line = bytearray(), 0
        for _ in range(ROWS):
            advance, step = self.rng.randint(1, 14), self.rng.choice([-40, -7, -3, -1, 1, 1, 2, 3, 5, 60])
            step = step if line + step >= -90 else 60  # a function begins at line 100 or behind it
            line += step
            self.cuts.append(self.cuts[-1] + advance)
            if self.rng.random() < .15:
                rows += b"\x04" + uleb(self.rng.randint(1, 60))  # set_file
            if self.rng.random() < .6:
                rows += b"\x05" + uleb(self.rng.randint(1, 90))  # set_column
            if not LINE_BASE <= step < LINE_BASE + LINE_RANGE:
                rows += b"\x03" + sleb(step)  # advance_line
                step = 0
            rows.append(OPCODE_BASE + LINE_RANGE * advance + step - LINE_BASE)
        self.line_change = line
        return bytes(rows)

    def add_origin(self):
        self.origins.append(len(self.dies))
        self.dies += bytes(4)

    def add_address(self, offset):
        self.addresses.append((len(self.dies), offset))
        self.dies += bytes(8)

    def make_function(self):
        self.dies.append(FUNCTION)
        self.add_origin()
        self.add_address(0)
        self.dies += struct.pack("<Q", self.size) + b"\x01\x9c"
        for _ in range(12):
            self.make_leaf()
        while self.left:
            self.make_inlinees(0, len(self.cuts) - 1, 0)
        self.dies.append(0)

    def make_leaf(self):
        if self.rng.random() < .5:
            self.dies.append(VARIABLE)
            self.add_origin()
            self.dies += b"\x03\x91\x10\x06"
        else:
            self.dies.append(PARAMETER)
            self.dies += struct.pack("<IBH", 1, 1, 20)
            self.add_origin()

    def make_inlinees(self, low, high, depth):
        while self.left and low < high - 2:
            first = self.rng.randint(low, high - 2)
            last = self.rng.randint(first + 1, high - 1)
            self.left -= 1
            self.dies.append(INLINEE)
            self.add_origin()
            self.add_address(self.cuts[first])
            self.dies += struct.pack("<IBHB", self.cuts[last] - self.cuts[first], self.rng.randint(1, 60),
                                     self.rng.randint(1, 900), 7)
            self.make_leaf()
            if depth < 5 and last - first > 4:
                self.make_inlinees(first, last, depth + 1)
            self.dies.append(0)
            low = last
            if self.rng.random() < .3:
                break


class Program:
    def __init__(self):
        self.rng = random.Random(7)
        self.templates = [Template(self.rng) for _ in range(TEMPLATES)]
        self.strings, self.string_of = bytearray(b"\0\0"), {}
        self.info, self.line = bytearray(), bytearray()
        self.addr = BASE

    def string(self, text):
        if text not in self.string_of:
            self.string_of[text] = len(self.strings)
            self.strings += text.encode() + b"\0"
        return self.string_of[text]

    def add_abstract(self, unit, kind, index):
        """An abstract instance; every tenth has no linkage name and stands in a namespace. Gives its offset."""
        place = (1 + index % 60, 1 + index * 7 % 900, 1)
        if index % 10 == 3:
            unit.append(NAMESPACE)
            unit += f"space{index}".encode() + b"\0"
            offset = len(unit)
            unit.append(PLAIN)
            unit += struct.pack("<IBHB", self.string(f"plain_{kind}{index}"), *place) + b"\0\0"
            return offset
        name = f"{kind}{index}"
        offset = len(unit)
        unit.append(ABSTRACT)
        linkage = self.string(f"_ZN5giant{len(name)}{name}Ev")
        unit += struct.pack("<IIBHB", self.string(name), linkage, *place) + b"\0"
        return offset

    def add_function(self, unit, rows, number, origins, late):
        template = self.templates[number * 37 % TEMPLATES]
        at = len(unit)
        unit += template.dies
        for offset, distance in template.addresses:
            struct.pack_into("<Q", unit, at + offset, self.addr + distance)
        for index, offset in enumerate(template.origins):
            which = (number * 7 + index * 31) % ABSTRACTS
            if index == 0:
                struct.pack_into("<I", unit, at + offset, origins["own"][number])
            elif index % 3 == 0:
                late.append((at + offset, which))
            else:
                struct.pack_into("<I", unit, at + offset, origins["early"][which])
        line = 100 + number % 400
        rows += b"\x04" + uleb(1 + number % 60) + b"\x03" + sleb(line - self.line_before) + b"\x01"
        rows += template.rows + b"\x02\x04"
        self.line_before = line + template.line_change
        self.addr += template.size
        if number % 7 == 0:
            rows += b"\x02\x0c"  # to the next function's start
            self.addr += 12

    def add_unit(self, first, end):
        """The functions from `first` to `end`. Those they inline are told before and behind them."""
        start, rows, late = self.addr, bytearray(b"\x00\x09\x02" + struct.pack("<Q", self.addr)), []
        self.line_before = 1
        unit = bytearray(struct.pack("<IHIB", 0, 4, 0, 8))
        unit.append(UNIT)
        unit += b"giant.cc\0" + struct.pack("<HIQ", LANG_CPP14, len(self.line), start)
        size_at = len(unit)
        unit += bytes(8)
        origins = {
            "early": [self.add_abstract(unit, "early", i) for i in range(ABSTRACTS)],
            "own": {i: self.add_abstract(unit, "own", i) for i in range(first, end)},
        }
        for number in range(first, end):
            self.add_function(unit, rows, number, origins, late)
        behind = [self.add_abstract(unit, "late", i) for i in range(ABSTRACTS)]
        for offset, which in late:
            struct.pack_into("<I", unit, offset, behind[which])
        unit.append(0)
        struct.pack_into("<Q", unit, size_at, self.addr - start)
        struct.pack_into("<I", unit, 0, len(unit) - 4)
        self.info += unit
        self.add_lines(rows + b"\x00\x01\x01")

    def add_lines(self, rows):
        lengths = bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
        files = b"".join(f"file{i}.cc".encode() + b"\0\0\0\0" for i in range(1, 64))
        head = struct.pack("<BBBbBB", 1, 1, 1, LINE_BASE, LINE_RANGE, OPCODE_BASE) + lengths + b"/src\0\0" + files
        table = struct.pack("<HI", 4, len(head) + 1) + head + b"\0" + rows
        self.line += struct.pack("<I", len(table)) + table

    def write(self, path):
        sections = {".debug_info": self.info, ".debug_abbrev": ABBREVIATIONS, ".debug_line": self.line,
                    ".debug_str": self.strings}
        names = b"\0.text\0.shstrtab\0" + b"".join(name.encode() + b"\0" for name in sections)
        position = 64
        headers = [bytes(64), struct.pack("<IIQQQQIIQQ", 1, 8, 6, BASE, 64, self.addr - BASE, 0, 0, 16, 0)]
        for name, data in [*sections.items(), (".shstrtab", names)]:
            kind = 3 if name == ".shstrtab" else 1
            headers.append(struct.pack("<IIQQQQIIQQ", names.index(name.encode() + b"\0"), kind, 0, 0, position,
                                       len(data), 0, 0, 1, 0))
            position += len(data)
        ident = b"\x7fELF\x02\x01\x01" + bytes(9)
        header = ident + struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, BASE, 0, position, 0, 64, 0, 0, 64, len(headers),
                                     len(headers) - 1)
        with open(path, "wb") as file:
            for data in [header, *sections.values(), names, *headers]:
                file.write(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, default=1)
    parser.add_argument("output")
    parser.add_argument("functions", type=int)
    arguments = parser.parse_args()
    program = Program()
    count = arguments.functions
    for unit in range(arguments.units):
        program.add_unit(count * unit // arguments.units, count * (unit + 1) // arguments.units)
    program.write(arguments.output)


main()
