"""Makes ELF files with hand-chosen DWARF, so that a test can show what no compiler produces to order.

A file is an Elf with sections, symbols and Units; a Unit is a tree of Dies and may have a Line table. Everything has a
plain default, and everything can be overridden: F(form, value) chooses an attribute's form, a Line's program is a list
of opcodes, and a range list is a list of raw entries. An address is a number or, in a relocatable file, a pair
(section name, offset).
"""

import struct
import zlib
from collections import namedtuple

F = namedtuple("F", "form value")  # an attribute's value in a chosen form

TAG = dict(
    array_type=0x01, class_type=0x02, enumeration_type=0x04, lexical_block=0x0b, compile_unit=0x11, structure_type=0x13,
    inlined_subroutine=0x1d, module=0x1e, base_type=0x24, catch_block=0x25, subprogram=0x2e, try_block=0x32, variable=0x34,
    namespace=0x39, imported_unit=0x3d, partial_unit=0x3c, type_unit=0x41, call_site=0x48,
    skeleton_unit=0x4a, GNU_call_site=0x4109)
AT = dict(
    sibling=0x01, name=0x03, stmt_list=0x10, low_pc=0x11, high_pc=0x12, language=0x13, import_=0x18, comp_dir=0x1b,
    const_value=0x1c, inline=0x20, producer=0x25, abstract_origin=0x31, declaration=0x3c, decl_file=0x3a, decl_line=0x3b,
    external=0x3f, specification=0x47, entry_pc=0x52, ranges=0x55, call_file=0x58, call_line=0x59, object_pointer=0x64, signature=0x69,
    linkage_name=0x6e, str_offsets_base=0x72, addr_base=0x73, rnglists_base=0x74, dwo_name=0x76, export_symbols=0x89,
    MIPS_linkage_name=0x2007, GNU_dwo_name=0x2130, GNU_dwo_id=0x2131, GNU_ranges_base=0x2132, GNU_addr_base=0x2133,
    LLVM_stmt_sequence=0x3e0c)
FORM = dict(
    addr=0x01, block2=0x03, block4=0x04, data2=0x05, data4=0x06, data8=0x07, string=0x08, block=0x09, block1=0x0a,
    data1=0x0b, flag=0x0c, sdata=0x0d, strp=0x0e, udata=0x0f, ref_addr=0x10, ref1=0x11, ref2=0x12, ref4=0x13, ref8=0x14,
    ref_udata=0x15, indirect=0x16, sec_offset=0x17, exprloc=0x18, flag_present=0x19, strx=0x1a, addrx=0x1b, ref_sup4=0x1c,
    strp_sup=0x1d, data16=0x1e, line_strp=0x1f, ref_sig8=0x20, implicit_const=0x21, loclistx=0x22, rnglistx=0x23,
    ref_sup8=0x24, strx1=0x25, strx2=0x26, strx3=0x27, strx4=0x28, addrx1=0x29, addrx2=0x2a, addrx3=0x2b, addrx4=0x2c,
    GNU_addr_index=0x1f01, GNU_str_index=0x1f02, GNU_ref_alt=0x1f20, GNU_strp_alt=0x1f21,
    LLVM_addrx_offset=0x2001)
STANDARD = dict(
    copy=1, advance_pc=2, advance_line=3, set_file=4, set_column=5, negate_stmt=6, set_basic_block=7, const_add_pc=8,
    fixed_advance_pc=9, set_prologue_end=10, set_epilogue_begin=11, set_isa=12)
CONTENT = dict(path=1, directory_index=2, timestamp=3, size=4, MD5=5)
RLE = dict(
    end_of_list=0, base_addressx=1, startx_endx=2, startx_length=3, offset_pair=4, base_address=5, start_end=6,
    start_length=7)
UNIT_TYPE = dict(compile=1, type=2, partial=3, skeleton=4, split_compile=5, split_type=6)
LANG = dict(C89=0x01, C=0x02, Ada83=0x03, C_plus_plus=0x04, Fortran77=0x07, D=0x13, Go=0x16, Haskell=0x18, ObjC_plus_plus=0x11, C99=0x0c, C11=0x1d,
            C_plus_plus_14=0x21, C_plus_plus_23=0x3a, C23=0x3e, Rust=0x1c, Mips_Assembler=0x8001)
MACHINE = dict(i386=3, mips=8, ppc=20, ppc64=21, s390=22, arm=40, sh=42, x86_64=62, avr=83, xtensa=94, aarch64=183,
               microblaze=189, loongarch=258)
# by machine and size: the relocation that puts an absolute address there
RELOCATION = {MACHINE[name]: kinds for name, kinds in dict(x86_64={8: 1, 4: 10}, mips={8: 18, 4: 2}, xtensa={4: 1},
                                                           microblaze={4: 1}, avr={4: 1, 2: 4}, sh={4: 1},
                                                           loongarch={8: 2, 4: 1}).items()}
ET = dict(REL=1, EXEC=2, DYN=3)
SHT = dict(PROGBITS=1, NOBITS=8)
STT = dict(NOTYPE=0, OBJECT=1, FUNC=2, SECTION=3, FILE=4, TLS=6, GNU_IFUNC=10)
STB = dict(LOCAL=0, GLOBAL=1, WEAK=2)
ALLOC, EXEC, WRITE, COMPRESSED = 2, 4, 1, 0x800

Section = namedtuple("Section", "name addr size flags type data", defaults=(ALLOC | EXEC, "PROGBITS", None))
Symbol = namedtuple("Symbol", "name value size type bind section", defaults=(0, "FUNC", "GLOBAL", None))
Segment = namedtuple("Segment", "addr size flags", defaults=("rx",))


class Bytes(bytearray):
    """A growing section in a byte order."""

    def __init__(self, little):
        super().__init__()
        self.order = "little" if little else "big"

    def uint(self, value, size):
        self += (value & ((1 << 8 * size) - 1)).to_bytes(size, self.order)

    def uleb(self, value, pad=0):
        while True:
            value, low = value >> 7, value & 0x7f
            pad -= 1
            more = value or pad > 0
            self.append(low | (0x80 if more else 0))
            if not more:
                return

    def sleb(self, value):
        while True:
            low, value = value & 0x7f, value >> 7
            done = value == (-1 if low & 0x40 else 0)
            self.append(low | (0 if done else 0x80))
            if done:
                return

    def string(self, value):
        self += as_bytes(value) + b"\0"

    def patch(self, offset, value, size):
        self[offset:offset + size] = value.to_bytes(size, self.order)

    def length_begin(self, offset_size):
        """Reserves an initial length; length_end fills it."""
        if offset_size == 8:
            self.uint(0xffffffff, 4)
        self.uint(0, offset_size)
        return len(self)

    def length_end(self, start, offset_size):
        self.patch(start - offset_size, len(self) - start, offset_size)


def zstd_stored(content):
    """A frame of zstd whose blocks are stored as they are (RFC 8878, 3.1.1)."""
    step = 1 << 17
    blocks = [content[at:at + step] for at in range(0, len(content), step)] or [b""]
    frame = bytes.fromhex("28b52ffde0") + len(content).to_bytes(8, "little")
    for block in blocks:
        frame += (len(block) << 3 | (block is blocks[-1])).to_bytes(3, "little") + block
    return frame


def as_bytes(value):
    return value.encode() if isinstance(value, str) else bytes(value)


class Die:
    """One entry: Die("subprogram", child, ..., name="f", pc=(start, end)). `pc` writes low_pc and high_pc as the
    version has it; a tag or attribute may also be a number."""

    def __init__(self, tag, *children, **attributes):
        self.tag, self.children = tag, list(children)
        self.attributes = attributes
        self.offset = None  # in its section, once written
        self.unit = None


class Line:
    """A line table. `program` is a list of opcodes: names with operands as in DWARF, ("special", opcode),
    ("standard", opcode, uleb, ...), ("extended", code, bytes). Files are names or (name, directory index), numbered
    from 1 in every version: for version 5 the first file and the unit's directory are repeated as number 0, unless
    `exact`, where `directories` and `files` are what the table holds."""

    def __init__(self, program, files=("a.c",), directories=(), version=None, exact=False, min_inst_len=1, max_ops=1,
                 line_base=-5, line_range=14, opcode_base=13, opcode_lengths=None, directory_format=None,
                 file_format=None, comp_dir="/src", offset64=None, addr_size=None):
        self.__dict__.update(locals())
        del self.self
        self.offset = None
        self.sequence_offsets = None  # where each sequence starts in .debug_line, once written

    def write(self, elf, out, version, offset64, addr_size):
        version = self.version or version
        offset_size = 8 if (offset64 if self.offset64 is None else self.offset64) else 4
        addr_size = self.addr_size or addr_size
        self.offset = len(out)
        start = out.length_begin(offset_size)
        out.uint(version, 2)
        if version >= 5:
            out.uint(addr_size, 1)
            out.uint(0, 1)
        header = len(out) + offset_size
        out.uint(0, offset_size)
        out.uint(self.min_inst_len, 1)
        if version >= 4:
            out.uint(self.max_ops, 1)
        out.uint(1, 1)
        out.uint(self.line_base, 1)
        out.uint(self.line_range, 1)
        out.uint(self.opcode_base, 1)
        lengths = self.opcode_lengths or [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1] + [0] * self.opcode_base
        out += bytes(lengths[:self.opcode_base - 1])
        if version >= 5:
            self.write_tables(elf, out, offset_size)
        else:
            for directory in self.directories:
                out.string(directory)
            out.append(0)
            for file in self.files:
                name, index = file if isinstance(file, tuple) else (file, 0)
                out.string(name)
                out.uleb(index)
                out += b"\0\0"
            out.append(0)
        out.patch(header - offset_size, len(out) - header, offset_size)
        self.sequence_offsets = [len(out)]
        for opcode in self.program:
            self.write_opcode(elf, out, addr_size, *opcode)
            if opcode[0] == "end_sequence":
                self.sequence_offsets.append(len(out))
        out.length_end(start, offset_size)

    def write_tables(self, elf, out, offset_size):
        directories = [d if isinstance(d, tuple) else (d,) for d in self.directories]
        files = [f if isinstance(f, tuple) else (f, 0) for f in self.files]
        if not self.exact:
            directories.insert(0, (self.comp_dir,))
            files[:0] = files[:1]
        for form, entries in ((self.directory_format or [("path", "string")], directories),
                              (self.file_format or [("path", "string"), ("directory_index", "udata")], files)):
            out.uint(len(form), 1)
            for content, name in form:
                out.uleb(CONTENT.get(content, content))
                out.uleb(FORM[name])
            out.uleb(len(entries))
            for entry in entries:
                for (_, name), value in zip(form, entry):
                    elf.write_plain(out, name, value, offset_size)

    def write_opcode(self, elf, out, addr_size, name, *operands):
        if name == "special":
            out.append(operands[0])
        elif name == "standard":
            out.append(operands[0])
            for operand in operands[1:]:
                out.uleb(operand)
        elif name == "set_address":
            out.append(0)
            out.uleb(1 + addr_size)
            out.append(2)
            elf.write_addr(out, operands[0], addr_size)
        elif name == "end_sequence":
            out += b"\0\1\1"
        elif name == "define_file":
            body = Bytes(True)
            body.string(operands[0])
            body += b"\0\0\0"
            self.write_extended(out, 3, body)
        elif name == "set_discriminator":
            body = Bytes(True)
            body.uleb(operands[0])
            self.write_extended(out, 4, body)
        elif name == "extended":
            self.write_extended(out, *operands)
        else:
            out.append(STANDARD[name])
            for operand in operands:
                if name == "fixed_advance_pc":
                    out.uint(operand, 2)
                elif name == "advance_line":
                    out.sleb(operand)
                else:
                    out.uleb(operand)

    @staticmethod
    def write_extended(out, code, body):
        out.append(0)
        out.uleb(1 + len(body))
        out.append(code)
        out += body


def sequence(rows, end):
    """The opcodes of one sequence, from rows (address, line[, file]) with rising addresses."""
    program, line, file, last = [("set_address", rows[0][0])], 1, 1, rows[0][0]
    for row in rows:
        if offset_of(row[0]) != offset_of(last):
            program.append(("advance_pc", offset_of(row[0]) - offset_of(last)))
        if len(row) > 2 and row[2] != file:
            program.append(("set_file", row[2]))
            file = row[2]
        if row[1] != line:
            program.append(("advance_line", row[1] - line))
        program.append(("copy",))
        last, line = row[0], row[1]
    return program + [("advance_pc", offset_of(end) - offset_of(last)), ("end_sequence",)]


def offset_of(address):
    return address[1] if isinstance(address, tuple) else address


class Unit:
    """A unit: its root DIE, line table and version. kind: compile, partial, type, skeleton or split_compile.
    `addresses` is its part of .debug_addr; `type_die` the DIE a type unit's signature stands for."""

    def __init__(self, root, line=None, version=4, offset64=False, addr_size=None, kind="compile", dwo_id=0, signature=0,
                 type_die=None, addresses=()):
        self.__dict__.update(locals())
        del self.self
        self.offset = None
        self.strings, self.lists = [], []

    def dies(self):
        todo = [self.root]
        while todo:
            die = todo.pop()
            yield die
            todo += die.children


class Elf:
    """A file to be: write(path) lays it out. `alternate` is the Elf that GNU_ref_alt and GNU_strp_alt, or ref_sup and
    strp_sup, point into (write it first); `sup` is .debug_sup: bytes, or (is supplementary, name, checksum); `dwo` puts
    the units into .dwo sections; `compress` is "zlib", "zstd" (as SHF_COMPRESSED says) or "zdebug" (as the section's
    name says); `machine_flags` is e_flags; `addends_in_place`: RELA of 32 bits, whose own addends are 0."""

    def __init__(self, bits=64, little=True, type="EXEC", machine=None, sections=(Section(".text", 0x1000, 0x1000),),
                 segments=None, symbols=(), dynamic_symbols=(), units=(), lines=(), build_id=None, debuglink=None,
                 altlink=None, alternate=None, sup=None, dwo=False, compress=None, machine_flags=0, entry=0,
                 addends_in_place=False):
        self.__dict__.update(locals())
        del self.self
        machine = machine or {(64, True): "x86_64", (32, True): "i386", (64, False): "s390", (32, False): "ppc"}[bits, little]
        self.machine = MACHINE[machine]
        self.debug = {}      # section name -> Bytes
        self.relocations = {}  # section name -> [(offset, target section, addend, size)]
        self.string_offsets = {}
        self.package = None  # Bytes of .debug_cu_index, in a .dwp

    # DWARF

    def section(self, name):
        return self.debug.setdefault(name + (".dwo" if self.dwo and name != ".debug_cu_index" else ""), Bytes(self.little))

    def write_addr(self, out, value, size):
        if isinstance(value, tuple):
            name = next(name for name, data in self.debug.items() if data is out)
            self.relocations.setdefault(name, []).append((len(out), value[0], value[1], size))
            value = 0 if self.bits == 64 else value[1]
        out.uint(value, size)

    def pooled(self, section, value):
        """The offset of a string in .debug_str or .debug_line_str, written once."""
        key = section, as_bytes(value)
        if key not in self.string_offsets:
            out = self.section(section)
            self.string_offsets[key] = len(out)
            out.string(value)
        return self.string_offsets[key]

    def write_plain(self, out, form, value, offset_size):
        """A value of a form that needs nothing of its unit; shared with version 5 line tables."""
        if form == "string":
            out.string(value)
        elif form in ("strp", "line_strp"):
            out.uint(self.pooled(".debug_str" if form == "strp" else ".debug_line_str", value), offset_size)
        elif form in ("GNU_strp_alt", "strp_sup"):
            out.uint(self.alternate.string_offsets[".debug_str", as_bytes(value)], offset_size)
        elif form == "sec_offset":
            out.uint(value, offset_size)
        elif form in ("udata", "strx", "addrx", "rnglistx", "GNU_addr_index", "GNU_str_index"):
            out.uleb(value)
        elif form == "LLVM_addrx_offset":
            out.uleb(value[0])
            out.uint(value[1], 4)
        elif form == "sdata":
            out.sleb(value)
        elif form in ("flag", "data1", "strx1", "addrx1"):
            out.uint(int(value), 1)
        elif form in ("data2", "strx2", "addrx2"):
            out.uint(value, 2)
        elif form in ("strx3", "addrx3"):
            out.uint(value, 3)
        elif form in ("data4", "strx4", "addrx4"):
            out.uint(value, 4)
        elif form == "data8":
            out.uint(value, 8)
        elif form == "data16":
            out += value
        elif form in ("block", "exprloc"):
            out.uleb(len(value))
            out += value
        elif form in ("block1", "block2", "block4"):
            out.uint(len(value), int(form[5:]))
            out += value
        elif form not in ("flag_present", "implicit_const"):
            raise ValueError("form " + form)

    def default_form(self, unit, name, value):
        if isinstance(value, F):
            return value
        if name in ("low_pc", "entry_pc"):
            return F("addr", value)
        if name in ("ranges", "stmt_list", "str_offsets_base", "addr_base", "rnglists_base", "GNU_ranges_base",
                    "GNU_addr_base", "LLVM_stmt_sequence"):
            return F("sec_offset" if unit.version >= 4 else "data8" if unit.offset64 else "data4", value)
        if name == "GNU_dwo_id":
            return F("data8", value)
        if isinstance(value, bool):
            return F("flag", value)
        if isinstance(value, (str, bytes)):
            return F("string", value)
        if isinstance(value, Die):
            return F("ref4" if value.unit is unit else "ref_addr", value)
        return F("udata", value)

    def attributes_of(self, unit, die):
        """[(attribute, F)] with `pc` spelt as the unit's version has it."""
        ret = []
        for name, value in die.attributes.items():
            if name == "pc":
                start, end = value
                size = offset_of(end) - offset_of(start)
                ret += [("low_pc", F("addr", start)),
                        ("high_pc", F("data8", size) if unit.version >= 4 else F("addr", end))]
            else:
                ret.append((name, self.default_form(unit, name, value)))
        return ret

    def write_units(self):
        for unit in self.units:
            for die in unit.dies():
                die.unit = unit
        patches = []
        for unit in self.units:
            if unit.line and unit.line.offset is None:
                self.write_line(unit.line, unit)
            self.write_unit(unit, patches)
        for line in self.lines:
            self.write_line(line, self.units[0] if self.units else Unit(None))
        for out, position, size, die, base, padded in patches:
            value = Bytes(self.little)
            if padded:
                value.uleb(die.offset - base, size)
            else:
                value.uint(die.offset - base, size)
            out[position:position + size] = value

    def write_line(self, line, unit):
        line.write(self, self.section(".debug_line"), unit.version, unit.offset64, unit.addr_size or self.bits // 8)

    def write_unit(self, unit, patches):
        offset_size = 8 if unit.offset64 else 4
        types = unit.kind == "type" and unit.version < 5
        out = self.section(".debug_types" if types else ".debug_info")
        abbrev = self.section(".debug_abbrev")
        unit.addr_size = unit.addr_size or self.bits // 8
        self.add_bases(unit)
        unit.offset = len(out)
        start = out.length_begin(offset_size)
        out.uint(unit.version, 2)
        if unit.version >= 5:
            out.uint(UNIT_TYPE[unit.kind], 1)
            out.uint(unit.addr_size, 1)
        out.uint(len(abbrev), offset_size)
        if unit.version < 5:
            out.uint(unit.addr_size, 1)
        if unit.kind in ("skeleton", "split_compile") and unit.version >= 5:
            out.uint(unit.dwo_id, 8)
        if unit.kind == "type":
            out.uint(unit.signature, 8)
            patches.append((out, len(out), offset_size, unit.type_die, unit.offset, False))
            out.uint(0, offset_size)
        abbrevs = {}
        todo = [unit.root]
        while todo:
            die = todo.pop()
            if die is None:
                out.append(0)
                continue
            die.offset = len(out)
            attributes = self.attributes_of(unit, die)
            key = (TAG.get(die.tag, die.tag), bool(die.children),
                   tuple((AT.get(name, name), FORM[f.form], f.value if f.form == "implicit_const" else None)
                         for name, f in attributes))
            out.uleb(abbrevs.setdefault(key, len(abbrevs) + 1))
            for name, f in attributes:
                self.write_value(unit, out, name, f, offset_size, patches)
            if die.children:
                todo.append(None)
                todo += reversed(die.children)
        out.length_end(start, offset_size)
        for (tag, has_children, attributes), code in abbrevs.items():
            abbrev.uleb(code)
            abbrev.uleb(tag)
            abbrev.append(has_children)
            for name, form, constant in attributes + ((0, 0, None),):
                abbrev.uleb(name)
                abbrev.uleb(form)
                if constant is not None:
                    abbrev.sleb(constant)
        abbrev.append(0)
        self.write_tables(unit, offset_size)

    def add_bases(self, unit):
        """Gives the root DIE stmt_list and the bases of the tables that the unit's forms use."""
        values = [value for die in unit.dies() for value in die.attributes.values() if isinstance(value, F)]
        forms = {value.form for value in values}
        unit.lists = [value.value for value in values if value.form == "rnglistx" and isinstance(value.value, list)]
        header = 16 if unit.offset64 else 8
        bases = {}
        if unit.line:
            bases["stmt_list"] = unit.line.offset
        if not self.dwo:
            if any(form.startswith("strx") for form in forms):
                bases["str_offsets_base"] = len(self.section(".debug_str_offsets")) + header
            if "rnglistx" in forms:
                bases["rnglists_base"] = len(self.section(".debug_rnglists")) + header + 4
            if unit.addresses:
                here = len(self.section(".debug_addr"))
                if unit.version >= 5:
                    bases["addr_base"] = here + header
                else:
                    bases["GNU_addr_base"] = here
        for name, value in bases.items():
            unit.root.attributes.setdefault(name, value)
        if unit.lists:
            self.write_indexed_lists(unit)

    def write_tables(self, unit, offset_size):
        """The unit's parts of .debug_str_offsets and .debug_addr."""
        if unit.strings:
            out = self.section(".debug_str_offsets")
            if unit.version >= 5:
                start = out.length_begin(offset_size)
                out.uint(5, 2)
                out.uint(0, 2)
            for offset in unit.strings:
                out.uint(offset, offset_size)
            if unit.version >= 5:
                out.length_end(start, offset_size)
        if unit.addresses:
            out = self.section(".debug_addr")
            if unit.version >= 5:
                start = out.length_begin(offset_size)
                out.uint(5, 2)
                out.uint(unit.addr_size, 1)
                out.uint(0, 1)
            for address in unit.addresses:
                self.write_addr(out, address, unit.addr_size)
            if unit.version >= 5:
                out.length_end(start, offset_size)

    def write_indexed_lists(self, unit):
        """The unit's part of .debug_rnglists: the lists that rnglistx counts."""
        offset_size = 8 if unit.offset64 else 4
        out = self.section(".debug_rnglists")
        start = self.rnglists_begin(out, unit, offset_size, len(unit.lists))
        table = len(out)
        out += bytes(offset_size * len(unit.lists))
        for index, entries in enumerate(unit.lists):
            out.patch(table + index * offset_size, len(out) - table, offset_size)
            self.write_rnglist(out, unit, entries)
        out.length_end(start, offset_size)

    def rnglists_begin(self, out, unit, offset_size, count):
        start = out.length_begin(offset_size)
        out.uint(5, 2)
        out.uint(unit.addr_size, 1)
        out.uint(0, 1)
        out.uint(count, 4)
        return start

    def write_value(self, unit, out, name, f, offset_size, patches):
        form, value = f
        if callable(value):  # known only when what it depends on is written
            value = value()
        if isinstance(value, Die):
            if form in ("ref_addr", "GNU_ref_alt"):
                size = unit.addr_size if form == "ref_addr" and unit.version == 2 else offset_size
                base = 0
            else:
                size = {"ref1": 1, "ref2": 2, "ref4": 4, "ref8": 8, "ref_udata": 5, "ref_sup4": 4, "ref_sup8": 8}[form]
                base = 0 if form.startswith("ref_sup") else unit.offset
            patches.append((out, len(out), size, value, base, form == "ref_udata"))
            out += bytes(size)
        elif form == "ref_addr":
            out.uint(value, unit.addr_size if unit.version == 2 else offset_size)
        elif form.startswith("ref") and form != "ref_sig8":
            out.uint(value, int(form[3:]))
        elif form == "ref_sig8":
            out.uint(value, 8)
        elif form == "addr":
            self.write_addr(out, value, unit.addr_size)
        elif form == "indirect":
            out.uleb(FORM[value.form])
            self.write_value(unit, out, name, value, offset_size, patches)
        elif isinstance(value, (str, bytes)) and (form.startswith("strx") or form == "GNU_str_index"):
            unit.strings.append(self.pooled(".debug_str", value))
            self.write_plain(out, form, len(unit.strings) - 1, offset_size)
        elif isinstance(value, list) and form == "rnglistx":
            out.uleb(unit.lists.index(value))
        elif isinstance(value, list):
            self.write_plain(out, form, self.write_ranges(unit, value, offset_size), offset_size)
        else:
            self.write_plain(out, form, value, offset_size)

    def write_ranges(self, unit, entries, offset_size):
        """A list of its own; returns its offset. Entries of .debug_ranges are raw (begin, end) pairs; in version 5 such a
        pair is a start_end, and any other entry a (name, operands...)."""
        if unit.version < 5:
            out = self.section(".debug_ranges")
            offset = len(out)
            for begin, end in entries + [(0, 0)]:
                self.write_addr(out, begin, unit.addr_size)
                self.write_addr(out, end, unit.addr_size)
            return offset
        out = self.section(".debug_rnglists")
        start = self.rnglists_begin(out, unit, offset_size, 0)
        offset = len(out)
        self.write_rnglist(out, unit, entries)
        out.length_end(start, offset_size)
        return offset

    def write_rnglist(self, out, unit, entries):
        for entry in entries + [("end_of_list",)]:
            if entry[0] not in RLE:
                entry = ("start_end",) + entry
            name, operands = entry[0], entry[1:]
            out.append(RLE[name])
            for index, operand in enumerate(operands):
                is_address = name in ("base_address", "start_end") or (name == "start_length" and index == 0)
                if is_address:
                    self.write_addr(out, operand, unit.addr_size)
                else:
                    out.uleb(operand)

    # ELF

    def write(self, path):
        if not self.debug:
            self.write_units()
        header_size, phentsize, shentsize = (64, 56, 64) if self.bits == 64 else (52, 32, 40)
        headers = []  # (name, type, flags, addr, data or None, size, link, info, align, entsize)
        for s in self.sections:
            data = None if s.type == "NOBITS" else s.data if s.data is not None else bytes(s.size)
            headers.append([s.name, SHT[s.type], s.flags, s.addr, data, s.size, 0, 0, 1, 0])
        if self.build_id:
            headers.append([".note.gnu.build-id", 7, ALLOC, 0x100,
                            self.pack("III", 4, len(self.build_id), 3) + b"GNU\0" + self.build_id, None, 0, 0, 4, 0])
        if self.debuglink:
            name, checksum = self.debuglink
            headers.append([".gnu_debuglink", 1, 0, 0, padded(name) + self.pack("I", checksum), None, 0, 0, 4, 0])
        if self.altlink:
            headers.append([".gnu_debugaltlink", 1, 0, 0, as_bytes(self.altlink[0]) + b"\0" + self.altlink[1], None, 0, 0, 1, 0])
        if self.sup:
            headers.append([".debug_sup", 1, 0, 0, self.supplement(), None, 0, 0, 1, 0])
        for name, data in self.debug.items():
            flags, content = 0, bytes(data)
            if self.compress == "zdebug":
                name = ".z" + name[1:]
                content = b"ZLIB" + len(data).to_bytes(8, "big") + zlib.compress(content)
            elif self.compress:
                flags = COMPRESSED
                kind, packed = {"zlib": (1, zlib.compress), "zstd": (2, zstd_stored)}[self.compress]
                head = self.pack("IIQQ", kind, 0, len(data), 1) if self.bits == 64 else self.pack("III", kind, len(data), 1)
                content = head + packed(content)
            headers.append([name, 1, flags, 0, content, None, 0, 0, 1, 0])
        if self.dynamic_symbols:
            self.add_symbols(headers, ".dynsym", 11, ".dynstr", self.dynamic_symbols)
        if self.symbols or self.relocations:
            self.add_symbols(headers, ".symtab", 2, ".strtab", self.symbols)
        for name, entries in self.relocations.items():
            self.add_relocations(headers, name, entries)
        names = bytearray(b"\0")
        headers.append([".shstrtab", 3, 0, 0, b"", None, 0, 0, 1, 0])
        offsets = []
        for header in headers:
            offsets.append(len(names))
            names += header[0].encode() + b"\0"
        headers[-1][4] = bytes(names)
        segments = self.all_segments()
        body = bytearray(header_size + phentsize * len(segments))
        table = [bytes(shentsize)]
        for header, name in zip(headers, offsets):
            _, kind, flags, addr, data, size, link, info, align, entsize = header
            body += bytes(-len(body) % 8)
            table.append(self.pack("IIPPPPIIPP", name, kind, flags, addr, len(body), size if data is None else len(data),
                                   link, info, align, entsize))
            body += data or b""
        body += bytes(-len(body) % 8)
        ident = b"\x7fELF" + bytes([2 if self.bits == 64 else 1, 1 if self.little else 2, 1]) + bytes(9)
        head = ident + self.pack("HHIPPPIHHHHHH", ET[self.type], self.machine, 1, self.entry, header_size if segments else 0,
                                 len(body), self.machine_flags, header_size, phentsize, len(segments), shentsize, len(table),
                                 len(table) - 1)
        for s in segments:
            access = sum({"r": 4, "w": 2, "x": 1}[c] for c in s.flags)
            if self.bits == 64:
                head += self.pack("IIQQQQQQ", 1, access, 0, s.addr, s.addr, 0, s.size, 1)
            else:
                head += self.pack("IIIIIIII", 1, 0, s.addr, s.addr, 0, s.size, access, 1)
        body[:len(head)] = head
        with open(path, "wb") as out:
            out.write(body + b"".join(table))
        return path

    def all_segments(self):
        if self.type == "REL":
            return []
        if self.segments is not None:
            return [Segment(*s) for s in self.segments]
        return [Segment(s.addr, s.size) for s in self.sections if s.flags & EXEC]

    def supplement(self):
        """What .debug_sup holds (DWARF 5, 7.3.6)."""
        if isinstance(self.sup, bytes):
            return self.sup
        is_supplementary, name, checksum = self.sup
        return self.pack("HB", 5, is_supplementary) + as_bytes(name) + b"\0" + bytes([len(checksum)]) + checksum

    def pack(self, fields, *values):
        """struct.pack in the file's byte order; P is an address of the file's class."""
        return struct.pack(("<" if self.little else ">") + fields.replace("P", "Q" if self.bits == 64 else "I"), *values)

    def add_symbols(self, headers, name, kind, strings_name, symbols):
        """A symbol table and its strings. In a .symtab each section's own symbol comes first, for relocations."""
        numbers = {s.name: index + 1 for index, s in enumerate(self.sections)}
        all_symbols = list(map(lambda s: Symbol(*s), symbols))
        if kind == 2:
            all_symbols[:0] = [Symbol("", 0, 0, "SECTION", "LOCAL", s.name) for s in self.sections]
        all_symbols.sort(key=lambda s: s.bind != "LOCAL")
        strings, table = bytearray(b"\0"), bytearray(24 if self.bits == 64 else 16)
        for s in all_symbols:
            offset = len(strings) if s.name else 0
            strings += as_bytes(s.name) + b"\0" if s.name else b""
            info = STB[s.bind] << 4 | STT[s.type]
            if isinstance(s.section, int):
                number = s.section
            elif s.section:
                number = numbers[s.section]
            else:
                number = next((numbers[t.name] for t in self.sections if t.addr <= s.value < t.addr + t.size), 1)
            if self.bits == 64:
                table += self.pack("IBBHQQ", offset, info, 0, number, s.value, s.size)
            else:
                table += self.pack("IIIBBH", offset, s.value, s.size, info, 0, number)
        locals_count = 1 + sum(s.bind == "LOCAL" for s in all_symbols)
        headers.append([name, kind, ALLOC if kind == 11 else 0, 0, bytes(table), None, len(headers) + 2, locals_count, 8,
                        24 if self.bits == 64 else 16])
        headers.append([strings_name, 3, 0, 0, bytes(strings), None, 0, 0, 1, 0])

    def add_relocations(self, headers, name, entries):
        """Entries against section symbols, which stand first in .symtab, in section order."""
        numbers = {s.name: index + 1 for index, s in enumerate(self.sections)}
        kinds, data = RELOCATION[self.machine], bytearray()
        for offset, target, addend, size in entries:
            if self.addends_in_place:
                data += self.pack("III", offset, numbers[target] << 8 | kinds[size], 0)
            elif self.bits == 64:
                data += self.pack("QQq", offset, numbers[target] << 32 | kinds.get(size, size), addend)
            else:
                data += self.pack("II", offset, numbers[target] << 8 | kinds[size])
        index = {header[0]: number + 1 for number, header in enumerate(headers)}
        prefix, kind, size = (".rela", 4, 24) if self.bits == 64 else (".rel", 9, 8)
        if self.addends_in_place:
            prefix, kind, size = ".rela", 4, 12
        headers.append([prefix + name, kind, 0, 0, bytes(data), None, index[".symtab"], index[name], 8, size])


def padded(name):
    data = as_bytes(name) + b"\0"
    return data + bytes(-len(data) % 4)


def crc32(path):
    with open(path, "rb") as file:
        return zlib.crc32(file.read())


def package(path, parts):
    """A .dwp of .dwo Elfs with one unit each: their sections, one after another, and .debug_cu_index."""
    version = parts[0].units[0].version
    ids = [(".debug_info.dwo", 1), (".debug_abbrev.dwo", 3), (".debug_line.dwo", 4), (".debug_str_offsets.dwo", 6)]
    if version >= 5:
        ids.append((".debug_rnglists.dwo", 8))
    whole = Elf(bits=parts[0].bits, little=parts[0].little, type="REL", sections=())
    rows = []
    for part in parts:
        if not part.debug:
            part.write_units()
        row = []
        for name, _ in ids:
            out = whole.section(name)
            row.append((len(out), len(part.debug.get(name, b""))))
            data = Bytes(part.little)
            data += part.debug.get(name, b"")
            if name == ".debug_str_offsets.dwo":  # offsets move with the strings of the parts before
                for position in range(8 if version >= 5 else 0, len(data), 4):
                    value = int.from_bytes(data[position:position + 4], data.order)
                    data.patch(position, value + len(whole.section(".debug_str.dwo")), 4)
            out += data
        whole.section(".debug_str.dwo").extend(part.debug.get(".debug_str.dwo", b""))
        rows.append((part.units[0].dwo_id, row))
    slots = 1
    while slots * 2 < len(rows) * 3:
        slots *= 2
    slots = max(slots, 2)
    table = [None] * slots
    for index, (signature, _) in enumerate(rows):
        slot = signature & (slots - 1)
        step = (signature >> 32 & (slots - 1)) | 1
        while table[slot]:
            slot = (slot + step) % slots
        table[slot] = (signature, index + 1)
    out = whole.section(".debug_cu_index")
    out.uint(version if version >= 5 else 2, 2 if version >= 5 else 4)
    if version >= 5:
        out.uint(0, 2)
    for value in (len(ids), len(rows), slots):
        out.uint(value, 4)
    for entry in table:
        out.uint(entry[0] if entry else 0, 8)
    for entry in table:
        out.uint(entry[1] if entry else 0, 4)
    for _, number in ids:
        out.uint(number, 4)
    for which in (0, 1):
        for _, row in rows:
            for value in row:
                out.uint(value[which], 4)
    return whole.write(path)
