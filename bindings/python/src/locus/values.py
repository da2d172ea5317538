"""What a file answers: plain values, which own their strings and stay when the file is closed."""
from __future__ import annotations

import enum
from typing import NamedTuple


class Answer(enum.IntEnum):
    """What is known of an address."""

    NONE = 0
    """Nothing: a gap, or outside of everything."""
    SYMBOL = 1
    """A name from the symbol table, and perhaps a file."""
    NO_LINE = 2
    """A function, but no line."""
    OK = 3
    """Function, file and line."""


class PartKind(enum.IntEnum):
    """Which part of its function an address is in."""

    ENTRY = 0
    """The one with the function's entry, from which offsets count."""
    OTHER = 1
    """Another one, as .cold; offsets count from its start."""
    SYMBOL = 2
    """Known from the symbol table only."""


class AlternateKind(enum.IntEnum):
    """Why a function that is not the first answer also answers for an address."""

    ALIAS = 0
    """Another symbol at the same start."""
    FOLDED = 1
    """Another function folded onto the same code."""
    OVERLAP = 2
    """Another function that claims the same addresses."""


class InputRole(enum.IntEnum):
    """What an input was read for."""

    PROGRAM = 0
    DEBUG = 1
    ALTERNATE = 2
    PACKAGE = 3
    SPLIT = 4


class DigestKind(enum.IntEnum):
    """What an input's digest is of."""

    NONE = 0
    BYTES = 1
    HEADERS = 2


class Interval(NamedTuple):
    """The addresses from `start` up to but not including `end` have one answer."""

    start: int
    end: int
    locid: int
    """The interval's ordinal in the file, which can be kept in four bytes; NO_LOCID below the first interval."""
    answer: Answer


class Frame(NamedTuple):
    """One function at a place."""

    function: str | None
    """The name as the debug information has it; None where that is a mangled linkage name."""
    linkage: str | None
    """The linkage name, mangled as it is; None where there is none."""
    directory: str | None
    """None where `file` stands alone."""
    file: str | None
    line: int | None
    column: int | None
    """None also in a file that was converted without --columns."""
    language: int | None
    """A DW_LANG code."""
    function_id: int
    """1 or more; equal ids are the same function."""
    file_id: int | None
    inlined: bool
    """Into the frame that follows; false for the outermost only."""
    part: PartKind | None
    """The outermost frame's; None in the others."""
    part_start: int | None
    offset: int | None
    """The address less `part_start`."""

    @property
    def name(self) -> str | None:
        """`function`, else `linkage`, which is not demangled."""
        return self.function or self.linkage

    @property
    def path(self) -> str | None:
        return _path(self.directory, self.file)


class Result(NamedTuple):
    """What an address, or all addresses of an interval, are."""

    interval: Interval
    frames: tuple[Frame, ...]
    """Innermost first; none where the answer is Answer.NONE."""


class Function(NamedTuple):
    """An entry of the table of functions."""

    id: int
    source_name: str | None
    """The name as the debug information has it; None where that is a mangled linkage name."""
    linkage: str | None
    decl_file_id: int | None
    decl_line: int | None
    language: int | None

    @property
    def name(self) -> str | None:
        """`source_name`, else `linkage`, which is not demangled."""
        return self.source_name or self.linkage


class SourceFile(NamedTuple):
    """An entry of the table of files."""

    id: int
    directory: str | None
    name: str

    @property
    def path(self) -> str:
        return _path(self.directory, self.name) or ""


class Alternate(NamedTuple):
    """Another function that answers for [start, start + size); size 0: an alias known by its start alone."""

    start: int
    size: int
    function_id: int
    kind: AlternateKind


class FunctionRange(NamedTuple):
    """Addresses of a function: of a part of its own, or of one copy that was inlined."""

    start: int
    end: int
    function_id: int
    inlined: bool
    """File.lookup(start) says into what."""
    part: PartKind | None
    """Which part of its function it is; None of a copy that was inlined."""
    part_start: int | None
    """Where the part begins, which may be before `start`; None of a copy that was inlined."""


class FunctionPlace(NamedTuple):
    """Where the functions of one name begin."""

    start: int
    """The lowest start."""
    start_count: int
    """How many different starts there are."""


class Base(NamedTuple):
    """A section of a relocatable file and the base it was given: .text+0x10 is base + 0x10."""

    name: str
    base: int
    size: int


class Input(NamedTuple):
    """A file that was read to make the .locus file."""

    role: InputRole | int
    """A plain int where a newer converter knows more."""
    name: str
    size: int
    build_id: bytes | None
    digest_kind: DigestKind | int
    digest: bytes | None


class Segment(NamedTuple):
    """A part of the program that is loaded: `file_size` bytes from `offset` of its file are at `address`."""

    address: int
    offset: int
    file_size: int
    memory_size: int
    flags: int
    """1 executable, 2 writable, 4 readable."""


class Info(NamedTuple):
    """What the file says of the program and of its own making."""

    build_id: bytes | None
    elf_machine: int
    elf_type: int
    elf_class: int
    elf_data: int
    rules_epoch: int
    tool: str
    options: str
    """Those that changed the content."""
    coverage: dict[str, int]
    """Bytes of code by what is known of them."""
    dropped: dict[str, int]
    """What was left out of the debug information, by the rule that drops it."""
    bases: tuple[Base, ...]
    inputs: tuple[Input, ...]
    """The program first."""
    segments: tuple[Segment, ...]


class Section(NamedTuple):
    """One section of the .locus file; sizes in bytes."""

    id: int
    name: str | None
    """None where this liblocus does not know it."""
    required: bool
    block_count: int
    entry_count: int
    index_size: int
    data_size: int
    raw_size: int
    """Before compression."""


def _path(directory: str | None, name: str | None) -> str | None:
    if name is None or not directory:
        return name
    return directory + name if directory.endswith("/") else f"{directory}/{name}"
