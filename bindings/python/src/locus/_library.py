"""Finds liblocus and tells ctypes what its functions take."""
from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Iterator

from . import _abi

SONAME = "liblocus.so.0"


def _candidates() -> Iterator[str]:
    """Where liblocus may be: where the user says; where the system's loader looks; beside the command `locus`."""
    named = os.environ.get("LOCUS_LIBRARY")
    if named:
        yield named
        return
    yield SONAME
    command = shutil.which("locus")
    if command:
        yield os.path.join(os.path.dirname(os.path.realpath(command)), "..", "lib", SONAME)


def _load() -> ctypes.CDLL:
    failures = []
    for candidate in _candidates():
        try:
            library = ctypes.CDLL(candidate, use_errno=True)
        except OSError as error:
            failures.append(str(error))
            continue
        _declare(library, candidate)
        return library
    raise ImportError(f"{SONAME} cannot be loaded ({'; '.join(failures)}): install it ('make reader-install' in locus's"
                      " sources), or name it in LOCUS_LIBRARY")


def _declare(library: ctypes.CDLL, name: str) -> None:
    for function, (returned, taken) in _abi.PROTOTYPES.items():
        try:
            found = getattr(library, function)
        except AttributeError:
            raise ImportError(f"{name} has no {function}: it is older than this package") from None
        found.restype = returned
        found.argtypes = taken


lib = _load()

# Of the library that runs, as "1.2.3".
LIBRARY_VERSION: str = lib.locus_version_text().decode()
