#!/usr/bin/env python3
"""A second reader of .locus files, written from spec/FORMAT.md alone: shares nothing with the one in C but the zstd library.

usage: locus_reader.py check FILE...           verify whole files
       locus_reader.py dump FILE               everything, as `locus dump` prints it
       locus_reader.py lookup FILE ADDRESS...  answers, as `locus lookup --json --no-demangle --all` gives them, an object a line

It aims at being read beside the format: each step cites the section it implements, and no step is clever. Exit status as
locus itself: 0 all well, 1 a file is damaged, 2 bad arguments. A message starts with the status of section 8.
"""

import collections
import ctypes
import ctypes.util
import json
import re
import sys

sys.dont_write_bytecode = True
from xxh3 import digest64, digest128  # noqa: E402

MAGIC = bytes.fromhex("8C 4C 43 53 0D 0A 1A 0A")
ZSTD_SINGLE_SEGMENT, ZSTD_WINDOW_MAX = 1 << 5, 0x88  # RFC 8878, 3.1.1.1: of the Frame_Header_Descriptor, and the Window_Descriptor
ZSTD_MAGIC = bytes.fromhex("28 B5 2F FD")
META, FILES, INTERVALS, FUNCTIONS, ALTERNATES, SOURCE_COLUMNS = range(1, 7)
REQUIRED, CONTENT, KEYED = 1, 2, 4

# 4.1, the second table: id -> flags, columns.
SECTIONS = {
    META: (CONTENT, 1),
    FILES: (REQUIRED | CONTENT, 3),
    INTERVALS: (REQUIRED | CONTENT | KEYED, 12),
    FUNCTIONS: (REQUIRED | CONTENT, 7),
    ALTERNATES: (CONTENT | KEYED, 4),
    SOURCE_COLUMNS: (CONTENT, 2),
}

U32 = 1 << 32
U64 = 1 << 64
ENTRIES_MAX = U32 - 2
BLOCK_ENTRIES_MAX = 65536
COLUMNS_MAX = 16
COLUMNS_BYTES_MAX = 1 << 24
BLOCK_NAMES_MAX = 1 << 24
DEPTH_MAX = 1024
CONTEXTS_MAX = 1 << 20
RECENT_MAX = 33

KEPT_BLOCKS = 8  # of a section, decoded

# 6.1.1 and 6.5, as text.
COVERAGE = "line inline line-zero function symbol none".split()
DROPPED = ("tombstone not-executable bad-range clipped empty-sequence backward-row bad-file outside-parent too-deep "
           "duplicate overlap bad-reference damaged-lines long-line").split()
PART_KINDS = "entry other symbol".split()
ALTERNATE_KINDS = "alias folded overlap".split()
ALIAS = ALTERNATE_KINDS.index("alias")


class Refused(Exception):
    """What 8 says to refuse; the status is the word in brackets there."""

    def __init__(self, status, why):
        super().__init__(f"{status}: {why}")
        self.status = status


def demand(condition, why, status="corrupt"):
    if not condition:
        raise Refused(status, why)


class Cursor:
    """Reads the bytes of one column, index or field from front to back."""

    def __init__(self, data, name):
        self.data = data
        self.at = 0
        self.name = name

    def bytes(self, size):
        demand(size <= len(self.data) - self.at, f"{self.name} ends early")
        self.at += size
        return self.data[self.at - size:self.at]

    def byte(self):
        return self.bytes(1)[0]

    def fixed(self, size):
        """2.1"""
        return int.from_bytes(self.bytes(size), "little")

    def varint(self, below=U64):
        """2.2"""
        value = 0
        for i in range(10):
            byte = self.byte()
            value |= (byte & 0x7F) << 7 * i
            if byte < 0x80:
                demand(byte != 0 or i == 0, f"{self.name}: a varint with a needless zero byte")
                demand(value < U64, f"{self.name}: a varint above 2^64 - 1")
                demand(value < below, f"{self.name}: {value} is not below {below}")
                return value
        raise Refused("corrupt", f"{self.name}: a varint of more than ten bytes")

    def name_bytes(self):
        """2.5"""
        end = self.data.find(b"\0", self.at)
        demand(end >= 0, f"{self.name}: a name without an end")
        name = self.data[self.at:end]
        self.at = end + 1
        return name

    def left(self):
        return len(self.data) - self.at

    def done(self):
        demand(self.left() == 0, f"{self.name}: {self.left()} bytes are left over")


def unzigzag(value):
    """2.3: what value stands for, as a u32."""
    return (value >> 1 if value % 2 == 0 else -(value >> 1) - 1) % U32


def read_zigzag(cursor):
    return unzigzag(cursor.varint(below=U32))


def read_difference(code, before, what):
    """2.4: the number that a difference code above 0 leads to."""
    demand(1 <= code <= U32, f"{what}: a code above 2^32")
    return (before + unzigzag(code - 1)) % U32


# ---- 5.2 Compression ----

class Zstd:
    """The decompressor of libzstd, loaded when a file needs it."""

    library = None

    @classmethod
    def load(cls):
        if cls.library is None:
            cls.library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
            size, pointer = ctypes.c_size_t, ctypes.c_void_p
            for name, result, arguments in (
                    ("ZSTD_isError", ctypes.c_uint, [size]),
                    ("ZSTD_findFrameCompressedSize", size, [ctypes.c_char_p, size]),
                    ("ZSTD_decompress", size, [pointer, size, ctypes.c_char_p, size])):
                function = getattr(cls.library, name)
                function.restype = result
                function.argtypes = arguments
        return cls.library

    @classmethod
    def decompress(cls, data, size):
        zstd = cls.load()
        demand(data[:4] == ZSTD_MAGIC, "a column is not a zstd frame")
        demand(zstd.ZSTD_findFrameCompressedSize(data, len(data)) == len(data), "a column is not one zstd frame")
        demand(data[4] & ZSTD_SINGLE_SEGMENT or data[5] <= ZSTD_WINDOW_MAX, "a column's window is above 2^27 bytes")
        ret = ctypes.create_string_buffer(size)
        got = zstd.ZSTD_decompress(ret, size, data, len(data))
        demand(not zstd.ZSTD_isError(got) and got == size, "a column does not decompress to its size")
        return ret.raw


# ---- 3, 4 The head ----

Block = collections.namedtuple("Block", "key first entries offset size checksum")


class Section:
    def __init__(self, cursor):
        """4.1, one entry of the directory."""
        self.id = cursor.fixed(2)
        self.flags = cursor.fixed(2)
        self.block_count = cursor.fixed(4)
        self.entry_count = cursor.fixed(8)
        self.index_size = cursor.fixed(8)
        self.blocks_size = cursor.fixed(8)
        self.raw_size = cursor.fixed(8)
        self.index_checksum = cursor.fixed(8)
        self.blocks = []

    def check(self):
        """4.1, in the order of 8."""
        if self.id not in SECTIONS:
            demand(not self.flags & REQUIRED, f"section {self.id} is required and unknown", "unsupported")
            demand(self.flags & ~(CONTENT | KEYED) == 0, f"section {self.id} has unknown flags")
        else:
            demand(self.flags == SECTIONS[self.id][0], f"section {self.id} has other flags than the format says")
        demand(self.entry_count <= ENTRIES_MAX, f"section {self.id} has too many entries")
        demand(self.block_count <= self.index_size // 11, f"section {self.id} has more blocks than its index")

    def read_index(self, data, offset, blocks_offset):
        """4.3"""
        cursor = Cursor(data[offset:offset + self.index_size], f"the index of section {self.id}")
        demand(digest64(cursor.data) == self.index_checksum, cursor.name, "checksum")
        key = first = 0
        at = blocks_offset
        for n in range(self.block_count):
            step = cursor.varint()
            key += step
            demand(key < U64, "a block's key leaves 64 bits")
            demand(self.flags & KEYED or step == 0, "a block without a key has one")
            demand(self.id != INTERVALS or n == 0 or step > 0, "keys of intervals do not ascend")
            entries = cursor.varint()
            demand(1 <= entries <= BLOCK_ENTRIES_MAX, f"a block of {entries} entries")
            size = cursor.varint()
            demand(1 <= size <= blocks_offset + self.blocks_size - at, "a block that leaves its section")
            self.blocks.append(Block(key, first, entries, at, size, cursor.fixed(8)))
            first += entries
            at += size
        cursor.done()
        demand(first == self.entry_count, f"the entries of section {self.id} do not add up")
        demand(at == blocks_offset + self.blocks_size, f"the sizes of section {self.id} do not add up")


class File:
    """An open file: its head is read and checked. Raises Refused here or when a block is read."""

    def __init__(self, data):
        self.data = data
        self.cache = {}
        self._read_header()
        self._read_directory()
        self.info = decode_meta(self.columns(self.sections[META], 0)[0])

    def _read_header(self):
        """3; in the order of 8."""
        demand(self.data[:8] == MAGIC, "no magic", "not-locus")
        demand(len(self.data) >= 12, "the header", "truncated")
        version = int.from_bytes(self.data[8:12], "little")
        demand(version == 2, f"version {version}", "version")
        demand(len(self.data) >= 64, "the header", "truncated")
        cursor = Cursor(self.data[12:64], "the header")
        self.section_count = cursor.fixed(4)
        size = cursor.fixed(8)
        self.content_digest = (cursor.fixed(8), cursor.fixed(8))
        self.head_size = cursor.fixed(8)
        self.directory_checksum = cursor.fixed(8)
        demand(digest64(self.data[:56]) == cursor.fixed(8), "the header", "checksum")
        demand(len(self.data) >= size, "the file is shorter than it says", "truncated")
        demand(len(self.data) <= size, "the file is longer than it says")
        demand(1 <= self.section_count <= 64, f"{self.section_count} sections")
        demand(64 + 48 * self.section_count <= self.head_size <= size, "the head's size is out of range")

    def _read_directory(self):
        """4.1, 4.2"""
        cursor = Cursor(self.data[64:64 + 48 * self.section_count], "the directory")
        demand(digest64(cursor.data) == self.directory_checksum, "the directory", "checksum")
        listed = [Section(cursor) for _ in range(self.section_count)]
        before = 0
        for section in listed:
            demand(before < section.id, "section ids do not ascend")
            before = section.id
            section.check()
        self.sections = {section.id: section for section in listed}
        index_offset = 64 + 48 * self.section_count
        blocks_offset = index_offset + sum(section.index_size for section in listed)
        demand(blocks_offset == self.head_size, "the sizes of the indexes do not add up to the head's")
        total = blocks_offset + sum(section.blocks_size for section in listed)
        demand(total == len(self.data), "the sizes of indexes and blocks do not add up to the file's")
        for number in SECTIONS:
            demand(number in self.sections or number == SOURCE_COLUMNS, f"section {number} is missing")
        for section in listed:
            section.read_index(self.data, index_offset, blocks_offset)
            index_offset += section.index_size
            blocks_offset += section.blocks_size
        if SOURCE_COLUMNS in self.sections:  # 6.6
            of_both = [[block.entries for block in self.sections[number].blocks] for number in (INTERVALS, SOURCE_COLUMNS)]
            demand(of_both[0] == of_both[1], "the blocks of columns are not those of the intervals")
        meta = self.sections[META]
        demand(meta.block_count == 1 and meta.entry_count == 1, "meta is not one block of one entry")  # 6.1

    # ---- 5 Blocks ----

    def columns(self, section, n):
        """5.1: the columns of the section's n-th block, decompressed."""
        block = section.blocks[n]
        cursor = Cursor(self.data[block.offset:block.offset + block.size], f"block {n} of section {section.id}")
        demand(digest64(cursor.data) == block.checksum, cursor.name, "checksum")
        count = cursor.byte()
        demand(count <= COLUMNS_MAX, f"{cursor.name} has {count} columns")
        if section.id in SECTIONS:
            demand(count == SECTIONS[section.id][1], f"{cursor.name} has {count} columns")
        sizes = []
        for _ in range(count):
            word = cursor.varint()
            size, compressed = word >> 1, word & 1
            stored_size = cursor.varint() if compressed else size
            demand(not compressed or stored_size < size, f"{cursor.name}: a compressed column is not smaller")
            sizes.append((size, compressed, stored_size))
        demand(sum(size for size, _, _ in sizes) <= COLUMNS_BYTES_MAX, f"{cursor.name}: columns of more than 2^24 bytes")
        demand(sum(stored for _, _, stored in sizes) == cursor.left(), f"{cursor.name}: columns do not fill the block")
        demand(sum(size for size, _, _ in sizes) <= 64 * block.size, f"{cursor.name}: columns of more than 64 times its bytes")
        ret = []
        for size, compressed, stored_size in sizes:
            data = cursor.bytes(stored_size)
            ret.append(Zstd.decompress(data, size) if compressed else data)
        return ret

    def decoded(self, number, n):
        """The n-th block of a section in its decoded form; a few of each section are kept."""
        kept = self.cache.setdefault(number, {})
        if n not in kept:
            if len(kept) == KEPT_BLOCKS:
                del kept[next(iter(kept))]
            section = self.sections[number]
            kept[n] = DECODERS[number](self, section.blocks[n], self.columns(section, n))
        return kept[n]

    def all_decoded(self, number):
        """The entries of all blocks of a section."""
        for n in range(len(self.sections[number].blocks)):
            yield from self.decoded(number, n)

    def count(self, number):
        return self.sections[number].entry_count

    def entry(self, number, ordinal):
        """The entry with this ordinal, from 0, of a section: 4.3, "found by adding up"."""
        blocks = self.sections[number].blocks
        n = last_index(blocks, lambda block: block.first <= ordinal)
        return self.decoded(number, n)[ordinal - blocks[n].first]

    def record(self, function):
        """6.4: the record of a function, by its id."""
        return self.entry(FUNCTIONS, function - 1)

    def path(self, number):
        """6.2: a file's path as bytes; empty where it has none."""
        directory, name = self.entry(FILES, number - 1)
        if not directory or not name:
            return name
        return directory + (b"" if directory.endswith(b"/") else b"/") + name

    # ---- 7 Lookup ----

    def lookup(self, address):
        """7.2, 7.3: the interval's locid and the interval, or (None, None) below the first."""
        blocks = self.sections[INTERVALS].blocks
        n = last_index(blocks, lambda block: block.key <= address)
        if n is None:
            return None, None
        intervals = self.decoded(INTERVALS, n)
        place = last_index(intervals, lambda interval: interval.start <= address)
        return blocks[n].first + place, intervals[place]

    def frames(self, interval):
        """7.4: (function, file, line), innermost first."""
        ret = []
        context, file, line = interval.context, interval.file, interval.line
        while context is not None:
            declaration = self.record(context.function).declaration
            ret.append((context.function, *absolute(declaration, file, line)))
            file, line = context.call_file, context.call_line
            context = context.caller
        return ret

    def alternates(self, address):
        """7.7"""
        blocks = self.sections[ALTERNATES].blocks
        last = last_index(blocks, lambda block: block.key <= address)
        if last is None:
            return []
        lowest = blocks[last].key - self.decoded(ALTERNATES, last).reach
        first = last_index(blocks, lambda block: block.key < lowest) or 0
        return [a for n in range(first, last + 1) for a in self.decoded(ALTERNATES, n)
                if a.start <= address < a.start + a.size or a.size == 0 and a.start == address]


def last_index(items, holds):
    """The index of the last item that holds, where those that hold come first; None where none does."""
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if holds(items[middle]):
            low = middle + 1
        else:
            high = middle
    return low - 1 if low else None


def absolute(declaration, file, line):
    """6.3.5: file id and line, once the function's declaration is known. A file or line of None is the declaration's, or unknown."""
    return declaration.file if file is None else file, 0 if line is None else (declaration.line + line) % U32


def answer(interval, frames):
    """7.5"""
    if interval.context is None:
        return "none"
    if frames[0][2]:
        return "ok"
    return "symbol" if interval.context.part.kind == 2 else "no-line"


# ---- 6.1 Meta ----

class Meta:
    def __init__(self):
        self.build_id = self.tool = self.options = b""
        self.elf = (0, 0, 0, 0)
        self.rules_epoch = 0
        self.coverage = []
        self.dropped = []
        self.bases = []
        self.inputs = []
        self.segments = []


def read_pairs(field):
    ret = []
    while field.left():
        ret.append((field.varint(below=U32), field.varint()))
    return ret


def decode_meta(column):
    ret = Meta()
    cursor = Cursor(column, "meta")
    before = 0
    while cursor.left():
        number = cursor.varint(below=U32)
        demand(number > before or number == before >= 8, "fields of meta do not ascend")
        before = number
        field = Cursor(cursor.bytes(cursor.varint()), f"field {number} of meta")
        if number == 1:
            ret.build_id = field.bytes(field.left())
        elif number == 2:
            ret.elf = tuple(field.varint(below) for below in (1 << 16, 1 << 16, 1 << 8, 1 << 8))
        elif number == 3:
            ret.tool = field.bytes(field.left())
        elif number == 4:
            ret.rules_epoch = field.varint(below=U32)
        elif number == 5:
            ret.options = field.bytes(field.left())
        elif number == 6:
            ret.coverage = read_pairs(field)
        elif number == 7:
            ret.dropped = read_pairs(field)
        elif number == 8:
            ret.bases.append((field.varint(), field.varint(), field.bytes(field.left())))
        elif number == 9:
            role, size, digest_kind = field.varint(below=U32), field.varint(), field.varint(below=U32)
            digest = field.bytes(16 if digest_kind else 0)
            build_id = field.bytes(field.varint())
            ret.inputs.append((role, size, digest_kind, digest, build_id, field.bytes(field.left())))
        elif number == 10:
            ret.segments.append(tuple(field.varint(below) for below in (U64, U64, U64, U64, U32)))
        else:
            field.bytes(field.left())
        field.done()
    return ret


# ---- 6.3 Intervals ----

class Link:
    """6.3.4: where a call is looked for that has been made behind the same one before."""

    def __init__(self):
        self.call = None


class Function:
    """6.3.1: a function as one block knows it."""

    def __init__(self, number):
        self.id = number
        self.line = 0
        self.file = None  # the declaration's
        self.first_call = Link()


class Call:
    """6.3.4"""

    def __init__(self, function, line, file):
        self.function = function
        self.line = line
        self.file = file
        self.next_call = Link()


class Context:
    """6.3.1. A part has a start and a kind, an inlinee a caller and a call."""

    def __init__(self, function, caller=None, call=None, start=None, kind=None):
        self.of = function
        self.function = function.id
        self.caller = caller
        self.part = caller.part if caller else self
        self.depth = caller.depth + 1 if caller else 1
        self.call_line, self.call_file = (call.line, call.file) if call else (None, None)
        self.call_column = 0
        self.start, self.kind = start, kind
        self.expected = function.first_call  # the link to the call of the next inlinee that is pushed onto it


Interval = collections.namedtuple("Interval", "start context file line column", defaults=(0,))


class IntervalDecoder:
    """6.3. A file of None is the declaration's; a line is relative to the declaration's, None unknown."""

    def __init__(self, file, block, columns):
        names = ("function id", "start", "op", "line, same", "line", "file", "part", "function", "call, expected", "call",
                 "call file", "escape")
        self.columns = [Cursor(data, f"column '{name}'") for name, data in zip(names, columns)]
        (self.function_id, self.start, self.op, self.line_same, self.line, self.file, self.part, self.function,
         self.call_expected, self.call, self.call_file, self.escape) = self.columns
        self.function_count = file.count(FUNCTIONS)
        self.file_count = file.count(FILES)
        self.functions = []
        self.highest = 0
        self.contexts = []
        self.recent = []
        self.ret = []
        address = block.key
        for n in range(block.entries):
            if n:
                address += self.start.varint() + 1
                demand(address < U64, "a start leaves 64 bits")
            self.ret.append(self.interval(address))
        for cursor in self.columns:
            cursor.done()
        below_next(file.sections[INTERVALS], block, address, 0)

    def interval(self, address):
        op = self.op.byte()
        if op == 1:
            return Interval(address, None, None, None)
        context = self.reach(op & 0x7F, address)
        # 6.3.2: it moves to the head of the recent list, or enters there.
        if context in self.recent:
            self.recent.remove(context)
        self.recent.insert(0, context)
        del self.recent[RECENT_MAX:]
        # 6.3.5
        code = (self.line_same if op & 0x7F == 0 else self.line).varint()
        line = self.read_line(code, context.of)
        file = self.read_file(self.file, context.of) if op & 0x80 else context.of.file
        return Interval(address, context, file, line)

    def reach(self, op, address):
        """6.3.2: the context that the low seven bits of an op lead to."""
        if op == 0:
            return self.nth_recent(0)
        if op == 2:
            back, count = self.escape.varint(), self.escape.varint()
            if back == 0:
                demand(count > 0, "an escape to a part of no contexts")
                return self.new_part(count, address)
            demand(back <= len(self.contexts), "an escape back before the block's first context")
            return self.inline(self.contexts[len(self.contexts) - back], count)
        if 3 <= op <= 34:
            return self.nth_recent(op - 2)
        if 35 <= op <= 39:
            return self.new_part(op - 34, address)
        if 41 <= op <= 111:
            up, count = divmod(op - 40, 6)
            context = self.nth_recent(0)
            for _ in range(up):
                context = context.caller
                demand(context, "an op leads above a part")
            return self.inline(context, count)
        raise Refused("corrupt", f"op {op} is not valid")

    def nth_recent(self, n):
        demand(n < len(self.recent), "an op leads beyond the recent list")
        return self.recent[n]

    def push(self, context):
        demand(context.depth <= DEPTH_MAX, "a chain of more than 1024 contexts")
        demand(len(self.contexts) < CONTEXTS_MAX, "too many contexts in a block")
        self.contexts.append(context)
        return context

    def new_part(self, count, address):
        """6.3.3"""
        self.recent = []
        byte = self.part.byte()
        demand(byte <= 7 and byte & 3 != 3, f"a part has kind {byte}")
        distance = 0
        if byte & 4:
            distance = self.part.varint()
            demand(1 <= distance <= address, "a part's start is out of range")
        part = Context(self.read_function(), start=address - distance, kind=byte & 3)
        return self.inline(self.push(part), count - 1)

    def inline(self, context, count):
        """6.3.4, count times."""
        for _ in range(count):
            link = context.expected
            call = self.read_call(context, link.call)
            link.call = call
            context.expected = call.next_call
            context = self.push(Context(call.function, context, call))
        return context

    def read_call(self, caller, expected):
        """6.3.4, steps 2 and 3."""
        if expected:
            code = self.call_expected.varint()
            if code == 0:
                return expected
            code -= 1
        else:
            code = self.call.varint()
        line = self.read_line(code >> 1, caller.of)
        file = self.read_file(self.call_file, caller.of) if code & 1 else caller.of.file
        return Call(self.read_function(), line, file)

    def read_line(self, code, function):
        """6.3.5: a line in terms of a function; unless unknown it becomes the function's last one."""
        if code == 0:
            return None
        function.line = read_difference(code, function.line, "a line")
        return function.line

    def read_function(self):
        """6.3.3, a function code."""
        code = self.function.varint()
        demand(code <= len(self.functions), "a function is not one seen before")
        if code == 0:
            self.functions.append(Function(self.read_function_id()))
        return self.functions[code - 1]

    def read_function_id(self):
        """6.3.3"""
        code = self.function_id.varint()
        before = self.functions[-1].id if self.functions else 0
        number = self.highest + 1 if code == 0 else read_difference(code, before + 1, "a function's id")
        demand(1 <= number <= self.function_count, "a function's id is out of range")
        self.highest = max(self.highest, number)
        return number

    def read_file(self, cursor, function):
        """6.3.5: a file that is told; unless unknown it becomes the function's last one."""
        number = cursor.varint()
        demand(number <= self.file_count, "a file is out of range")
        if number != 0:
            function.file = number
        return number


def decode_intervals(file, block, columns):
    decoder = IntervalDecoder(file, block, columns)
    if SOURCE_COLUMNS not in file.sections:
        return decoder.ret
    of_intervals, of_calls = file.decoded(SOURCE_COLUMNS, file.sections[INTERVALS].blocks.index(block))
    demand(len(of_calls) == len(decoder.contexts), "there are not as many columns of calls as contexts")
    for context, column in zip(decoder.contexts, of_calls):
        demand(column == 0 or context.call_line is not None, "a call has a column and no line")
        context.call_column = column
    for interval, column in zip(decoder.ret, of_intervals):
        demand(column == 0 or interval.line is not None, "an interval has a column and no line")
    return [interval._replace(column=column) for interval, column in zip(decoder.ret, of_intervals)]


# ---- 6.6 Source columns ----

def decode_source_columns(file, block, columns):
    """Of the block's intervals, and of its contexts' calls; 0 unknown."""
    intervals, calls = Cursor(columns[0], "column 'interval'"), Cursor(columns[1], "column 'call'")
    of_intervals = [intervals.varint(below=U32) for _ in range(block.entries)]
    of_calls = []
    while calls.left():
        demand(len(of_calls) < CONTEXTS_MAX, "too many columns of calls")
        of_calls.append(calls.varint(below=U32))
    intervals.done()
    return of_intervals, of_calls


def source_columns(interval):
    """7.4: the column of each frame, innermost first."""
    ret = []
    context, column = interval.context, interval.column
    while context is not None:
        ret.append(column)
        column = context.call_column
        context = context.caller
    return ret


# ---- 6.2, 6.4, 6.5 ----

Record = collections.namedtuple("Record", "name linkage declaration")
Declaration = collections.namedtuple("Declaration", "file line language")


def decode_functions(file, block, columns):
    """6.4: the record of each."""
    titles = ("flags", "shared", "names", "declaration", "file", "line", "language")
    cursors = [Cursor(data, f"column '{title}' of functions") for title, data in zip(titles, columns)]
    flags, shared, rests, *of_declarations = cursors
    flags = read_name_flags(flags, block.entries)
    most = min(BLOCK_NAMES_MAX, 32 * sum(len(column) for column in columns))
    names = iter(read_names(shared, rests, sum(bool(flag & 1) + bool(flag & 2) for flag in flags), most))
    declarations = read_declarations(*of_declarations, block.entries, file.count(FILES))
    for cursor in cursors:
        cursor.done()
    ret = []
    for flag, declaration in zip(flags, declarations):
        name = next(names) if flag & 1 else b""
        linkage = next(names) if flag & 2 else name if flag & 4 else b""
        ret.append(Record(name, linkage, declaration))
    return ret


def read_name_flags(cursor, entries):
    flags = cursor.bytes(entries)
    for flag in flags:
        demand(flag < 8, "unknown flags of a name")
        demand(flag not in (4, 6, 7), "a function whose linkage name is the name has not just a name")
    return flags


def read_names(shared, rests, count, most):
    """The names of a block, written out. They can be much larger than their columns: first only their sizes are added up."""
    parts = []
    size = total = 0
    for _ in range(count):
        common, rest = shared.varint(), rests.name_bytes()
        demand(common <= size, "a name shares more than the name before it has")
        size = common + len(rest)
        demand(size > 0, "an empty name")
        total += size + 1
        demand(total <= most, f"names of more than {most} bytes")
        parts.append((common, rest))
    ret = []
    name = b""
    for common, rest in parts:
        name = name[:common] + rest
        ret.append(name)
    return ret


def read_declarations(numbers, files, lines, languages, entries, file_count):
    last_lines = {}  # by file
    seen = []
    ret = []
    for _ in range(entries):
        number = numbers.varint()
        demand(number <= len(seen), "a declaration is not one seen before")
        if number == 0:
            file_id = files.varint()
            demand(file_id <= file_count, "a declaration's file is out of range")
            line = (last_lines.get(file_id, 0) + read_zigzag(lines)) % U32
            last_lines[file_id] = line
            seen.append(Declaration(file_id, line, languages.varint(below=U32)))
        ret.append(seen[number - 1])
    return ret


def decode_files(file, block, columns):
    """6.2: (directory, name) of each."""
    numbers, directories, names = (Cursor(data, f"column {i} of files") for i, data in enumerate(columns))
    seen = []
    ret = []
    for _ in range(block.entries):
        number = numbers.varint()
        demand(number <= len(seen), "a directory is not one seen before")
        if number == 0:
            seen.append(directories.name_bytes())
        ret.append((seen[number - 1], names.name_bytes()))
    for cursor in (numbers, directories, names):
        cursor.done()
    return ret


Alternate = collections.namedtuple("Alternate", "start size function kind")


class Alternates(list):
    """A block's alternates; reach is how far below the key a range may begin in an earlier block."""


def decode_alternates(file, block, columns):
    """6.5"""
    starts, sizes, functions, kinds = (Cursor(data, f"column {i} of alternates") for i, data in enumerate(columns))
    ret = Alternates()
    ret.reach = starts.varint()
    demand(ret.reach <= block.key, "a reach below 0")
    start, function = block.key, 0
    for n in range(block.entries):
        if n:
            start += starts.varint()
            demand(start < U64, "a start leaves 64 bits")
        size = sizes.varint()
        function = (function + read_zigzag(functions)) % U32
        demand(1 <= function <= file.count(FUNCTIONS), "an alternate's function is out of range")
        kind = kinds.byte()
        demand(kind <= 2, f"kind {kind} of an alternate")
        ret.append(Alternate(start, size, function, kind))
    for cursor in (starts, sizes, functions, kinds):
        cursor.done()
    below_next(file.sections[ALTERNATES], block, start, 1)
    return ret


def below_next(section, block, start, more):
    """8.7: the last start of a keyed section's block is below the next block's key; of alternates it may be that."""
    blocks = section.blocks
    n = last_index(blocks, lambda other: other.first <= block.first) + 1
    demand(n == len(blocks) or start < blocks[n].key + more, "a block's starts reach into the next block")


DECODERS = {
    INTERVALS: decode_intervals,
    FUNCTIONS: decode_functions,
    FILES: decode_files,
    ALTERNATES: decode_alternates,
    SOURCE_COLUMNS: decode_source_columns,
}


# ---- 8.8 Whole files ----

def verify(file):
    declarations = [None] + [record.declaration for record in file.all_decoded(FUNCTIONS)]
    for n in range(len(file.sections[FILES].blocks)):
        file.decoded(FILES, n)
    verify_intervals(file, declarations)
    verify_alternates(file)
    verify_digest(file)


def u64s(*values):
    return b"".join(value.to_bytes(8, "little") for value in values)


def verify_digest(file):
    """5.3, and the raw sizes of 4.1."""
    content = []
    for section in file.sections.values():
        if section.flags & CONTENT:
            content.append(u64s(section.id, len(section.blocks)))
        raw_size = 0
        for n, block in enumerate(section.blocks):
            columns = file.columns(section, n)
            raw_size += sum(map(len, columns))
            if section.flags & CONTENT:
                digest = digest128(b"".join(u64s(len(column), *digest128(column)) for column in columns))
                content.append(u64s(block.key, block.entries, *digest))
        demand(raw_size == section.raw_size, f"the raw size of section {section.id}")
    demand(digest128(b"".join(content)) == file.content_digest, "the content", "checksum")


def verify_intervals(file, declarations):
    """6.3.6"""
    before = ()
    for n, block in enumerate(file.sections[INTERVALS].blocks):
        for interval in file.decoded(INTERVALS, n):
            now = verified_answer(declarations, interval)
            demand(now != before, "an interval has the answer of the one before")
            before = now
    demand(before == (), "the last interval is not a gap")


def verified_answer(declarations, interval):
    """The answer, in a form that can be compared: () for a gap, or the part and the frames."""
    context, file, line = interval.context, interval.file, interval.line
    if context is None:
        return ()
    ret = [context.part.kind, context.part.start]
    while context is not None:
        ret.append((context.function, *absolute(declarations[context.function], file, line)))
        demand(line is None or ret[-1][2] != 0, "line 0 is not told as unknown")
        file, line = context.call_file, context.call_line
        context = context.caller
    return (*ret, source_columns(interval))


def verify_alternates(file):
    """6.5: the reach of each block."""
    earlier = []
    for n, block in enumerate(file.sections[ALTERNATES].blocks):
        alternates = file.decoded(ALTERNATES, n)
        over = [a.start for a in earlier if a.start + a.size > block.key]
        demand(alternates.reach == (block.key - min(over) if over else 0), "a reach is wrong")
        earlier += alternates


# ---- The text of locus dump ----

NOT_SHOWN = frozenset([*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A),
                       *range(0xDC80, 0xDD00)])

def quoted(data):
    """A name in quotes. Escaped: what is not UTF-8, controls and marks of direction, and what would end the quotes."""
    ret = ['"']
    for character in data.decode("utf-8", "surrogateescape"):
        if character in '"\\':
            ret.append("\\" + character)
        elif ord(character) in NOT_SHOWN:
            ret.append("".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape")))
        else:
            ret.append(character)
    return "".join(ret) + '"'


def keyed(key, data):
    return f" {key}={quoted(data)}" if data else ""


def dump(file):
    info = file.info
    yield "locus format=2"
    yield "build-id " + info.build_id.hex()
    yield "elf machine=%u type=%u class=%u data=%u" % info.elf
    yield f"converter rules-epoch={info.rules_epoch}" + keyed("tool", info.tool) + keyed("options", info.options)
    for base, size, name in info.bases:
        yield f"base {hexadecimal(base)} {hexadecimal(size)} {quoted(name)}"
    for role, size, digest_kind, digest, build_id, name in info.inputs:
        yield (f"input role={role} size={size} digest={digest_kind}:{digest.hex()} build-id={build_id.hex()}" + keyed("name", name))
    for address, offset, size, memory, flags in info.segments:
        yield (f"segment {hexadecimal(address)} offset={hexadecimal(offset)} size={hexadecimal(size)} "
               f"memory={hexadecimal(memory)} flags={flags}")
    for kind, pairs, names in (("coverage", info.coverage, COVERAGE), ("dropped", info.dropped, DROPPED)):
        for number, value in pairs:
            yield f"{kind} {number} {names[number] if number < len(names) else '?'} {value}"
    for i in range(file.count(FILES)):
        directory, name = file.entry(FILES, i)
        yield f"file {i + 1}" + keyed("directory", directory) + keyed("name", name)
    for i, (name, linkage, declaration) in enumerate(file.all_decoded(FUNCTIONS)):
        yield (f"function {i + 1}" + keyed("name", name) + keyed("linkage", linkage)
               + f" file={declaration.file} line={declaration.line} language={declaration.language}")
    for i in range(file.count(ALTERNATES)):
        a = file.entry(ALTERNATES, i)
        yield (f"alternate {hexadecimal(a.start)} size={hexadecimal(a.size)} function={a.function} "
               + ALTERNATE_KINDS[a.kind])
    for i in range(file.count(INTERVALS)):
        yield dump_interval(file, file.entry(INTERVALS, i))


def hexadecimal(value):
    """As C's %#llx: 0 has no prefix."""
    return f"{value:#x}" if value else "0"


def dump_interval(file, interval):
    frames = file.frames(interval)
    ret = [f"{interval.start:#x}", answer(interval, frames)]
    ret += [f"{function}@{number}:{line}" + (f":{column}" if column else "")
            for (function, number, line), column in zip(frames, source_columns(interval))]
    if frames:
        part = interval.context.part
        ret += [PART_KINDS[part.kind], f"{part.start:#x}"]
    return " ".join(ret)


# ---- The objects of locus lookup --json --no-demangle --all ----

def text(data):
    """Each byte that is not UTF-8 becomes U+FFFD."""
    return re.sub("[\udc80-\udcff]", "\ufffd", data.decode("utf-8", "surrogateescape"))


def lookup_object(file, address):
    locid, interval = file.lookup(address)
    ret = {"address": f"{address:#x}", "status": "none", "frames": []}
    if interval is not None:
        ret["locid"] = locid
        add_frames(file, address, interval, ret)
    alternates = shown_alternates(file, address)
    if alternates:
        ret["alternates"] = [alternate_object(file, alternate) for alternate in alternates]
    return ret


def shown_alternates(file, address):
    """In the order of 12, and without symbols of functions that are there already."""
    shown = []
    last = None
    for alternate in sorted(file.alternates(address), key=lambda alternate: alternate_order(file, alternate)):
        place = alternate_order(file, alternate)[:2]
        if alternate.kind != ALIAS or place != last:
            shown.append(alternate)
        last = place
    return shown


def add_frames(file, address, interval, ret):
    frames = file.frames(interval)
    ret["status"] = answer(interval, frames)
    for n, (number, file_id, line) in enumerate(frames):
        ret["frames"].append(frame_object(file, file.record(number), file_id, line, n + 1 < len(frames)))
    for frame, column in zip(ret["frames"], source_columns(interval)):
        frame.update({"column": column} if column else {})
    if frames:
        part = interval.context.part
        ret["frames"][-1]["offset"] = f"{address - part.start:#x}"
        if part.kind == 1:
            ret["frames"][-1]["part"] = PART_KINDS[part.kind]


def alternate_order(file, alternate):
    record = file.record(alternate.function)
    return alternate.start, record.linkage or record.name, alternate.kind == ALIAS, len(record.linkage), alternate.kind


def alternate_object(file, alternate):
    return {**names_object(file.record(alternate.function)), "kind": ALTERNATE_KINDS[alternate.kind]}


def names_object(record):
    ret = {}
    if record.name or record.linkage:
        ret["function"] = text(record.linkage or record.name)
    if record.linkage:
        ret["linkage_name"] = text(record.linkage)
    return ret


def frame_object(file, record, file_id, line, inlined):
    ret = {"inlined": inlined, **names_object(record)}
    path = file.path(file_id) if file_id else b""
    if path:
        ret["file"] = text(path)
    if line:
        ret["line"] = line
    return ret


# ---- Command line ----

def open_file(name):
    with open(name, "rb") as stream:
        return File(stream.read())


def check_command(names):
    failed = False
    for name in names:
        try:
            verify(open_file(name))
            print(f"{name}: ok")
        except (Refused, OSError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


def dump_command(name):
    out = sys.stdout.buffer
    for line in dump(open_file(name)):
        out.write(line.encode("utf-8") + b"\n")
    return 0


def lookup_command(name, addresses):
    file = open_file(name)
    for address in addresses:
        print(json.dumps(lookup_object(file, int(address, 16))))
    return 0


def fit(command, rest):
    """Whether a command takes what stands behind its first file: no more files for a dump, addresses for a lookup."""
    return command == "check" or all(command == "lookup" and re.fullmatch("(0x)?[0-9a-fA-F]{1,16}", word) for word in rest)


def main(arguments):
    commands = {"check": lambda rest: check_command(rest),
                "dump": lambda rest: dump_command(rest[0]),
                "lookup": lambda rest: lookup_command(rest[0], rest[1:])}
    if len(arguments) < 2 or arguments[0] not in commands or not fit(arguments[0], arguments[2:]):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        return commands[arguments[0]](arguments[1:])
    except (Refused, OSError) as error:
        print(f"{arguments[1]}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
