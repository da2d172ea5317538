"""Which function, file and line is this address, and what was it inlined into: reads .locus files through liblocus.

    with locus.open("app.locus") as file:
        for frame in file.lookup(0x1149).frames:
            print(frame.name, frame.path, frame.line)

`File` is an open .locus file, `Store` a directory that has one for each build-id. What they return are plain values,
which stay after the file is closed. Every failure is a `LocusError`.
"""
from .errors import (
    ClosedError, DamagedError, LimitError, LocusError, NotLocusError, OutOfMemoryError, ReadError, Status,
    UnsupportedError, UsageError, VersionError,
)
from .file import NO_LOCID, File, open
from ._library import LIBRARY_VERSION
from .store import Store
from .values import (
    Alternate, AlternateKind, Answer, Base, DigestKind, Frame, Function, FunctionPlace, FunctionRange, Info, Input,
    InputRole, Interval, PartKind, Result, Section, Segment, SourceFile,
)

__all__ = [
    "LIBRARY_VERSION", "NO_LOCID", "Alternate", "AlternateKind", "Answer", "Base", "ClosedError", "DamagedError",
    "DigestKind", "File", "Frame", "Function", "FunctionPlace", "FunctionRange", "Info", "Input", "InputRole",
    "Interval", "LimitError", "LocusError", "NotLocusError", "OutOfMemoryError", "PartKind", "ReadError", "Result",
    "Section", "Segment", "SourceFile", "Status", "Store", "UnsupportedError", "UsageError", "VersionError", "open",
]
