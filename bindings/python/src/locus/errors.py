"""What can go wrong, as exceptions: one for each kind of fault, all of them LocusError."""
from __future__ import annotations

import ctypes
import enum

from . import _abi

_NO_OFFSET = (1 << 64) - 1


class Status(enum.IntEnum):
    """enum locus_status of <locus/status.h>, whose numbers are permanent."""

    OK = 0
    IO = 1
    MEMORY = 2
    USAGE = 3
    NOT_LOCUS = 4
    VERSION = 5
    TRUNCATED = 6
    CHECKSUM = 7
    CORRUPT = 8
    UNSUPPORTED = 9
    NOT_ELF = 10
    BAD_ELF = 11
    BAD_DWARF = 12
    NO_DEBUG = 13
    COMPANION = 14
    LIMIT = 15
    OUTPUT = 16


class LocusError(Exception):
    """A call of liblocus failed. Its text says which file, what is wrong and what to do."""

    status: Status
    """Who is at fault, as liblocus tells it."""
    offset: int | None
    """The place in the file that is to blame, in bytes from its start, or, where a program carries the file, from that of its
    section .locus; None where there is none."""


class ReadError(LocusError, OSError):
    """The system could not open or read the file; `errno` says why, as of every OSError."""


class OutOfMemoryError(LocusError, MemoryError):
    """The system had no memory."""


class UsageError(LocusError, ValueError):
    """An argument is out of its range."""


class ClosedError(UsageError):
    """The file has been closed."""


class NotLocusError(LocusError):
    """It is no .locus file."""


class VersionError(LocusError):
    """It is written in another version of the format: of an older one, convert the program again; of a newer one, it needs a
    newer liblocus."""


class DamagedError(LocusError):
    """The file is cut short, or was changed, or breaks a rule of FORMAT.md; `status` says which."""


class UnsupportedError(LocusError):
    """The file is valid, and needs something that this liblocus does not have."""


class LimitError(LocusError):
    """Reading it takes more memory than `memory_max` allows."""


_KINDS: dict[Status, type[LocusError]] = {
    Status.IO: ReadError,
    Status.MEMORY: OutOfMemoryError,
    Status.USAGE: UsageError,
    Status.NOT_LOCUS: NotLocusError,
    Status.VERSION: VersionError,
    Status.TRUNCATED: DamagedError,
    Status.CHECKSUM: DamagedError,
    Status.CORRUPT: DamagedError,
    Status.UNSUPPORTED: UnsupportedError,
    Status.LIMIT: LimitError,
}


def failure(name: str, status: int, error: _abi.locus_error) -> LocusError:
    """The exception for a call on the file `name` that returned this status and filled this record."""
    offset = None if error.offset == _NO_OFFSET else int(error.offset)
    kind = _KINDS.get(Status(status), LocusError)
    made = _made(kind, Status(status), offset, f"{name}: {error.text.decode('utf-8', 'replace')}")
    if isinstance(made, ReadError):
        made.errno = ctypes.get_errno()
    return made


def misused(name: str, text: str) -> LocusError:
    """The exception for an argument that liblocus is not asked with; `name` is the file or store that was to be asked."""
    return _made(UsageError, Status.USAGE, None, f"{name}: {text}")


def closed(name: str) -> LocusError:
    return _made(ClosedError, Status.USAGE, None, f"{name}: the file is closed")


def _made(kind: type[LocusError], status: Status, offset: int | None, text: str) -> LocusError:
    made = kind(text)
    made.status = status
    made.offset = offset
    return made
