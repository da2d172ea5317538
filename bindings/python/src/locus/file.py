"""An open .locus file: what it answers for addresses, its tables, and what it says of itself."""
from __future__ import annotations

import ctypes
import enum
import operator
import os
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, NoReturn, SupportsIndex, TypeVar

from . import _abi
from ._abi import bytes_of, text_of
from .errors import failure, misused
from ._handle import Handle
from ._library import lib
from .values import (
    Alternate, AlternateKind, Answer, Base, DigestKind, Frame, Function, FunctionPlace, FunctionRange, Info, Input,
    InputRole, Interval, PartKind, Result, Section, Segment, SourceFile,
)

NO_LOCID = (1 << 32) - 1
"""The locid of an address below the first interval, or of a file without intervals."""

_ADDRESS_MAX = (1 << 64) - 1
_SIZE_MAX = ctypes.c_size_t(-1).value

T = TypeVar("T")
E = TypeVar("E", bound=enum.IntEnum)


class File:
    """An open .locus file. Threads may share it. It is closed by `close`, by `with`, or when nothing refers to it.

    Whatever is asked of a closed file raises ClosedError; every method may also raise DamagedError, when it is the first
    to read a part of the file, and LimitError.
    """

    def __init__(self, path: str | os.PathLike[str], *, memory_max: int = 0) -> None:
        """Opens a .locus file, or the one that a program carries in itself.

        `memory_max` bounds, in bytes, what the file may hold in memory; 0: liblocus's own bound (192 MiB and 48 times the file's size).
        """
        name = os.fsdecode(path)
        self._adopt(name, None, memory_max, lib.locus_open, _encoded(name))

    @classmethod
    def from_bytes(cls, data: bytes, *, name: str = "<bytes>", memory_max: int = 0) -> File:
        """Opens a .locus file's bytes. `name` is what errors call it."""
        self = cls.__new__(cls)
        borrowed = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p)
        self._adopt(name, data, memory_max, lib.locus_open_memory, borrowed, len(data))
        return self

    @classmethod
    def in_store(cls, store: str, build_id: bytes, *, name: str, memory_max: int = 0) -> File:
        """Opens what a store has for a build-id; see Store.open. `name` is what errors call it."""
        self = cls.__new__(cls)
        raw = (ctypes.c_uint8 * len(build_id)).from_buffer_copy(build_id)
        self._adopt(name, None, memory_max, lib.locus_open_in_store, _encoded(store), raw, len(build_id))
        return self

    def _adopt(self, name: str, memory: bytes | None, memory_max: int, function: Any, *source: Any) -> None:
        options = _abi.locus_open_options(memory_max_bytes=_checked(name, "memory_max", memory_max, _SIZE_MAX))
        pointer, error = ctypes.c_void_p(), _abi.locus_error()
        status = function(*source, ctypes.byref(options), ctypes.byref(pointer), ctypes.byref(error))
        if status:
            raise failure(name, status, error)
        assert pointer.value is not None
        self._handle = Handle(name, pointer.value, memory)
        self._finalizer = weakref.finalize(self, self._handle.close)

    def close(self) -> None:
        """Frees what the file holds, after the calls of other threads that are under way. Closing twice is fine."""
        self._finalizer()

    @property
    def closed(self) -> bool:
        return self._handle.is_closed

    def __enter__(self) -> File:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        # A copy would be closed with the file that it was made of.
        raise TypeError("a locus.File cannot be copied or pickled: open the file again")

    def __repr__(self) -> str:
        return f"<locus.File {self._handle.name!r}{' closed' if self.closed else ''}>"

    # ---- Addresses ----

    def lookup(self, address: SupportsIndex) -> Result:
        """What an address is: the functions it is in, innermost first.

        A return address, as all but the first of a stack trace are, belongs to the call before it: ask for address - 1, on
        ARM and MIPS with bit 0 cleared first.
        """
        return self._result(lib.locus_lookup, self._checked("address", address, _ADDRESS_MAX))

    def find(self, address: SupportsIndex) -> Interval:
        """The interval that holds an address; reads no name. Its locid can be kept, and `at` asked with it later."""
        return self._interval(lib.locus_find, self._checked("address", address, _ADDRESS_MAX))

    def at(self, locid: SupportsIndex) -> Result:
        """The interval of that ordinal and its frames, whose offsets count for the interval's start."""
        return self._result(lib.locus_frames, self._checked("locid", locid, NO_LOCID))

    def interval_at(self, locid: SupportsIndex) -> Interval:
        """The interval of that ordinal alone."""
        return self._interval(lib.locus_interval_at, self._checked("locid", locid, NO_LOCID))

    def __len__(self) -> int:
        """The number of intervals."""
        return self._count(lib.locus_interval_count)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Result]:
        """All intervals in the order of addresses, each with its frames."""
        return map(self.at, range(len(self)))

    def intervals(self) -> Iterator[Interval]:
        """All intervals without their frames, which is faster."""
        return map(self.interval_at, range(len(self)))

    def alternates(self, address: SupportsIndex) -> tuple[Alternate, ...]:
        """The other functions that answer for an address: aliases, folded code."""
        found, count = ctypes.POINTER(_abi.locus_alternate_info)(), ctypes.c_size_t()
        with self._handle.call() as (locus, scratch):
            self._handle.run(lib.locus_alternates, locus, scratch, self._checked("address", address, _ADDRESS_MAX),
                             ctypes.byref(found), ctypes.byref(count))
            return tuple(_alternate(found[i]) for i in range(count.value))

    def address_of_offset(self, offset: SupportsIndex) -> int:
        """The address that is loaded from an offset of the program's file. UsageError: no segment holds it."""
        return self._address(lib.locus_address_of_offset, self._checked("offset", offset, _ADDRESS_MAX))

    def address_of_runtime(self, base: SupportsIndex, runtime: SupportsIndex) -> int:
        """The file's own address of one in a process that has the program loaded at `base`, as /proc/PID/maps says.

        UsageError: that is outside of the program.
        """
        return self._address(lib.locus_address_of_runtime, self._checked("base", base, _ADDRESS_MAX),
                             self._checked("runtime", runtime, _ADDRESS_MAX))

    # ---- Tables ----

    @property
    def function_count(self) -> int:
        return self._count(lib.locus_function_count)

    def function(self, id: SupportsIndex) -> Function:
        """Ids count from 1 to `function_count`."""
        found = _abi.locus_function_info()
        return self._entry(lib.locus_function_at, id, found, _function)

    def functions(self) -> Iterator[Function]:
        return map(self.function, range(1, self.function_count + 1))

    @property
    def source_file_count(self) -> int:
        return self._count(lib.locus_file_count)

    def source_file(self, id: SupportsIndex) -> SourceFile:
        """Ids count from 1 to `source_file_count`."""
        found = _abi.locus_file_info()
        return self._entry(lib.locus_file_at, id, found, _source_file)

    def source_files(self) -> Iterator[SourceFile]:
        return map(self.source_file, range(1, self.source_file_count + 1))

    def all_alternates(self) -> Iterator[Alternate]:
        """The whole table of which `alternates` gives what holds an address."""
        return map(self._alternate_at, range(self._count(lib.locus_alternate_count)))

    # ---- Where functions are ----

    def functions_named(self, name: str) -> list[Function]:
        """The functions that have this name, or linkage name. Reads the whole table of functions."""
        return [function for function in self.functions() if name in (function.source_name, function.linkage)]

    def ranges(self, functions: Iterable[Function | SupportsIndex]) -> list[FunctionRange]:
        """Where these functions, or functions of these ids, are, by address: their own parts, and inlined copies.

        Reads all intervals of the file once, for however many functions.
        """
        ids = [self._checked("function id", one.id if isinstance(one, Function) else one, NO_LOCID) for one in functions]
        taken: list[FunctionRange] = []
        stopped: list[BaseException] = []

        # What a callback raises would be printed and forgotten, and so cut the list short in silence.
        def take(_: object, found: Any) -> bool:
            try:
                taken.append(_function_range(found[0]))
                return True
            except BaseException as error:
                stopped.append(error)
                return False

        with self._handle.call() as (locus, scratch):
            self._handle.run(lib.locus_function_ranges, locus, scratch, (ctypes.c_uint32 * len(ids))(*ids), len(ids),
                             _abi.take_range(take), None)
        if stopped:
            raise stopped[0]
        return taken

    def function_places(self, names: Iterable[str]) -> dict[str, FunctionPlace]:
        """Where the functions that have each name, or linkage name, begin; names of no function are left out.

        Reads the table of functions once, for however many names.
        """
        # A text is one of texts, too: its letters.
        if isinstance(names, str):
            raise misused(self._handle.name, f"names are several, as [{names!r}], and not one")
        asked = list(names)
        encoded = [name.encode("utf-8", "surrogateescape") for name in asked]
        strings = (_abi.locus_string * len(asked))()
        for string, data in zip(strings, encoded):
            string.data = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p)
            string.size = len(data)
        places = (_abi.locus_function_place * len(asked))()
        with self._handle.call() as (locus, scratch):
            self._handle.run(lib.locus_function_places, locus, scratch, strings, len(asked), places)
        return {name: FunctionPlace(place.start, place.count) for name, place in zip(asked, places) if place.count}

    # ---- What the file says of itself ----

    @property
    def identity(self) -> bytes:
        """16 bytes over the decoded content: the same at any compression level."""
        with self._handle.call() as (locus, _):
            return bytes(lib.locus_identity(locus).bytes)

    @property
    def size(self) -> int:
        """In bytes."""
        return self._count(lib.locus_file_size)

    @property
    def memory_size(self) -> int:
        """The bytes of memory that the open file takes now, with what its threads ask with."""
        return self._count(lib.locus_memory_size)

    @property
    def format_version(self) -> int:
        return self._count(lib.locus_format_version)

    @property
    def info(self) -> Info:
        """What the file says of the program and of its own making."""
        found = ctypes.POINTER(_abi.locus_info)()
        with self._handle.call() as (locus, _):
            self._handle.run(lib.locus_info, locus, ctypes.byref(found))
            return _info(found[0])

    def sections(self) -> list[Section]:
        """The sections of the .locus file, in its order."""
        found = _abi.locus_section_info()
        made = []
        with self._handle.call() as (locus, _):
            for index in range(lib.locus_section_count(locus)):
                self._handle.run(lib.locus_section_at, locus, index, ctypes.byref(found))
                made.append(_section(found))
        return made

    def verify(self, *, quick: bool = False) -> None:
        """Returns if the file is whole and well-formed; else raises what is wrong. Quick: its head and meta data alone."""
        with self._handle.call() as (locus, _):
            self._handle.run(lib.locus_verify, locus, 0 if quick else 1)

    # ---- How these ask ----

    def _checked(self, what: str, number: SupportsIndex, most: int) -> int:
        return _checked(self._handle.name, what, number, most)

    def _result(self, function: Any, key: int) -> Result:
        found = _abi.locus_result()
        with self._handle.call() as (locus, scratch):
            self._handle.run(function, locus, scratch, key, ctypes.byref(found))
            frames = found.frames
            return Result(_interval(found.interval), tuple(_frame(frames[i]) for i in range(found.frame_count)))

    def _interval(self, function: Any, key: int) -> Interval:
        found = _abi.locus_interval()
        with self._handle.call() as (locus, scratch):
            self._handle.run(function, locus, scratch, key, ctypes.byref(found))
        return _interval(found)

    def _address(self, function: Any, *numbers: int) -> int:
        found = ctypes.c_uint64()
        with self._handle.call() as (locus, _):
            self._handle.run(function, locus, *numbers, ctypes.byref(found))
        return found.value

    def _count(self, function: Any) -> int:
        with self._handle.call() as (locus, _):
            return int(function(locus))

    def _entry(self, function: Any, id: SupportsIndex, found: Any, make: Callable[[int, Any], T]) -> T:
        number = self._checked("id", id, NO_LOCID)
        with self._handle.call() as (locus, scratch):
            self._handle.run(function, locus, scratch, number, ctypes.byref(found))
            return make(number, found)

    def _alternate_at(self, index: int) -> Alternate:
        found = _abi.locus_alternate_info()
        return self._entry(lib.locus_alternate_at, index, found, lambda _, entry: _alternate(entry))


def open(path: str | os.PathLike[str], *, memory_max: int = 0) -> File:
    """Opens a .locus file, or the one that a program carries in itself; see File."""
    return File(path, memory_max=memory_max)


def _checked(name: str, what: str, number: SupportsIndex, most: int) -> int:
    """ctypes would cut a number to its lowest bits, and so ask for another one; and it knows no integers but Python's own."""
    value = operator.index(number)
    if not 0 <= value <= most:
        raise misused(name, f"{what} {value} is not in 0 to {most:#x}")
    return value


def _encoded(path: str) -> bytes:
    """ctypes would end a path at a null character, and so open another one."""
    if "\0" in path:
        raise misused(repr(path), "a path has no null character")
    return os.fsencode(path)


def _known(kind: type[E], number: int) -> E | int:
    """A number of an enum, or the number itself where a newer converter wrote it."""
    try:
        return kind(number)
    except ValueError:
        return number


def _interval(found: Any) -> Interval:
    return Interval(found.start, found.end, found.locid, Answer(found.answer))


def _frame(found: Any) -> Frame:
    inlined = found.inlined
    return Frame(text_of(found.function), text_of(found.linkage), text_of(found.directory), text_of(found.file),
                 found.line if found.has_line else None, found.column or None, found.language or None,
                 found.function_id, found.file_id or None, inlined, None if inlined else PartKind(found.part),
                 None if inlined else found.part_start, None if inlined else found.offset)


def _alternate(found: Any) -> Alternate:
    return Alternate(found.start, found.size, found.function_id, AlternateKind(found.kind))


def _function(id: int, found: Any) -> Function:
    return Function(id, text_of(found.name), text_of(found.linkage), found.decl_file_id or None,
                    found.decl_line or None, found.language or None)


def _source_file(id: int, found: Any) -> SourceFile:
    return SourceFile(id, text_of(found.directory), text_of(found.name) or "")


def _function_range(found: Any) -> FunctionRange:
    inlined = found.inlined
    return FunctionRange(found.start, found.end, found.function_id, inlined,
                         None if inlined else PartKind(found.part), None if inlined else found.part_start)


def _section(found: Any) -> Section:
    name = found.name.decode() if found.name is not None else None
    return Section(found.id, name, found.required, found.block_count, found.entry_count, found.index_size,
                   found.data_size, found.raw_size)


def _info(found: Any) -> Info:
    bases = tuple(Base(text_of(one.name) or "", one.base, one.size) for one in found.bases[:found.base_count])
    inputs = tuple(_input(one) for one in found.inputs[:found.input_count])
    segments = tuple(Segment(one.address, one.offset, one.file_size, one.memory_size, one.flags)
                     for one in found.segments[:found.segment_count])
    return Info(bytes_of(found.build_id), found.elf_machine, found.elf_type, found.elf_class, found.elf_data,
                found.rules_epoch, text_of(found.tool) or "", text_of(found.options) or "",
                _counters(found.coverage[:found.coverage_count], lib.locus_coverage_name),
                _counters(found.dropped[:found.dropped_count], lib.locus_dropped_name), bases, inputs, segments)


def _input(found: Any) -> Input:
    return Input(_known(InputRole, found.role), text_of(found.name) or "", found.size, bytes_of(found.build_id),
                 _known(DigestKind, found.digest_kind), bytes_of(found.digest))


def _counters(counters: Any, name_of: Callable[[int], bytes | None]) -> dict[str, int]:
    """By name; of one that a newer converter counts, the name is its number. Of one that comes twice it is the sum."""
    ret: dict[str, int] = {}
    for one in counters:
        name = found.decode() if (found := name_of(one.id)) else str(one.id)
        ret[name] = ret.get(name, 0) + one.value
    return ret
